package sweep

import (
	"fmt"
	"slices"

	"github.com/spf13/pflag"

	"authenticator-conformance/suites/internal/settings"
)

// Flags are the flags that only a sweep has; a run shares the settings.
type Flags struct {
	resume, shard string
	options       Options
}

// AddFlags defines the flags of a sweep.
func AddFlags(fs *pflag.FlagSet) *Flags {
	f := &Flags{}
	fs.StringVar(&f.resume, ResumeFlag, "", "continue the sweep in the report folder, however it was stopped; "+
		"--resume="+resumeIfBegun+"\nbegins if there is none")
	fs.BoolVar(&f.options.Restart, RestartFlag, false,
		"start again, and give up the unfinished sweep in the report folder")
	fs.IntVar(&f.options.Sample, "sample", 0, "check a random sample of `NUMBER` users; 0: all")
	fs.Uint64Var(&f.options.Seed, "seed", 1, "`NUMBER` that seeds --sample and the example users")
	fs.StringVar(&f.shard, "shard", "", "check one `PART` of the users only, such as 3/16; */16 is the part of this "+
		"pod of an Indexed Job;\n"+settings.ShardPlace+
		" in the name of the report folder is the number of the part, from 1")
	fs.Lookup(ResumeFlag).NoOptDefVal = resumeBegun
	return f
}

// The values of --resume.
const (
	resumeBegun   = "begun"
	resumeIfBegun = "if-begun"
)

// The flags that decide what happens to the files of an earlier sweep. These files are checked before any flag
// is judged.
const (
	ResumeFlag  = "resume"
	RestartFlag = "restart"
)

// Options validates the flags, which in has as they were given. The error names the first invalid one.
func (f *Flags) Options(in *settings.Input, environ []string) (Options, error) {
	o := f.options
	isGiven := func(flag string) bool { _, given := in.Flag(flag); return given }
	o.Resume, o.CountStart = f.resume != "", f.resume == resumeIfBegun
	err := in.CheckOnce(ResumeFlag, RestartFlag, "sample", "seed", "shard")
	if err != nil {
		return o, err
	}
	if o.Shard, err = ParseShard(f.shard, environ); err != nil {
		return o, err
	}
	switch {
	case !slices.Contains([]string{"", resumeBegun, resumeIfBegun}, f.resume):
		return o, fmt.Errorf("--resume: expected no value, or %s, found %q", resumeIfBegun, f.resume)
	case o.Restart && o.Resume:
		return o,
			fmt.Errorf("--resume, --restart: continue the sweep in the report folder, or start again: give one of them")
	case o.Sample < 0 || o.Sample == 0 && isGiven("sample"):
		return o, fmt.Errorf("--sample: expected how many users to draw, 1 or more, found %d", o.Sample)
	case isGiven(settings.LastFailedFlag) && (o.Sample > 0 || o.Shard.Of > 1):
		return o, fmt.Errorf("--%s: all its users are swept, by one process: leave out --sample and --shard",
			settings.LastFailedFlag)
	case o.Sample > 0 && isGiven(settings.RecordFlag):
		return o, fmt.Errorf("--record, --sample: a record has the whole population: leave out --sample")
	case o.Sample > 0 && o.Shard.Of > 1:
		return o, fmt.Errorf("--sample, --shard: a sample is drawn from the whole population: give one of them")
	}
	return o, nil
}

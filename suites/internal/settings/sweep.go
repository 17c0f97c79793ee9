package settings

import (
	"fmt"
	"path/filepath"
	"slices"
	"time"

	"authenticator-conformance/schemas"

	"github.com/spf13/pflag"
)

// StandardInput in place of the users file stands for the standard input of a sweep.
const StandardInput = "-"

// ResolveForSweep judges all settings as Resolve does, but for the users: what it yields is the file that was given for
// them, not opened yet, or StandardInput. Users stays empty for the embedded reference too, and UsersFile with it. The
// flags are those of AddSweepFlags.
//
// Of a sweep there is no default deadline, and Deadline is then 0; and both versions are under test.
//
// The baseline and the divergence speak of a run. Given in the environment or the file, which a run may share, they are
// judged and then have no say: Settings has neither of them, nor a filter, and Divergence is the default.
func ResolveForSweep(fs *pflag.FlagSet, environ []string, d Defaults, contract *schemas.Contract, now time.Time) (*Settings, error) {
	r := newResolver(d.Files, contract, now, sweepDefinitions())
	if r.gather(fs, environ); !r.unreadable {
		r.setAside()
		r.judge()
		d.Users = nil
		r.finish(d, environ)
	}
	return r.result()
}

// sweepDefinitions is the table of all settings as a sweep has them.
func sweepDefinitions() []definition {
	table := definitions()
	for i := range table {
		d := &table[i]
		if d.runOnly {
			d.flag = ""
		}
		switch d.name {
		case nameDeadline:
			d.fallback = ""
			d.help = "the sweep's deadline, up to 24h, after which it can be gone on with (default: none)"
		case nameVersions:
			d.take = takeBothVersions
		case nameUsers:
			d.take = takeUsersFile
			d.help = "users to sweep: NDJSON or CSV of id,userId, also .gz or .zst, or a list in YAML or JSON; " +
				StandardInput + " is standard input"
		}
	}
	return table
}

// takeBothVersions refuses to compare a version with itself.
func takeBothVersions(r *resolver, g given) error {
	if err := takeVersions(r, g); err != nil {
		return err
	}
	if len(r.settings.Versions) < len(schemas.Versions()) {
		return fmt.Errorf("a sweep compares the versions with each other: leave it out, or give all (%s)", allVersions())
	}
	return nil
}

// setAside judges what was given of the settings that a sweep has no use for, and leaves their defaults.
func (r *resolver) setAside() {
	r.table = slices.DeleteFunc(r.table, func(d definition) bool {
		if !d.runOnly {
			return false
		}
		scratch := newResolver(r.files, r.contract, r.now, nil)
		if g, ok := r.won[d.name]; ok && r.usable(g) {
			if err := d.take(scratch, g); err != nil {
				r.fail("%s: %w", g.place, err)
			}
		}
		if d.fallback != "" {
			r.note(d.take(r, given{text: d.fallback}))
		}
		return true
	})
}

func takeUsersFile(r *resolver, g given) error {
	path := g.path()
	switch {
	case g.text == StandardInput:
		path = StandardInput
	case path == StandardInput:
		// A file of that name, given as ./-, is no standard input.
		path = "." + string(filepath.Separator) + path
	}
	r.settings.UsersFile = path
	return nil
}

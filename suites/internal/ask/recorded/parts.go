package recorded

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"

	"authenticator-conformance/suites/internal/judge/wording"
)

// filesIn returns the paths of the files of a record in a folder: one for each shard.
func filesIn(folder string) ([]string, error) {
	return filepath.Glob(filepath.Join(folder, "*.ndjson.gz"))
}

// differs names what another part of a record has otherwise than this one, with both values; "" if they are of one
// sweep. What one of them does not know, such as its users before its end, is no difference.
func (a *About) differs(other *About) string {
	var list []string
	settings := other.Settings
	if other.Version != a.Version || other.Target != a.Target {
		settings = "" // it has these, too
	}
	for _, one := range [][3]string{
		{"version", string(other.Version), string(a.Version)},
		{"target", other.Target, a.Target},
		{"product", other.Subject, a.Subject},
		{"number of shards", strconv.Itoa(other.Shards), strconv.Itoa(a.Shards)},
		{"users file", other.Population, a.Population},
		{"settings of parity or waivers, or application id", settings, a.Settings},
		{"release of the suite", other.Suite, a.Suite},
		{"contract", other.Contract, a.Contract},
	} {
		if name, has, own := one[0], one[1], one[2]; has != own && has != "" && own != "" {
			list = append(list, fmt.Sprintf("its %s (%.80s, not %.80s)", name, has, own))
		}
	}
	return wording.List(list)
}

// CheckBeside returns an error if a part of a record, at a path, does not belong to the others in its folder. A record
// that is whole has no other parts. Open would refuse them only once the version is gone.
func CheckBeside(path string, about About) error {
	if about.Shards == 1 {
		return nil
	}
	names, err := filesIn(filepath.Dir(path))
	names = slices.DeleteFunc(names, func(name string) bool { return name == filepath.Clean(path) })
	for _, name := range names {
		if err == nil {
			err = checkPart(name, &about)
		}
	}
	return err
}

// checkPart returns an error if a file is no part of the record that another part says it is of. One that has no user
// yet may be replaced, so that it does not matter.
func checkPart(name string, about *About) error {
	if info, err := os.Stat(name); err == nil && info.Size() == 0 {
		return nil
	}
	f, err := openFile(name)
	if err != nil {
		return fmt.Errorf("%s: %w; parts of a record have a folder of their own: name another one", name, err)
	}
	defer f.Close()
	if !f.finished && f.begin == f.end {
		return nil
	}
	if difference := about.differs(&f.about); difference != "" {
		return fmt.Errorf("%s, a part beside this one, differs in %s: record all parts from the same users file, with "+
			"the same target and settings, or name another folder", name, difference)
	}
	if f.about.Shard == about.Shard {
		return fmt.Errorf("%s has shard %d of %d, too: move it away", name, about.Shard, about.Shards)
	}
	return nil
}

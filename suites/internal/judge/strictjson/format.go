package strictjson

import (
	"fmt"
	"regexp"
	"strings"
)

// major is the major version of the formats of all files that are read again, as their schemas require it. Within it
// members are added but never changed or removed.
const major = "2"

// OtherFormat is the error of a file in a format of another major version. Its message has no advice: that depends on
// what the file is for.
type OtherFormat struct {
	Release string // that wrote the file: "release 1.2.3"
	Format  string
}

// OtherFormatOf returns the error of a file in a format. suite is what the file says of the suite that wrote it: its
// version, and perhaps more words.
func OtherFormatOf(format, suite string) *OtherFormat {
	if version, _, _ := strings.Cut(suite, " "); release.MatchString(version) {
		return &OtherFormat{"release " + version, format}
	}
	return &OtherFormat{"another release", format}
}

// release matches the version of a release. A file may say anything else.
var release = regexp.MustCompile(`^[0-9A-Za-z.+_-]{1,60}$`)

func (o *OtherFormat) Error() string {
	return fmt.Sprintf("%s of the suite wrote it in format %s, which this release does not read", o.Release, o.Format)
}

// versionOfFormat matches the format of a file: its version, and of that the major one.
var versionOfFormat = regexp.MustCompile(`^(?:baseline )?(([0-9]{1,4})\.[0-9]{1,4})$`)

// CheckFormat returns an *OtherFormat if a file has a format of another major version. suite is what the file says of
// the suite that wrote it, as for OtherFormatOf.
func CheckFormat(format, suite string) error {
	found := versionOfFormat.FindStringSubmatch(format)
	if found == nil || found[2] == major {
		return nil
	}
	return OtherFormatOf(found[1], suite)
}

// CheckFormatOf is CheckFormat for a file decoded from JSON.
func CheckFormatOf(value any) error {
	members, _ := value.(map[string]any)
	format, _ := members["format"].(string)
	suite, isText := members["suite"].(string)
	if object, ok := members["suite"].(map[string]any); ok && !isText {
		suite, _ = object["version"].(string)
	}
	return CheckFormat(format, suite)
}

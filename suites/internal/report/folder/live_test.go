package folder_test

import (
	"os"
	"syscall"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"authenticator-conformance/suites/internal/report/folder"
)

// failing is a command whose reports can't be written.
type failing struct {
	folder.Run
	first, then error
}

func (f failing) Unfinished(*folder.Folder) error { return f.first }

func (f failing) Failed(*folder.Folder, string) error { return f.then }

var _ = DescribeTable("If no report can be written, each cause is said once:", func(says string, then error) {
	at := folder.Place{Dir: GinkgoT().TempDir(), MetricsFile: func() string { return "" }}
	first := &os.PathError{Op: "write", Path: "report.html", Err: syscall.ENOSPC}
	err := folder.Live(at, failing{first: first, then: then}, error.Error, func(*folder.Folder) error { return nil })
	Expect(err).To(MatchError(says))
},
	Entry("The disk is full, also for another file", "write report.html: no space left on device",
		&os.PathError{Op: "write", Path: "junit.xml", Err: syscall.ENOSPC}),
	Entry("The folder may not be written to either", "write report.html: no space left on device; and open junit.xml: "+
		"permission denied", &os.PathError{Op: "open", Path: "junit.xml", Err: syscall.EACCES}),
)

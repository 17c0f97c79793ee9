package sanitize_test

import (
	"io"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"authenticator-conformance/suites/internal/sanitize"
	"authenticator-conformance/suites/internal/settings"
	"authenticator-conformance/suites/internal/testkit"
)

var _ = DescribeTable("The guard of the settings looks for every secret, and not for the suite's own words",
	func(text string, found bool) {
		contract := testkit.Contract()
		out := sanitize.New(&settings.Settings{
			AccessToken: "q7Zt2mVx9RkL4wNbY8sHc3JfPg6DaTuE",
			Secrets:     []string{"q7Zt2mVx9RkL4wNbY8sHc3JfPg6DaTuE", "tenant-7731-lantern", "findByUserIds"},
		}, contract, "")
		watcher := out.Guard().Watch("a file")
		_, _ = io.WriteString(watcher, "before "+text+" after") // it can't fail
		Expect(watcher.Err() != nil).To(Equal(found))
	},
	Entry("the token", "q7Zt2mVx9RkL4wNbY8sHc3JfPg6DaTuE", true),
	Entry("the value of a header", "tenant-7731-lantern", true),
	Entry("a value that stands in the catalogue", "findByUserIds", false),
	Entry("another text", "application/json", false),
)

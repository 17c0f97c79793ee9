package folder_test

import (
	"io"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"authenticator-conformance/suites/internal/folder"
	"authenticator-conformance/suites/internal/settings"
)

var _ = DescribeTable("The guard of the settings looks for every secret, and not for the suite's own words",
	func(text string, found bool) {
		guard, err := folder.GuardOf(&settings.Settings{
			AccessToken: "q7Zt2mVx9RkL4wNbY8sHc3JfPg6DaTuE",
			Secrets:     []string{"q7Zt2mVx9RkL4wNbY8sHc3JfPg6DaTuE", "tenant-7731-lantern", "findByUserIds"},
		})
		Expect(err).NotTo(HaveOccurred())
		leaks := guard.LeakWriter()
		_, _ = io.WriteString(leaks, "before "+text+" after") // it can't fail
		Expect(leaks.Found() != "").To(Equal(found))
	},
	Entry("the token", "q7Zt2mVx9RkL4wNbY8sHc3JfPg6DaTuE", true),
	Entry("the value of a header", "tenant-7731-lantern", true),
	Entry("a value that stands in the catalogue", "findByUserIds", false),
	Entry("another text", "application/json", false),
)

package schemas_test

import (
	"io/fs"
	"path"
	"slices"
	"strings"
	"sync"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"authenticator-conformance/schemas"
)

var _ = Describe("The contract", func() {
	It("names the members of each message in the document's order", func() {
		c := loadContract()
		Expect(c.Record.Members()).To(Equal([]string{
			"AuthenticationCountLimit", "CreatedOn", "Description", "ExpirationDate", "Flags", "Id", "IsDisabled",
			"IsLocked", "ModeDeviceName", "ModeId", "ModeType", "ModeTypeName", "UserId", "SerialNumber", "Device",
			"CreatedBy",
		}))
		Expect(c.Device.Members()).To(Equal([]string{
			"Id", "AuthType", "SerialNumber", "RegistrationDate", "IsEnabled", "LastUserId", "Comment", "Model",
		}))
		Expect(c.Identifiers.Members()).To(BeEmpty())
		Expect(c.Request(schemas.GetUserAuth).Members()).To(
			Equal([]string{"Id", "UserId", "AccessToken", "ApplicationId"}))
		Expect(c.Request(schemas.FindByUserIDs).Members()).To(Equal([]string{"UserId", "AccessToken", "ApplicationId"}))
		Expect(c.Request("getUser")).To(BeNil())
	})

	It("returns copies of its lists, so that a caller can't change it", func() {
		c := loadContract()
		c.Record.Members()[0] = "Changed"
		Expect(c.Record.Members()[0]).To(Equal("AuthenticationCountLimit"))
	})

	It("names its schemas by their files", func() {
		c := loadContract()
		for file, schema := range map[string]*schemas.Schema{
			"authenticator.schema.json": c.Record, "device.schema.json": c.Device,
			"guid-array.schema.json":               c.Identifiers,
			"get-user-auth-request.schema.json":    c.GetUserAuthRequest,
			"find-by-user-ids-request.schema.json": c.FindByUserIDsRequest,
		} {
			Expect(schema.ID()).To(Equal("https://authenticator-conformance.example/schemas/" + file))
			Expect(fs.ReadFile(schemas.Files(), path.Base(schema.ID()))).NotTo(BeEmpty())
		}
	})

	It("describes what is accepted for each member, including null", func() {
		c := loadContract()
		for _, schema := range []*schemas.Schema{c.Record, c.Device, c.GetUserAuthRequest, c.FindByUserIDsRequest} {
			for _, member := range schema.Members() {
				Expect(schema.Expected(member)).NotTo(BeEmpty(), member)
				acceptsNull := true
				for _, v := range schema.Check(map[string]any{member: nil}) {
					acceptsNull = acceptsNull && v.Pointer != "/"+member
				}
				inRequest := strings.Contains(schema.ID(), "request")
				Expect(acceptsNull).To(Equal(!inRequest), "%s: %s", schema.ID(), member)
				Expect(strings.HasSuffix(schema.Expected(member), ", or null")).To(Equal(!inRequest), member)
			}
		}
		Expect(c.Record.Expected("createdOn")).To(BeEmpty())
	})

	It("has a digest that changes with each of its files, and not with the schemas of what the suite writes", func() {
		digest := loadContract().Digest
		Expect(digest).To(MatchRegexp(`^sha256:[0-9a-f]{64}$`))
		Expect(loadContract().Digest).To(Equal(digest))
		names, err := fs.Glob(schemas.Files(), "*")
		Expect(err).NotTo(HaveOccurred())
		Expect(names).To(HaveLen(12))
		written := []string{"baseline.schema.json", "findings.schema.json", "report.schema.json", "sweep.schema.json"}
		for _, name := range names {
			changed, err := schemas.LoadFrom(embeddedWith(name, func(s string) string { return s + "\n" }))
			Expect(err).NotTo(HaveOccurred(), name)
			Expect(changed.Digest == digest).To(Equal(slices.Contains(written, name)), name)
		}
	})

	It("names the file that is missing", func() {
		files := embeddedWith("device.schema.json", func(s string) string { return s + "\n" })
		delete(files, "device.schema.json")
		_, err := schemas.LoadFrom(files)
		Expect(err).To(MatchError(ContainSubstring("device.schema.json")))
	})

	DescribeTable("refuses versions that can't be compared", func(versions, fault string) {
		_, err := schemas.LoadFrom(embeddedWith("versions.yaml", func(string) string { return versions }))
		Expect(err).To(MatchError(And(ContainSubstring("versions.yaml"), ContainSubstring(fault))))
	},
		Entry("a pair with an unknown version", "versions: [{name: v5}]\npairs: [{from: v5, to: v6}]",
			"pairs of these"),
		Entry("a name that is none", "versions: [{name: seven}]", "seven"),
		Entry("no version", "versions: []\npairs: []", "at least one version"),
		Entry("an unknown member", "versions: [{name: v5, until: 8}]", "expected versions and pairs"),
	)

	It("can be loaded and used concurrently", func() {
		var group sync.WaitGroup
		for range 8 {
			group.Go(func() {
				defer GinkgoRecover()
				contract, err := schemas.Load()
				Expect(err).NotTo(HaveOccurred())
				Expect(contract.Record.Check(map[string]any{"Id": "x", "IsLocked": "y"})).To(HaveLen(2))
			})
		}
		shared := loadContract()
		for range 8 {
			group.Go(func() {
				defer GinkgoRecover()
				Expect(shared.Identifiers.Check([]any{"x"})).To(HaveLen(1))
			})
		}
		group.Wait()
	})

	It("has the document's paths and versions", func() {
		Expect(schemas.Path(schemas.V5, schemas.GetUserAuth)).To(Equal("/api/v5/authenticator/getUserAuth"))
		Expect(schemas.Path(schemas.V6, schemas.FindByUserIDs)).To(Equal("/api/v6/authenticator/findByUserIds"))
		Expect(schemas.Versions()).To(Equal([]schemas.Version{"v5", "v6"}))
		Expect(schemas.Operations()).To(Equal([]schemas.Operation{"getUserAuth", "findByUserIds"}))
	})
})

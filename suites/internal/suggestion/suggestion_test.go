package suggestion_test

import (
	"bytes"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"authenticator-conformance/fixtures"
	"authenticator-conformance/fixtures/kit"
	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/internal/population"
	"authenticator-conformance/suites/internal/settings"
	"authenticator-conformance/suites/internal/suggestion"
	"authenticator-conformance/suites/internal/target"
	"authenticator-conformance/suites/internal/testkit"
)

func TestSuggestion(t *testing.T) {
	RegisterFailHandler(Fail)
	RunSpecs(t, "suggestion")
}

// writePeople writes a users file with so many users.
func writePeople(count int) (file string, users []fixtures.User) {
	GinkgoHelper()
	var text strings.Builder
	text.WriteString("id,userId\n")
	for i := range count {
		u := fixtures.User{ID: fmt.Sprintf("00000000-0000-4000-8000-%012d", i), UserID: fmt.Sprintf("u%d", i),
			Enrolled: true}
		users = append(users, u)
		fmt.Fprintf(&text, "%s,%s\n", u.ID, u.UserID)
	}
	file = filepath.Join(GinkgoT().TempDir(), "users.csv")
	Expect(os.WriteFile(file, []byte(text.String()), 0o600)).To(Succeed())
	return file, users
}

// serveUsers serves the users by the reference; change may change a user's record.
func serveUsers(users []fixtures.User, change func(userID string, record map[string]any)) *settings.Settings {
	service := testkit.Changing(kit.Reference(users, fixtures.AccessToken),
		func(_ schemas.Version, record map[string]any) { change(record["UserId"].(string), record) })
	s := testkit.Settings(testkit.Serve(service), nil)
	s.Concurrency = 8
	return s
}

func askUsers(ctx SpecContext, s *settings.Settings, users []population.Row) []suggestion.Seen {
	GinkgoHelper()
	client := target.New(s, testkit.Suite().Contract, "0", "r")
	defer client.Close()
	return testkit.Must(suggestion.Ask(ctx, users, s, testkit.Suite(), client.Do, func(int) {}))
}

var _ = Describe("A suggestion of users", func() {
	It("covers all that two thousand users show, the rare forms too, in few of them", func(ctx SpecContext) {
		file, users := writePeople(2000)
		rare := map[string]bool{"u499": true, "u999": true, "u1499": true, "u1999": true}
		s := serveUsers(users, func(id string, record map[string]any) {
			switch {
			case id == "u499":
				record["CreatedOn"] = nil
			case id == "u999":
				delete(record, "Flags")
			case id == "u1499":
				record["ExpirationDate"] = "2027-01-31T12:00:00"
			case id == "u1999":
				record["Device"] = nil
			}
		})
		sample, all, err := suggestion.Sample(file, nil, testkit.Suite().Contract, 5000, 1)
		Expect(err).NotTo(HaveOccurred())
		Expect(all).To(Equal(int64(2000)))
		Expect(sample).To(HaveLen(2000))
		seen := askUsers(ctx, s, sample)
		found := suggestion.Cover(seen)
		Expect(len(found.Users)).To(BeNumerically("<=", 12))

		covered, whole, chosen := map[string]bool{}, map[string]bool{}, map[string]bool{}
		for _, u := range found.Users {
			chosen[u.User.UserID] = true
			for a := range u.Shows {
				covered[a] = true
			}
		}
		for _, u := range seen {
			for a := range u.Shows {
				whole[a] = true
			}
		}
		Expect(covered).To(Equal(whole))
		Expect(found.Shown).To(Equal(len(whole)))
		for id := range rare {
			Expect(chosen).To(HaveKey(id))
		}
		Expect(whole).To(And(HaveKey("2.1/CreatedOn v6: null"), HaveKey("2.1/ExpirationDate v5: time without zone")))

		var text bytes.Buffer
		Expect(found.Write(&text, len(sample), all)).To(Succeed())
		Expect(text.String()).To(ContainSubstring("2.1/CreatedOn null"))
		suggested := filepath.Join(GinkgoT().TempDir(), "suggested.yaml")
		Expect(os.WriteFile(suggested, text.Bytes(), 0o600)).To(Succeed())
		Expect(testkit.Must(population.ReadAll(suggested, testkit.Suite().Contract,
			false))).To(HaveLen(len(found.Users)),
			"it is a users file")
		Expect(suggestion.Cover(seen)).To(Equal(found), "equal samples give equal sets")
	})

	It("asks a sample only, and the same one for the same seed", func() {
		file, _ := writePeople(1000)
		one, all, err := suggestion.Sample(file, nil, testkit.Suite().Contract, 50, 7)
		Expect(err).NotTo(HaveOccurred())
		Expect(all).To(Equal(int64(1000)))
		Expect(one).To(HaveLen(50))
		again, _, err := suggestion.Sample(file, nil, testkit.Suite().Contract, 50, 7)
		Expect(err).NotTo(HaveOccurred())
		Expect(again).To(Equal(one))
		other, _, err := suggestion.Sample(file, nil, testkit.Suite().Contract, 50, 8)
		Expect(err).NotTo(HaveOccurred())
		Expect(other).NotTo(Equal(one))
	})

	It("ends if the target does not answer", func(ctx SpecContext) {
		file, users := writePeople(100)
		s := serveUsers(users, func(string, map[string]any) {})
		for v := range s.URLs {
			s.URLs[v] = testkit.Must(url.Parse("http://127.0.0.1:1"))
		}
		sample, _, err := suggestion.Sample(file, nil, testkit.Suite().Contract, 100, 1)
		Expect(err).NotTo(HaveOccurred())
		client := target.New(s, testkit.Suite().Contract, "0", "r")
		defer client.Close()
		_, err = suggestion.Ask(ctx, sample, s, testkit.Suite(), client.Do, func(int) {})
		Expect(err).To(MatchError(ContainSubstring("does not answer")))
	})

	It("says where the users file is wrong", func() {
		file := filepath.Join(GinkgoT().TempDir(), "users.csv")
		Expect(os.WriteFile(file, []byte("id,userId\nno guid,u\n"), 0o600)).To(Succeed())
		_, _, err := suggestion.Sample(file, nil, testkit.Suite().Contract, 1, 1)
		Expect(err).To(MatchError(ContainSubstring("users.csv:2")))
	})
})

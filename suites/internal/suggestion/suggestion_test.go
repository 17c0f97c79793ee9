package suggestion_test

import (
	"bytes"
	"fmt"
	"maps"
	"net/url"
	"testing"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"authenticator-conformance/fixtures"
	"authenticator-conformance/fixtures/kit"
	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/internal/population"
	"authenticator-conformance/suites/internal/suggestion"
	targets "authenticator-conformance/suites/internal/target"
	"authenticator-conformance/suites/internal/testkit"
)

func TestSuggestion(t *testing.T) { testkit.Specs(t, "suggestion") }

// writePeople writes a users file with so many users.
func writePeople(count int) (file string, users []fixtures.User) {
	GinkgoHelper()
	text := "id,userId\n"
	for i := range count {
		u := fixtures.User{ID: fmt.Sprintf("00000000-0000-4000-8000-%012d", i), UserID: fmt.Sprintf("u%d", i),
			Enrolled: true}
		users = append(users, u)
		text += u.ID + "," + u.UserID + "\n"
	}
	return testkit.Write(GinkgoT().TempDir(), "users.csv", []byte(text)), users
}

func sampleOf(file string, size int, seed uint64) []population.Row {
	GinkgoHelper()
	sample, _, err := suggestion.Sample(file, nil, testkit.Contract(), size, seed)
	Expect(err).NotTo(HaveOccurred())
	return sample
}

func askUsers(ctx SpecContext, target *url.URL, users []population.Row) ([]suggestion.Seen, error) {
	s := testkit.Settings(target, nil)
	s.Concurrency = 8
	client := targets.New(s, testkit.Contract(), "0", "r")
	defer client.Close()
	return suggestion.Ask(ctx, users, s, testkit.Suite(), client.Do, func(int) {})
}

var _ = Describe("A suggestion of users", func() {
	It("Covers all that many users show, the rare forms too, in a short users file", func(ctx SpecContext) {
		file, users := writePeople(400)
		service := testkit.Changing(kit.Reference(users, fixtures.AccessToken),
			func(_ schemas.Version, record map[string]any) {
				switch record["UserId"] {
				case "u99":
					record["CreatedOn"] = nil
				case "u199":
					delete(record, "Flags")
				case "u299":
					record["ExpirationDate"] = "2027-01-31T12:00:00"
				case "u399":
					record["Device"] = nil
				}
			})
		sample, all, err := suggestion.Sample(file, nil, testkit.Contract(), 5000, 1)
		Expect(err).NotTo(HaveOccurred())
		Expect(all).To(Equal(int64(400)))
		Expect(sample).To(HaveLen(400))
		seen := testkit.Must(askUsers(ctx, testkit.Serve(service), sample))
		found := suggestion.Cover(seen)
		Expect(suggestion.Cover(seen)).To(Equal(found), "equal samples give equal sets")
		Expect(len(found.Users)).To(BeNumerically("<=", 12))
		whole, covered, chosen := map[string]bool{}, map[string]bool{}, []string{}
		for _, u := range seen {
			maps.Copy(whole, u.Shows)
		}
		for _, u := range found.Users {
			maps.Copy(covered, u.Shows)
			chosen = append(chosen, u.User.UserID)
		}
		Expect(covered).To(Equal(whole))
		Expect(found.Shown).To(Equal(len(whole)))
		Expect(whole).To(And(HaveKey("2.1/CreatedOn v6: null"), HaveKey("2.1/ExpirationDate v5: time without zone")))
		Expect(chosen).To(ContainElements("u99", "u199", "u299", "u399"))

		var text bytes.Buffer
		Expect(found.Write(&text, len(sample), all)).To(Succeed())
		Expect(text.String()).To(ContainSubstring("2.1/CreatedOn null"))
		suggested := testkit.Write(GinkgoT().TempDir(), "suggested.yaml", text.Bytes())
		Expect(testkit.Must(population.ReadAll(suggested, testkit.Contract(), false))).To(HaveLen(len(found.Users)))
	})

	It("Asks a sample only, and the same one for the same seed", func() {
		file, _ := writePeople(1000)
		Expect(sampleOf(file, 50, 7)).To(HaveLen(50))
		Expect(sampleOf(file, 50, 7)).To(Equal(sampleOf(file, 50, 7)))
		Expect(sampleOf(file, 50, 7)).NotTo(Equal(sampleOf(file, 50, 8)))
	})

	It("Ends if the target does not answer", func(ctx SpecContext) {
		file, _ := writePeople(100)
		_, err := askUsers(ctx, &url.URL{Scheme: "http", Host: "127.0.0.1:1"}, sampleOf(file, 100, 1))
		Expect(err).To(MatchError(ContainSubstring("does not answer")))
	})

	It("Says where the users file is wrong", func() {
		file := testkit.Write(GinkgoT().TempDir(), "users.csv", []byte("id,userId\nno guid,u\n"))
		_, _, err := suggestion.Sample(file, nil, testkit.Contract(), 1, 1)
		Expect(err).To(MatchError(ContainSubstring("users.csv:2")))
	})
})

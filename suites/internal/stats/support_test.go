package stats_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/internal/report"
	"authenticator-conformance/suites/internal/stats"
)

// started is when the sweeps of these specs begin, and merged when they are merged.
var (
	started   = time.Date(2026, 6, 15, 12, 0, 0, 0, time.UTC)
	sumShards = time.Date(2026, 6, 16, 12, 0, 0, 0, time.UTC)
)

// digest is one of something.
const digest = "sha256:0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"

// timedResults is the input of Counts about one user.
type timedResults struct {
	looks  []stats.Result
	lasted []time.Duration
	at     time.Duration
}

func addUsers(t *stats.Counts, users ...timedResults) {
	for _, u := range users {
		t.Add(u.looks, u.lasted, u.at)
	}
}

// countUsers is the counts of users, with the seed 7.
func countUsers(users ...timedResults) *stats.Counts {
	t := stats.New(7)
	addUsers(t, users...)
	return t
}

func numberedUser(i int64) stats.User {
	return stats.User{Index: i, ID: fmt.Sprintf("id-%d", i), UserID: fmt.Sprintf("u-%d", i)}
}

// findingOf is one of getUserAuth for a user; changes make others of it.
func findingOf(i int64, requirement string, version schemas.Version, pointer string,
	changes ...func(*stats.Finding)) stats.Finding {
	f := stats.Finding{
		User: numberedUser(i), Operation: schemas.GetUserAuth, Version: version, Requirement: requirement, Kind: "value",
		Pointer: pointer, Count: 1,
		Expected: "what v5 shows", Actual: "what v6 shows", Exchange: fmt.Sprintf("u%d.2", i),
	}
	for _, change := range changes {
		change(&f)
	}
	return f
}

// differenceFinding is a finding between the versions.
func differenceFinding(i int64, pointer string, changes ...func(*stats.Finding)) stats.Finding {
	return findingOf(i, "9.3/getUserAuth/values", schemas.Parity, pointer, changes...)
}

// violationFinding is a breach of the contract by v6.
func violationFinding(i int64, pointer string, changes ...func(*stats.Finding)) stats.Finding {
	return findingOf(i, "2.1"+pointer[strings.LastIndex(pointer, "/"):], schemas.V6, pointer, changes...)
}

// openFinding is the finding of a user who could not be compared.
func openFinding(i int64, op schemas.Operation) stats.Finding {
	return stats.Finding{User: numberedUser(i), Operation: op, Version: schemas.Parity,
		Kind:  string(stats.NotComparable),
		Count: 1, Expected: "two answers", Actual: "timeout of v6", Exchange: fmt.Sprintf("u%d.2", i)}
}

func setWaived(f *stats.Finding) { f.Waived = true }

func ofOperation(op schemas.Operation) func(*stats.Finding) {
	return func(f *stats.Finding) { f.Operation = op }
}

// equalUser is a user about whom both versions agree, in both operations.
func equalUser() timedResults {
	return userShowing(stats.Result{Outcome: stats.Equal, Witnessed: true})
}

// userShowing is a user of whom getUserAuth shows something, and findByUserIds the same in both versions.
func userShowing(result stats.Result) timedResults {
	return timedResults{looks: []stats.Result{result, {Outcome: stats.Equal, Witnessed: true}}}
}

// differentUser is a user whose answers differ.
func differentUser(findings ...stats.Finding) timedResults {
	return userShowing(stats.Result{Outcome: stats.Different, Witnessed: true, Findings: findings})
}

// incomparableUser is a user who can't be compared by getUserAuth.
func incomparableUser(i int64, reason string) timedResults {
	return userShowing(stats.Result{Outcome: stats.NotComparable, Why: reason,
		Findings: []stats.Finding{openFinding(i, schemas.GetUserAuth)}})
}

// mixedUsers is a mixture of users of every outcome, the same for the same seed.
func mixedUsers(n int, seed uint64) []timedResults {
	random := rand.New(rand.NewPCG(seed, 0))
	users := make([]timedResults, n)
	for i := range users {
		u := timedResults{at: time.Duration(i) * 50 * time.Millisecond}
		for _, op := range schemas.Operations() {
			u.looks = append(u.looks, anyLook(random, int64(i), op))
		}
		for range 4 + random.IntN(4) {
			u.lasted = append(u.lasted, time.Duration(random.Int64N(int64(200*time.Millisecond))))
		}
		users[i] = u
	}
	return users
}

func anyLook(random *rand.Rand, i int64, op schemas.Operation) stats.Result {
	pointer := []string{"/Flags", "/Comment", "/Device/Model"}[random.IntN(3)]
	asIs := []func(*stats.Finding){ofOperation(op)}
	if pointer == "/Comment" {
		asIs = append(asIs, setWaived)
	}
	switch random.IntN(12) {
	case 0:
		return stats.Result{Outcome: stats.Different, Witnessed: true,
			Findings: []stats.Finding{differenceFinding(i, pointer, asIs...)}}
	case 1:
		element := random.IntN(5)
		f := violationFinding(i, "/"+strconv.Itoa(element)+pointer, append(asIs,
			func(f *stats.Finding) { f.Count = 3 })...)
		g := violationFinding(i, "/"+strconv.Itoa(element+1)+pointer, asIs...)
		return stats.Result{Outcome: stats.BothViolate, Witnessed: true, Findings: []stats.Finding{f, g}}
	case 2:
		return stats.Result{Outcome: stats.NotComparable,
			Why: []string{"timeout of v5", "timeout of v6"}[random.IntN(2)], Findings: []stats.Finding{openFinding(i,
				op)}}
	case 3:
		return stats.Result{Outcome: stats.NothingAlike}
	case 4:
		return stats.Result{Outcome: stats.EqualUnderRule, Why: "J15: volatile " + pointer, Witnessed: true}
	case 5:
		return stats.Result{Outcome: stats.Drift, Why: "what differed did not when it was read again", Witnessed: true}
	}
	return stats.Result{Outcome: stats.Equal, Witnessed: true}
}

// concludedSummary is that of a complete sweep over these users, with changes, concluded.
func concludedSummary(t *stats.Counts, changes ...func(*stats.Summary)) *stats.Summary {
	finished := started.Add(time.Hour)
	s := &stats.Summary{
		Format: stats.Format, Complete: true, Suite: report.SuiteOf(digest), Sweep: "a-sweep", Started: started,
		Finished: &finished, Seconds: 3.5,
		Identity: stats.Identity{Contract: digest, Suite: "0.1.0",
			Target: map[schemas.Version]string{schemas.V5: "https://a.example", schemas.V6: "https://b.example"},
			Rules:  digest, Seed: 7, Shard: stats.Shard{Index: 1, Of: 1}},
		Read: stats.Population{Users: t.Users, Digest: digest}, Shards: []stats.Shard{}, Tally: t,
		Traffic: stats.Traffic{Requests: t.Requests}, Findings: digest, Notes: []string{},
		Settings: []report.Setting{{Name: "users", Value: "u.csv", Source: "flag --users"}},
	}
	for _, change := range changes {
		change(s)
	}
	s.Conclude()
	return s
}

// shardSummaries splits users over so many shards, by their order, and gives the summaries of each.
func shardSummaries(users []timedResults, of int) []*stats.Summary {
	parts := make([][]timedResults, of)
	for i, u := range users {
		parts[i%of] = append(parts[i%of], u)
	}
	list := make([]*stats.Summary, of)
	for i, part := range parts {
		list[i] = concludedSummary(countUsers(part...), func(s *stats.Summary) {
			s.Identity.Shard, s.Read.Users = stats.Shard{Index: i + 1, Of: of}, int64(len(users))
		})
	}
	return list
}

func folderNames(n int) []string {
	var list []string
	for i := range n {
		list = append(list, fmt.Sprintf("folder-%d", i+1))
	}
	return list
}

// mergeShards joins shards that fit.
func mergeShards(list []*stats.Summary) *stats.Summary {
	GinkgoHelper()
	whole, err := stats.Merge(folderNames(len(list)), list, sumShards)
	Expect(err).NotTo(HaveOccurred())
	return whole
}

// writeSummary is a summary as it stands in sweep.json.
func writeSummary(s *stats.Summary) string {
	GinkgoHelper()
	var b bytes.Buffer
	Expect(stats.Write(&b, s)).To(Succeed())
	return b.String()
}

// readSummary reads a sweep.json back.
func readSummary(text string) *stats.Summary {
	GinkgoHelper()
	s, err := stats.Read(strings.NewReader(text))
	Expect(err).NotTo(HaveOccurred())
	return s
}

// sampleIndexes are the places of the users who are shown for a group.
func sampleIndexes(g *stats.Group) []int64 {
	var list []int64
	for _, f := range g.Sample {
		list = append(list, f.User.Index)
	}
	slices.Sort(list)
	return list
}

// groupAt gives the group of a pointer.
func groupAt(t *stats.Counts, pointer string) *stats.Group {
	GinkgoHelper()
	for _, g := range t.Groups {
		if g.Pointer == pointer {
			return g
		}
	}
	Fail("there is no group at " + pointer)
	return nil
}

// countsWithoutTimes is a counts as it stands in sweep.json, but for what happened when.
func countsWithoutTimes(t *stats.Counts) string {
	GinkgoHelper()
	bare := *t
	bare.Times = stats.Times{}
	text, err := json.MarshalIndent(&bare, "", " ")
	Expect(err).NotTo(HaveOccurred())
	return string(text)
}

// sumOf adds up a map's numbers.
func sumOf[K comparable](m map[K]int64) int64 {
	n := int64(0)
	for v := range maps.Values(m) {
		n += v
	}
	return n
}

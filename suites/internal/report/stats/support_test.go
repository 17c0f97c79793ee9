package stats_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/internal/judge/exchange"
	"authenticator-conformance/suites/internal/report"
	"authenticator-conformance/suites/internal/report/stats"
	"authenticator-conformance/suites/internal/testkit"
)

func TestStats(t *testing.T) { testkit.Specs(t, "stats") }

// The documented bounds of groups, of users that are shown for a group, and of periods.
const (
	maxGroups  = 200
	maxSample  = 50
	maxBuckets = 120
)

// started is when the sweeps of these specs begin, and mergedAt when they are merged.
var (
	started  = time.Date(2026, 6, 15, 12, 0, 0, 0, time.UTC)
	mergedAt = time.Date(2026, 6, 16, 12, 0, 0, 0, time.UTC)
)

// digest is one of something.
const digest = "sha256:0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"

// timedResults is the input of Counts about one user.
type timedResults struct {
	looks  []stats.Result
	lasted []time.Duration
	at     time.Duration
}

// addUsers counts users. Both versions served those with something, v5 those who could not be compared.
func addUsers(t *stats.Counts, users ...timedResults) {
	for _, u := range users {
		for i, look := range u.looks {
			switch {
			case look.Outcome == stats.NothingAlike:
				u.looks[i].Unserved = []string{"status 404"}
			case look.Outcome == stats.NotComparable:
				u.looks[i].Served, u.looks[i].Unserved = []schemas.Version{schemas.V5}, []string{"no answer"}
			default:
				u.looks[i].Served = schemas.Versions()
			}
		}
		t.Add(false, u.looks, u.lasted, u.at)
	}
}

// countUsers is the counts of users, with the seed 7.
func countUsers(users ...timedResults) *stats.Counts {
	t := stats.New(7, schemas.Versions()...)
	addUsers(t, users...)
	return t
}

func numberedUser(i int64) stats.User {
	return stats.User{Index: i, ID: fmt.Sprintf("id-%d", i), UserID: fmt.Sprintf("u-%d", i)}
}

// differenceFinding is a finding of getUserAuth between the versions; changes make others of it.
func differenceFinding(i int64, pointer string, changes ...func(*stats.Finding)) stats.Finding {
	f := stats.Finding{
		User: numberedUser(i), Operation: schemas.GetUserAuth, Version: schemas.Parity,
		Requirement: "9.3/getUserAuth/values", Kind: "value", Pointer: pointer, Count: 1,
		Expected: "what v5 shows", Actual: "what v6 shows", Exchange: fmt.Sprintf("u%d.2", i),
	}
	for _, change := range changes {
		change(&f)
	}
	return f
}

// violationFinding is a breach of the contract by v6.
func violationFinding(i int64, pointer string, changes ...func(*stats.Finding)) stats.Finding {
	return differenceFinding(i, pointer, append([]func(*stats.Finding){func(f *stats.Finding) {
		f.Requirement, f.Version = "2.1"+pointer[strings.LastIndex(pointer, "/"):], schemas.V6
	}}, changes...)...)
}

// openFinding is the finding of a user who could not be compared.
func openFinding(i int64, op schemas.Operation) stats.Finding {
	return stats.Finding{User: numberedUser(i), Operation: op, Version: schemas.Parity,
		Kind: string(stats.NotComparable), Count: 1,
		Expected: "two answers", Actual: "timeout of v6", Exchange: fmt.Sprintf("u%d.2", i)}
}

func setWaived(f *stats.Finding) { f.Waived = true }

func ofOperation(op schemas.Operation) func(*stats.Finding) {
	return func(f *stats.Finding) { f.Operation = op }
}

// userShowing is a user of whom getUserAuth shows something, and findByUserIds the same in both versions.
func userShowing(result stats.Result) timedResults {
	return timedResults{looks: []stats.Result{result, {Outcome: stats.Equal, Witnessed: true}}}
}

// differentUser is a user whose answers differ.
func differentUser(findings ...stats.Finding) timedResults {
	return userShowing(stats.Result{Outcome: stats.Different, Witnessed: true, Findings: findings})
}

// usersOf are the users of a text such as "300 equal, difference", with their places from 0.
func usersOf(text string) (users []timedResults) {
	for part := range strings.SplitSeq(text, ", ") {
		n, word, counted := strings.Cut(part, " ")
		times, err := strconv.Atoi(n)
		if !counted || err != nil {
			times, word = 1, part
		}
		for range times {
			if word != "" {
				users = append(users, namedUser(int64(len(users)), word))
			}
		}
	}
	return users
}

func namedUser(i int64, word string) timedResults {
	equal, open := stats.Result{Outcome: stats.Equal, Witnessed: true}, openFinding(i, schemas.GetUserAuth)
	different := stats.Result{Outcome: stats.Different, Witnessed: true, Findings: []stats.Finding{
		differenceFinding(i, "/Flags", ofOperation(schemas.FindByUserIDs))}}
	switch word {
	case "equal":
		return userShowing(equal)
	case "difference":
		return differentUser(differenceFinding(i, "/Flags"))
	case "waived-difference":
		return differentUser(differenceFinding(i, "/Flags", setWaived))
	case "difference-of-findByUserIds":
		return timedResults{looks: []stats.Result{equal, different}}
	case "difference-without-witness":
		return userShowing(stats.Result{Outcome: stats.Different, Findings: []stats.Finding{differenceFinding(i, "")}})
	case "breach":
		return userShowing(stats.Result{Outcome: stats.BothViolate, Witnessed: true,
			Findings: []stats.Finding{violationFinding(i, "/Id")}})
	case "waived-breach":
		return differentUser(violationFinding(i, "/Id", setWaived))
	case "difference-of-comment":
		return differentUser(differenceFinding(i, "/Comment"))
	case "difference-and-breach":
		return differentUser(differenceFinding(i, "/Flags"), violationFinding(i, "/Id"))
	case "incomparable":
		return userShowing(stats.Result{Outcome: stats.NotComparable, Why: "timeout of v6",
			Findings: []stats.Finding{open}})
	case "unserved":
		return userShowing(stats.Result{Outcome: stats.NothingAlike})
	case "unserved-by-both":
		return timedResults{looks: []stats.Result{{Outcome: stats.NothingAlike}, {Outcome: stats.NothingAlike}}}
	case "unserved-by-findByUserIds":
		return timedResults{looks: []stats.Result{equal, {Outcome: stats.NothingAlike}}}
	case "equal-under-rule":
		return userShowing(stats.Result{Outcome: stats.EqualUnderRule, Witnessed: true})
	case "moved":
		return userShowing(stats.Result{Outcome: stats.Moved})
	case "unsteady", "unsteady-v5", "unsteady-v6", "unsteady-undocumented", "settled-in-v6", "settled-in-both":
		return userShowing(changingResult(i, word))
	case "own-list", "same-list":
		u := userShowing(equal)
		u.looks[1].List = listDigests(i, word == "same-list")
		return u
	}
	panic("there is no user of the name " + word)
}

// changingResult is that of a user for whom /Comment, or an undocumented place, changes between identical calls.
func changingResult(i int64, word string) stats.Result {
	f := differenceFinding(i, "/Comment", func(f *stats.Finding) { f.Kind = "unsteady in one version" })
	change := stats.Change{Documented: word != "unsteady-undocumented", Ended: strings.HasPrefix(word, "settled"),
		In: map[schemas.Version]bool{
			schemas.V5: !strings.HasSuffix(word, "v6"), schemas.V6: !strings.HasSuffix(word, "v5"),
		},
		Finding: f}
	outcome := stats.Unsteady
	switch {
	case change.Ended:
		outcome = stats.Moved
	case !change.Documented:
		change.Finding.Pointer, outcome = "/Nonce", stats.EqualUnderRule
	}
	return stats.Result{Outcome: outcome, Witnessed: true, Changes: []stats.Change{change}}
}

// listDigests are the digests of a list of a user, or of one that others have, too.
func listDigests(i int64, shared bool) string {
	if shared {
		return fmt.Sprintf("%016x%016x", 0, i)
	}
	return fmt.Sprintf("%016x%016x", i+1, i)
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
		f := violationFinding(i, fmt.Sprintf("/%d%s", element, pointer), asIs...)
		g := violationFinding(i, fmt.Sprintf("/%d%s", element+1, pointer), asIs...)
		f.Count = 3
		return stats.Result{Outcome: stats.BothViolate, Witnessed: true, Findings: []stats.Finding{f, g}}
	case 2:
		return stats.Result{Outcome: stats.NotComparable, Findings: []stats.Finding{openFinding(i, op)},
			Why: []string{"timeout of v5", "timeout of v6"}[random.IntN(2)]}
	case 3:
		return stats.Result{Outcome: stats.NothingAlike}
	case 4:
		return stats.Result{Outcome: stats.EqualUnderRule, Why: "volatile: " + pointer, Witnessed: true}
	case 5:
		return stats.Result{Outcome: stats.Moved, Witnessed: true}
	case 6:
		result := changingResult(i, []string{"unsteady", "unsteady-v6", "unsteady-undocumented"}[random.IntN(3)])
		result.Changes[0].Finding.Operation = op
		return result
	}
	equal := stats.Result{Outcome: stats.Equal, Witnessed: true}
	if op == schemas.FindByUserIDs {
		equal.List = listDigests(i, i%5 == 0)
	}
	return equal
}

// shuffledUsers are the same users in another order.
func shuffledUsers(users []timedResults, seed uint64) []timedResults {
	users = slices.Clone(users)
	rand.New(rand.NewPCG(seed, 1)).Shuffle(len(users), func(i, j int) { users[i], users[j] = users[j], users[i] })
	return users
}

// concludedSummary is that of a complete sweep over these users, with changes, concluded.
func concludedSummary(t *stats.Counts, changes ...func(*stats.Summary)) *stats.Summary {
	finished := started.Add(time.Hour)
	s := &stats.Summary{
		Format: stats.Format, Command: stats.SweepCommand, Complete: true, Suite: report.SuiteOf(digest),
		Sweep: "a-sweep", Started: started, Finished: &finished, Seconds: 3.5,
		Identity: stats.Identity{Contract: digest, Suite: "0.1.0",
			Target: map[schemas.Version]string{schemas.V5: "https://a.example", schemas.V6: "https://b.example"},
			Rules:  digest, Seed: 7, Shard: stats.Shard{Index: 1, Of: 1}},
		Read: stats.Population{Users: t.Users, Digest: digest}, Shards: []stats.Shard{}, Tally: t,
		Traffic: stats.Traffic{Counts: exchange.Counts{Requests: t.Requests}}, Findings: digest, Notes: []string{},
		Settings: []report.Setting{{Name: "users", Value: "u.csv", Source: "flag --users"}},
	}
	for _, change := range changes {
		change(s)
	}
	s.Conclude()
	return s
}

func setFailed(s *stats.Summary) {
	reason := "the target was given up"
	s.Error, s.Complete = &reason, false
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

func folderNames(n int) (list []string) {
	for i := range n {
		list = append(list, fmt.Sprintf("folder-%d", i+1))
	}
	return list
}

// mergeShards joins shards that fit.
func mergeShards(list []*stats.Summary) *stats.Summary {
	GinkgoHelper()
	return testkit.Must(stats.Merge(folderNames(len(list)), list, mergedAt))
}

// writeSummary is a summary as it stands in sweep.json.
func writeSummary(s *stats.Summary) string {
	GinkgoHelper()
	var b strings.Builder
	Expect(stats.Write(&b, s)).To(Succeed())
	return b.String()
}

// readSummary reads a sweep.json back.
func readSummary(text string) *stats.Summary {
	GinkgoHelper()
	return testkit.Must(stats.Read(strings.NewReader(text)))
}

// countsWithoutTimes is counts as they stand in sweep.json, with all that happened in one period.
func countsWithoutTimes(t *stats.Counts) string {
	GinkgoHelper()
	bare := *t
	bare.Times = stats.Times{Buckets: []stats.Bucket{{Outcomes: map[stats.Outcome]int64{}}}}
	for _, bucket := range t.Times.Buckets {
		bare.Times.Buckets[0].Add(bucket)
	}
	return string(testkit.Must(json.MarshalIndent(&bare, "", " ")))
}

// sampleIndexes are the places of the users who are shown for a group.
func sampleIndexes(g *stats.Group) (list []int64) {
	for _, f := range g.Sample {
		list = append(list, f.User.Index)
	}
	slices.Sort(list)
	return list
}

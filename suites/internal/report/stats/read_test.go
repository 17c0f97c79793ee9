package stats_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing/iotest"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/internal/judge/strictjson"
	"authenticator-conformance/suites/internal/report/stats"
	"authenticator-conformance/suites/internal/testkit"
)

// withNote gives a sweep.json of these users that has every member.
func withNote(users []timedResults) string {
	return writeSummary(concludedSummary(countUsers(users...), func(s *stats.Summary) { s.Notes = []string{"a note"} }))
}

// rightSummary is a sweep.json that is right, of a mixed population, and fewUsers one of five users.
var (
	rightSummary = sync.OnceValue(func() string { return withNote(mixedUsers(60, 21)) })
	fewUsers     = sync.OnceValue(func() string {
		return withNote(usersOf("difference, difference, equal, breach, incomparable"))
	})
)

// decodeObject gives a sweep.json decoded, so that a member can be changed.
func decodeObject(text string) map[string]any {
	GinkgoHelper()
	return testkit.Must(strictjson.Decode([]byte(text))).(map[string]any)
}

// gone in the place of a value leaves the member out.
const gone = "$gone"

// valueWith changes what stands at a path (a JSON Pointer without its first slash), which must be there or be new in an
// object.
func valueWith(value any, path string, to any) any {
	GinkgoHelper()
	name, rest, deeper := strings.Cut(path, "/")
	name = strings.NewReplacer("~1", "/", "~0", "~").Replace(name)
	switch value := value.(type) {
	case map[string]any:
		if deeper || to == gone {
			Expect(value).To(HaveKey(name))
		}
		switch {
		case deeper:
			value[name] = valueWith(value[name], rest, to)
		case to == gone:
			delete(value, name)
		default:
			value[name] = to
		}
	case []any:
		var i int
		Expect(json.Unmarshal([]byte(name), &i)).To(Succeed())
		Expect(len(value)).To(BeNumerically(">", i))
		if deeper {
			to = valueWith(value[i], rest, to)
		}
		value[i] = to
	default:
		Fail("there is nothing at " + path)
	}
	return value
}

// changedSummary is a sweep.json with other values: paths and values by turns.
func changedSummary(text string, changes ...any) string {
	GinkgoHelper()
	var value any = decodeObject(text)
	for i := 0; i < len(changes); i += 2 {
		value = valueWith(value, changes[i].(string), changes[i+1])
	}
	return string(testkit.Must(json.Marshal(value)))
}

// memberPointers lists the JSON Pointers of all members of a value, of lists those of the first element.
func memberPointers(prefix string, value any) (list []string) {
	switch value := value.(type) {
	case map[string]any:
		for _, name := range slices.Sorted(maps.Keys(value)) {
			place := strictjson.Pointer(prefix, name)
			list = append(append(list, place), memberPointers(place, value[name])...)
		}
	case []any:
		if len(value) > 0 {
			list = append(list, memberPointers(prefix+"/0", value[0])...)
		}
	}
	return list
}

// expectRefused expects a summary to be refused, and its counts as those of a checkpoint too, if only they were
// changed.
func expectRefused(text string, changes ...any) {
	GinkgoHelper()
	text = changedSummary(text, changes...)
	_, err := stats.Read(strings.NewReader(text))
	Expect(err).To(HaveOccurred())
}

var _ = Describe("A sweep.json that another program wrote", func() {
	DescribeTable("Is refused if something is missing, or is no count",
		func(changes ...any) { expectRefused(rightSummary(), changes...) }, testkit.Entries("changed"))

	It("Is refused without groups, also if nothing was found, and with null in a list", func() {
		expectRefused(writeSummary(concludedSummary(countUsers(usersOf("equal")...))), "tally/groups", nil)
		expectRefused(rightSummary(), "tally/groups", []any{nil})
		expectRefused(rightSummary(), "tally/times/slots", []any{nil})
	})

	DescribeTable("Is read if this or another release can have written it",
		func(changes ...any) { readSummary(changedSummary(rightSummary(), changes...)) }, testkit.Entries("taken"))

	It("May have any seed, and texts of all scripts and of more than one line", func() {
		s := readSummary(changedSummary(rightSummary(), "identity/seed", json.Number("18446744073709551615"),
			"notes/0", "Größe, 大小, حجم", "error", "one\ntwo",
			"tally/groups/0/sample/0/user/userId", `C:\users {x} <b> "q"`))
		Expect(s.Identity.Seed).To(Equal(uint64(1<<64 - 1)))
		Expect(s.Notes).To(Equal([]string{"Größe, 大小, حجم"}))
		Expect(*s.Error).To(Equal("one\ntwo"))
		Expect(s.Tally.Groups[0].Sample[0].User.UserID).To(Equal(`C:\users {x} <b> "q"`))
		Expect(writeSummary(s)).To(ContainSubstring(`{x} <b> \"q\"`), "what HTML would escape stands as it is")
	})

	// A shard may come from anywhere: what it holds is shown on a terminal, in a page and in a log.
	It("Is refused with a text or a name that could do something where it is shown, wherever it stands", func() {
		hostile := []string{"\x1b[2J", "a\u009bb", "a\u202eb", "a\rb", "\u200b"}
		for i, place := range memberPointers("", decodeObject(rightSummary())) {
			value, _ := strictjson.Lookup(decodeObject(rightSummary()), place)
			text := hostile[i%len(hostile)]
			changes := []any{place[1:], text}
			if isObject(value) {
				changes = []any{strictjson.Pointer(place, text)[1:], 1}
			}
			_, err := stats.Read(strings.NewReader(changedSummary(rightSummary(), changes...)))
			Expect(err).To(MatchError(And(ContainSubstring("holds the text"), Not(ContainSubstring(text)))), place)
		}
	})
})

func isObject(value any) bool {
	_, ok := value.(map[string]any)
	return ok
}

var _ = Describe("Reading sweep.json", func() {
	DescribeTable("Refuses what is no sweep.json", func(text, says string) {
		_, err := stats.Read(strings.NewReader(strings.ReplaceAll(text, "$whole", rightSummary())))
		Expect(err).To(MatchError(And(ContainSubstring("sweep.json"), ContainSubstring(says))))
	}, testkit.Entries("no-summary"))

	It("Refuses one of another release, by its name, if it has another format", func() {
		_, err := stats.Read(strings.NewReader(changedSummary(fewUsers(), "format", "1.2", "suite/version", "1.4.0")))
		Expect(err).To(MatchError("release 1.4.0 of the suite wrote it in format 1.2, which this release does not " +
			"read; sweep again with --restart"))
		_, err = stats.Read(strings.NewReader(`{"format":"1.0"}`))
		Expect(err).To(MatchError(HavePrefix("another release of the suite wrote it in format 1.0")))
	})

	It("Refuses one that is longer than any", func() {
		parts, mib := []io.Reader{strings.NewReader(rightSummary())}, strings.Repeat(" ", 1<<20)
		for range 64 {
			parts = append(parts, strings.NewReader(mib))
		}
		_, err := stats.Read(io.MultiReader(parts...))
		Expect(err).To(MatchError(ContainSubstring("64 MiB")))
	})

	It("Takes it from a source that gives a byte at a time, and says why a source can't be read", func() {
		s := testkit.Must(stats.Read(iotest.OneByteReader(strings.NewReader(fewUsers()))))
		Expect(writeSummary(s)).To(Equal(fewUsers()))
		_, err := stats.Read(iotest.ErrReader(errors.New("the disk is gone")))
		Expect(err).To(MatchError(ContainSubstring("the disk is gone")))
	})

	DescribeTable("Decodes counts strictly", func(text string, right bool) {
		_, err := stats.DecodeSafe([]byte(text))
		Expect(err == nil).To(Equal(right))
	},
		EntryDescription("%s: %t"),
		Entry(nil, `{"a":1}`, true), Entry(nil, `{"a":1} x`, false), Entry(nil, `{`, false),
		Entry(nil, `{"a":[1,-1]}`, false), Entry(nil, `{"a":1e400}`, false), Entry(nil, `{"a":1,"A":2}`, false),
		Entry(nil, `{"seed":1e300}`, true), Entry(nil, `{"a":"\u001b"}`, false),
	)

	It("Reads a finding with the values of each version that shows one", func() {
		f := differenceFinding(3, "/Flags")
		f.SetValue(schemas.V6, "2\"")
		f.SetValue(schemas.V5, "1")
		f.SetValue("v7", "")
		text := testkit.Must(f.MarshalJSON())
		Expect(string(text)).To(HaveSuffix(`"waived":false,"v5":"1","v6":"2\""}`))
		var again stats.Finding
		Expect(again.UnmarshalJSON(text)).To(Succeed())
		delete(f.Values, "v7")
		Expect(again).To(Equal(f))
		Expect(again.UnmarshalJSON([]byte(`{"user":1}`))).NotTo(Succeed())
		Expect(again.UnmarshalJSON([]byte(`{"v5":1}`))).NotTo(Succeed())
	})
})

var _ = Describe("A sweep.json that may hold anything", func() {
	It("Causes no panic with any value in any place, an additional member, or one that is missing", func() {
		text := changedSummary(fewUsers(), "suite/libraries", map[string]any{}, "suite/files", map[string]any{},
			"identity/shard", stats.Shard{Index: 2, Of: 3}, "population/users", 15)
		readSummary(text)
		for _, place := range append(memberPointers("", decodeObject(text)), "") {
			at, _ := strictjson.Lookup(decodeObject(text), place)
			for _, value := range []any{gone, nil, []any{}, []any{nil}} {
				var changed []string
				if place != "" {
					changed = append(changed, changedSummary(text, place[1:], value))
				}
				if isObject(at) && value != gone {
					changed = append(changed, changedSummary(text, (place + "/x")[1:], value))
				}
				for _, text := range changed {
					what := fmt.Sprintf("%v at or in %s", value, place)
					Expect(func() { Expect(acceptAndUse(text)).To(Succeed(), what) }).NotTo(Panic(), what)
				}
			}
		}
	})

	It("Causes no panic if nothing was asked of any version", func() {
		none := map[string]any{}
		Expect(acceptAndUse(changedSummary(withNote(usersOf("equal")), "minServed", "5", "identity/target", none,
			"tally/servedBy/getUserAuth", none, "tally/servedBy/findByUserIds", none))).To(Succeed())
	})
})

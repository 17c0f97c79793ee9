package stats_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"
	"sync"
	"testing/iotest"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"authenticator-conformance/suites/internal/stats"
)

// whole is a sweep.json that is right, of a mixed population.
var whole = sync.OnceValue(func() string {
	var b bytes.Buffer
	if err := stats.Write(&b, concludedSummary(countUsers(mixedUsers(60, 21)...),
		func(s *stats.Summary) { s.Notes = []string{"a note"} })); err != nil {
		panic(err) // it is made here
	}
	return b.String()
})

// decodeObject gives a sweep.json decoded, so that a member can be changed.
func decodeObject(text string) map[string]any {
	GinkgoHelper()
	decoder := json.NewDecoder(strings.NewReader(text))
	decoder.UseNumber()
	var value map[string]any
	Expect(decoder.Decode(&value)).To(Succeed())
	return value
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
		switch {
		case deeper:
			Expect(value).To(HaveKey(name))
			value[name] = valueWith(value[name], rest, to)
		case to == gone:
			Expect(value).To(HaveKey(name))
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
	content, err := json.Marshal(value)
	Expect(err).NotTo(HaveOccurred())
	return string(content)
}

var _ = Describe("Reading sweep.json", func() {
	DescribeTable("gives back what was written", func(s *stats.Summary) {
		text := writeSummary(s)
		again := readSummary(text)
		Expect(writeSummary(again)).To(Equal(text))
		again.Conclude()
		Expect(writeSummary(again)).To(Equal(text))
	},
		everyKindEntries(),
	)

	It("takes it from any source, also one that gives a byte at a time", func() {
		s, err := stats.Read(iotest.OneByteReader(strings.NewReader(whole())))
		Expect(err).NotTo(HaveOccurred())
		Expect(writeSummary(s)).To(Equal(whole()))
	})

	It("takes one of a later release, which has more members", func() {
		s, err := stats.Read(strings.NewReader(changedSummary(whole(), "tally/users2", 3)))
		Expect(err).NotTo(HaveOccurred())
		Expect(writeSummary(s)).To(Equal(whole()))
	})

	It("tells why a source can't be read", func() {
		_, err := stats.Read(iotest.ErrReader(errors.New("the disk is gone")))
		Expect(err).To(MatchError(ContainSubstring("the disk is gone")))
	})

	DescribeTable("refuses what is no sweep.json", func(change func(string) string, texts ...string) {
		_, err := stats.Read(strings.NewReader(change(whole())))
		Expect(err).To(HaveOccurred())
		for _, text := range append(texts, "sweep.json") {
			Expect(err.Error()).To(ContainSubstring(text))
		}
	},
		Entry("nothing", func(string) string { return "" }),
		Entry("a list", func(s string) string { return "[" + s + "]" }),
		Entry("one that was cut off", func(s string) string { return s[:len(s)/2] }),
		Entry("one with something behind it", func(s string) string { return s + "}" }),
		Entry("one with a member twice", func(s string) string {
			return strings.Replace(s, `"lumped": 0`, `"lumped": 0, "lumped": 3`, 1)
		}, "lumped"),
		Entry("a number that is a text", func(s string) string { return changedSummary(s, "tally/users", "60") }),
		Entry("a time that is none", func(s string) string { return changedSummary(s, "started", "yesterday") }),
		Entry("one that is longer than any", func(s string) string { return s + strings.Repeat(" ", 64<<20) },
			"64 MiB"),
		Entry("bytes that are no text", func(s string) string {
			return strings.Replace(s, `"a-sweep"`, "\"\xff\"", 1)
		}),
	)

	It("is written for people too: what HTML would escape stands as it is", func() {
		Expect(writeSummary(concludedSummary(stats.New(1),
			func(s *stats.Summary) { s.Notes = []string{"a <b> & c"} }))).To(
			ContainSubstring(`"a <b> & c"`))
	})

	It("refuses null", func() {
		_, err := stats.Read(strings.NewReader("null"))
		Expect(err).To(HaveOccurred())
	})

	DescribeTable("refuses another format", func(format string, right bool) {
		_, err := stats.Read(strings.NewReader(changedSummary(whole(), "format", format)))
		if right {
			Expect(err).NotTo(HaveOccurred())
		} else {
			Expect(err).To(MatchError(ContainSubstring("format")))
		}
	},
		Entry("its own", stats.Format, true),
		Entry("an earlier one", "1.0", true),
		Entry("a later one that only adds", "1.7", true),
		Entry("none", "", false),
		Entry("the next", "2.0", false),
		Entry("one that begins alike", "10.0", false),
	)

	// A shard may come from anywhere: what it holds is shown on a terminal, in a page and in a log.
	DescribeTable("refuses a text that could do something where it is shown", func(path string) {
		for _, text := range []string{"\x1b[2J", "a\u009bb", "a\u202eb", "a\rb", "\u200b"} {
			where, to := strings.ReplaceAll(path, "NAME", text), any(text)
			if where != path {
				to = 1
			}
			_, err := stats.Read(strings.NewReader(changedSummary(whole(), where, to)))
			Expect(err).To(MatchError(ContainSubstring("holds the text")))
			Expect(err.Error()).NotTo(ContainSubstring(text), "nor does the error show it as it is")
		}
	},
		Entry("the sweep's id", "sweep"),
		Entry("the reason", "reason"),
		Entry("the name of a library", "suite/libraries/NAME"),
		Entry("the digest of the population", "population/digest"),
		Entry("the error", "error"),
		Entry("a reason", "tally/outcomes/getUserAuth/drift/why/NAME"),
		Entry("an outcome of a bucket", "tally/times/slots/0/outcomes/NAME"),
		Entry("a group's place", "tally/groups/0/pointer"),
		Entry("what a user shows", "tally/groups/0/sample/0/actual"),
		Entry("the name of a member that nobody knows", "NAME"),
	)

	It("takes texts of all scripts, and of more than one line", func() {
		s := readSummary(changedSummary(whole(), "notes/0", "Größe, 大小, حجم", "error", "one\ntwo",
			"tally/groups/0/sample/0/user/userId", `C:\users {x} <b> "q"`))
		Expect(s.Notes).To(Equal([]string{"Größe, 大小, حجم"}))
		Expect(s.Tally.Groups[0].Sample[0].User.UserID).To(Equal(`C:\users {x} <b> "q"`))
	})
})

package evidence_test

import (
	"bytes"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	"github.com/santhosh-tekuri/jsonschema/v6"

	"authenticator-conformance/suites/internal/judge/exchange"
	"authenticator-conformance/suites/internal/report/evidence"
	"authenticator-conformance/suites/internal/settings"
	"authenticator-conformance/suites/internal/testkit"
)

// harSchemas is where `npm ci --prefix .ci` puts the JSON Schemas of HAR 1.2 (package har-schema).
var harSchemas = filepath.Join("..", "..", "..", "..", ".ci", "node_modules", "har-schema", "lib")

// harSchema compiles the schema of an archive, and skips the spec where it is not installed.
func harSchema() *jsonschema.Schema {
	GinkgoHelper()
	files := testkit.Must(filepath.Glob(filepath.Join(harSchemas, "*.json")))
	if len(files) == 0 {
		const missing = "the schema of HAR is not installed; install it with: npm ci --prefix .ci"
		if os.Getenv("CONFORMANCE_REQUIRE_BROWSER") == "1" {
			Fail(missing)
		}
		Skip(missing)
	}
	compiler := jsonschema.NewCompiler()
	compiler.AssertFormat()
	for _, file := range files {
		document := testkit.Must(jsonschema.UnmarshalJSON(bytes.NewReader(testkit.Read(file))))
		Expect(compiler.AddResource("file:///"+filepath.Base(file), document)).To(Succeed())
	}
	return testkit.Must(compiler.Compile("file:///har.json"))
}

var _ = Describe("The archive", func() {
	It("has an entry for each exchange, with the values of credentials and cookies hidden", func() {
		f := newFixture(withHeaders(settings.Header{Name: "Authorization", Value: "Bearer kJ3nR8vT1yM6pQ4sW9zB2cF7"},
			settings.Header{Name: "X-Tenant", Value: "tenant-5Gk9Qw2Lz8Xr4Vn7Hd3Ts6"}))
		guarded := answeredExchange("e8", "{}")
		guarded.Header = http.Header{"X-Other": {"session=abc"}, "Www-Authenticate": {`Digest realm="x", nonce="abc"`,
			"Negotiate"}, "Proxy-Authenticate": {"Basic realm=x"}}
		for _, name := range []string{"Set-Cookie", "Set-Cookie2", "Cookie", "Authorization", "Proxy-Authorization",
			"Authentication-Info", "Proxy-Authentication-Info"} {
			guarded.Header.Set(name, "session=abc")
		}
		f.keepAll(append(exchangesOfEachSort(), guarded)...)
		lines := strings.SplitAfter(string(f.makeArchive()), "\n")
		testkit.ExpectGolden(filepath.Join("testdata", "entries.jsonl"), strings.Join(lines[1:len(lines)-4], ""))
	})

	It("keeps to the schema of HAR 1.2, whatever a target answers", func() {
		schema := harSchema()
		check := func(archive []byte) error {
			return schema.Validate(testkit.Must(jsonschema.UnmarshalJSON(bytes.NewReader(archive))))
		}
		f := newFixture()
		Expect(check(f.makeArchive())).To(Succeed(), "without any entry")
		f.keepAll(exchangesOfEachSort()...)
		for i, change := range []func(*exchange.Exchange){
			func(ex *exchange.Exchange) { ex.Header = nil },
			func(ex *exchange.Exchange) { ex.Status, ex.Proto = 999, "HTTP/2.0" },
			func(ex *exchange.Exchange) { ex.Duration = 0 },
			func(ex *exchange.Exchange) { ex.Header.Set("Location", "not a URL at all: \xff") },
			func(ex *exchange.Exchange) { ex.Body = bytes.Repeat([]byte("x"), 1<<20+1) },
			func(ex *exchange.Exchange) { ex.Body = []byte("<script>" + token) },
		} {
			ex := answeredExchange(fmt.Sprintf("changed-%d", i), "{}")
			change(ex)
			f.keepAll(ex)
		}
		Expect(check(f.makeArchive())).To(Succeed())
		broken := bytes.Replace(f.makeArchive(), []byte(`"redirectURL":`), []byte(`"redirect":`), 1)
		Expect(check(broken)).NotTo(Succeed(), "the schema says something")
	})

	It("has the order sent, while requests and answers cross each other", func() {
		f := newFixture()
		const many, workers = 20, 16
		var wait sync.WaitGroup
		for range workers {
			wait.Go(func() {
				for range many {
					slot := f.writer.Sending()
					id := fmt.Sprint("e", slot)
					f.writer.Sent(slot, f.run.Requests, answeredExchange(id, fmt.Sprintf("%q", id)), agent)
					if k, err := f.writer.Entry(id); err != nil || k.Probe.ID != id {
						panic(fmt.Sprintf("%s was kept and reads %v, %v", id, k, err))
					}
				}
			})
		}
		wait.Wait()
		archive := f.makeArchive()
		e := parseArchive(archive)
		ids := idsOf(archive)
		Expect(ids).To(HaveLen(many * workers))
		for slot, id := range ids {
			Expect(id).To(Equal(fmt.Sprint("e", slot)))
			Expect(string(testkit.Must(e.Entry(id)).Body)).To(Equal(fmt.Sprintf("%q", id)))
		}
	})

	It("leaves out a request that was still under way when the process ended", func() {
		f := newFixture()
		f.writer.Sending()
		Expect(idsOf(f.makeArchive())).To(BeEmpty())
		Expect(parseArchive(f.makeArchive()).Settings.Users).To(HaveLen(1))
		f.keepAll(answeredExchange("e2", "{}"))
		f.writer.Sending()
		Expect(idsOf(f.makeArchive())).To(Equal([]string{"e2"}))
	})

	It("has every answer of a request that was throttled, of which the last counts, and no other request", func() {
		f := newFixture()
		throttled := answeredExchange("e1", `"later"`)
		throttled.Status = http.StatusTooManyRequests
		first, second := f.writer.Sending(), f.writer.Sending()
		// The order in which they are kept says nothing.
		f.writer.Sent(second, f.run.Requests, answeredExchange("e1", `"now"`), agent)
		f.writer.Sent(first, f.run.Requests, throttled, agent)
		archive := f.makeArchive()
		Expect(idsOf(archive)).To(Equal([]string{"e1", "e1"}))
		for _, store := range []evidence.Store{f.writer, parseArchive(archive)} {
			Expect(string(testkit.Must(store.Entry("e1")).Body)).To(Equal(`"now"`))
			_, err := store.Entry("e17")
			Expect(err).To(MatchError(exchange.ErrNotRecorded))
			Expect(err).To(MatchError(HavePrefix("e17: ")))
		}
	})

	It("is an error if an exchange could not be written", func() {
		f := newFixture()
		f.writer.Close()
		f.keepAll(answeredExchange("e1", "{}"), answeredExchange("e2", "{}"))
		err := f.writer.WriteArchive(&bytes.Buffer{}, evidence.RecordOf(f.run.Result(nil), f.out))
		Expect(err).To(MatchError(ContainSubstring("keeping the evidence")))
	})
})

var _ = Describe("A body", func() {
	DescribeTable("past 1 MiB is cut, with its digest and full size", func(unit string, size int, cut bool) {
		body := strings.Repeat(unit, size/len(unit)+1)[:size]
		k := newFixture().readBack(answeredExchange("e1", body))
		Expect(k.Length()).To(Equal(size))
		if !cut {
			Expect(k.Cut).To(BeNil())
			Expect(string(k.Body)).To(Equal(body))
			return
		}
		Expect(k.Cut).To(Equal(&exchange.Cut{Size: size, Digest: exchange.DigestOf([]byte(body))}))
		Expect(string(k.Body)).To(Equal(body[:1<<20]))
	},
		Entry("just not", "a", 1<<20, false),
		Entry("by one byte", "a", 1<<20+1, true),
		Entry("in the middle of a character", "日", 1<<20+2, true),
	)

	It("past 256 MiB in all is left out, but for its digest and size", func() {
		f := newFixture()
		f.writer.UseBudget(len("{}"))
		f.keepAll(answeredExchange("last", "{}"), answeredExchange("past", "[]"), answeredExchange("empty", ""))
		cuts := map[string]*exchange.Cut{}
		for _, id := range []string{"last", "past", "empty"} {
			k := testkit.Must(f.writer.Entry(id))
			cuts[string(k.Body)+id] = k.Cut
		}
		Expect(cuts).To(Equal(map[string]*exchange.Cut{"{}last": nil, "empty": nil,
			"past": {Size: 2, Digest: exchange.DigestOf([]byte("[]"))}}))
	})
})

package evidence_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"sync"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"authenticator-conformance/suites/internal/evidence"
	"authenticator-conformance/suites/internal/exchange"
)

var _ = Describe("The order of the entries", func() {
	ids := func(archive []byte) []string {
		GinkgoHelper()
		list := []string{}
		for _, e := range entriesOf(archive) {
			list = append(list, e.Exchange)
		}
		return list
	}

	It("is the order sent, whatever the order in which answers come", func() {
		d := newFixture()
		const many = 500
		ranges, want := make([]int, many), make([]string, many)
		for i := range many {
			ranges[i] = d.writer.Sending()
			want[i] = fmt.Sprintf("e%d", i+1)
		}
		var wait sync.WaitGroup
		for _, i := range rand.New(rand.NewPCG(1, 2)).Perm(many) {
			wait.Go(func() {
				d.writer.Sent(ranges[i], answeredExchange(want[i], fmt.Sprintf(`{"Id":"%d"}`, i)),
					agent)
			})
		}
		wait.Wait()
		Expect(ids(d.archive())).To(Equal(want))
	})

	It("holds while requests and answers cross each other, and each answer stays with its request", func() {
		d := newFixture()
		const many, workers = 60, 16
		var wait sync.WaitGroup
		for worker := range workers {
			wait.Go(func() {
				for i := range many {
					slot := d.writer.Sending()
					id := fmt.Sprintf("e%d-%d", worker, i)
					d.writer.Sent(slot, answeredExchange(id, fmt.Sprintf(`{"Turn":%d,"Exchange":%q}`, slot, id)), agent)
					k, err := d.writer.Entry(id)
					if err != nil || k.Probe.ID != id {
						panic(fmt.Sprintf("%s was kept and reads %v, %v", id, k, err))
					}
				}
			})
		}
		wait.Wait()
		entries := entriesOf(d.archive())
		Expect(entries).To(HaveLen(many * workers))
		for slot, e := range entries {
			Expect(e.Response.Content.Text).To(Equal(fmt.Sprintf(`{"Turn":%d,"Exchange":%q}`, slot, e.Exchange)))
		}
	})

	It("leaves out a request that was still under way when the process ended", func() {
		d := newFixture()
		d.writer.Sending()
		d.keep(answeredExchange("e2", "{}"))
		d.writer.Sending()
		Expect(ids(d.archive())).To(Equal([]string{"e2"}))
	})

	It("is kept of an archive without any entry", func() {
		d := newFixture()
		Expect(ids(d.archive())).To(BeEmpty())
		Expect(parseArchive(d.archive()).Settings.Users).To(HaveLen(1))
	})

	It("keeps every answer of a request that was throttled, and gives the last", func() {
		d := newFixture()
		first, second := answeredExchange("e1", `"later"`), answeredExchange("e1", `"now"`)
		first.Status = 429
		ranges := []int{d.writer.Sending(), d.writer.Sending()}
		// The order in which they are kept says nothing.
		d.writer.Sent(ranges[1], second, agent)
		d.writer.Sent(ranges[0], first, agent)
		archive := d.archive()
		Expect(ids(archive)).To(Equal([]string{"e1", "e1"}))
		for _, store := range []evidence.Store{d.writer, parseArchive(archive)} {
			k, err := store.Entry("e1")
			Expect(err).NotTo(HaveOccurred())
			Expect(string(k.Body)).To(Equal(`"now"`))
		}
	})

	It("makes the same archive of the same exchanges", func() {
		d := newFixture()
		ex := answeredExchange("e1", "{}")
		for i := range 40 {
			ex.Header.Add(fmt.Sprintf("X-%d", i%7), fmt.Sprint(i))
		}
		d.keep(ex)
		again := &fixture{d.run, d.out, newFixture().writer}
		again.writer.ForRun(d.run.Requests, d.out)
		again.keep(ex)
		Expect(again.archive()).To(Equal(d.archive()))
		Expect(d.archive()).To(Equal(d.archive()))
	})

	It("returns an error with the id of an exchange that was never sent", func() {
		d := newFixture()
		d.keep(answeredExchange("e1", "{}"))
		for _, store := range []evidence.Store{d.writer, parseArchive(d.archive())} {
			_, err := store.Entry("e17")
			Expect(err).To(MatchError(exchange.ErrNotRecorded))
			Expect(err).To(MatchError(ContainSubstring("e17")))
		}
	})

	It("is reported where it can't be written", func() {
		d := newFixture()
		d.keep(answeredExchange("e1", "{}"))
		d.writer.Close()
		d.keep(answeredExchange("e2", "{}"))
		err := d.writer.WriteArchive(&bytes.Buffer{}, evidence.RecordOf(d.run, d.out, nil))
		Expect(err).To(MatchError(ContainSubstring("keeping the evidence")))
	})
})

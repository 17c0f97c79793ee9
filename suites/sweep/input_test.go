package sweep_test

import (
	"context"
	"errors"
	"io"
	"net/http/httptest"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"authenticator-conformance/suites/internal/ledger"
	"authenticator-conformance/suites/internal/settings"
	"authenticator-conformance/suites/internal/stats"
	"authenticator-conformance/suites/internal/testkit"
	"authenticator-conformance/suites/sweep"
)

var _ = Describe("A standard input", func() {
	It("does not block the end of the sweep if it is idle, and the users read so far are kept", func() {
		url := serveUntilEnd(httptest.NewServer(validFor(3)))
		like := newSweep(url, inventedUsers(1), withConcurrency(4))
		like.Settings.UsersFile = settings.StandardInput
		in, out := io.Pipe()
		w := sweep.New(like.Settings, testkit.Suite(), sweep.Options{Shard: stats.Shard{Index: 1, Of: 1}},
			sweep.Input{Stdin: in})

		ctx, cancel := context.WithCancelCause(context.Background())
		ended := make(chan error, 1)
		go func() { ended <- w.Execute(ctx) }()
		text := "id,userId\n"
		for _, p := range inventedUsers(3) {
			text += p.ID + "," + p.UserID + "\n"
		}
		_, err := io.WriteString(out, text)
		Expect(err).NotTo(HaveOccurred())
		Consistently(ended, 300*time.Millisecond).ShouldNot(Receive(), "there may be more to come")
		cancel(errors.New("interrupted"))
		Eventually(ended, 10*time.Second).Should(Receive(BeNil()))
		s := w.Summary(time.Now(), nil)
		Expect(s.Verdict).To(Equal(ledger.Fault))
		Expect(s.Complete).To(BeFalse())
		Expect(s.Tally.Users).To(BeNumerically(">=", 2), "the last one may wait for what follows its line")
		Expect(out.Close()).To(Succeed())
	})

	for name, options := range map[string]sweep.Options{"of whom nobody has come": {},
		"of whom a sample is drawn": {Sample: 5, Seed: 1}} {
		It("does not block the end of the sweep if it has users "+name, func() {
			options.Shard = stats.Shard{Index: 1, Of: 1}
			like := newSweep("http://127.0.0.1:1", inventedUsers(1))
			like.Settings.UsersFile = settings.StandardInput
			in, out := io.Pipe()
			defer out.Close()
			w := sweep.New(like.Settings, testkit.Suite(), options, sweep.Input{Stdin: in})
			ctx, cancel := context.WithCancelCause(context.Background())
			ended := make(chan error, 1)
			go func() { ended <- w.Execute(ctx) }()
			Consistently(ended, 100*time.Millisecond).ShouldNot(Receive())
			cancel(errors.New("interrupted"))
			Eventually(ended, 10*time.Second).Should(Receive(BeNil()))
			s := w.Summary(time.Now(), nil)
			Expect(s.Verdict).To(Equal(ledger.Fault))
			Expect(s.Reason).To(ContainSubstring("start it again"))
		})
	}
})

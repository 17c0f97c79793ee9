package main

import (
	"net/url"
	"testing"
	"time"

	. "github.com/onsi/gomega"
	"github.com/onsi/gomega/gbytes"

	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/internal/settings"
	"authenticator-conformance/suites/internal/stats"
	"authenticator-conformance/suites/internal/throttle"
	"authenticator-conformance/suites/sweep"
)

func TestALogSaysHowFarASweepIsAlsoWhileNothingIsSent(t *testing.T) {
	g := NewWithT(t)
	suite, err := embedded()
	g.Expect(err).NotTo(HaveOccurred())
	hour := func(d time.Duration) string { return time.Now().Add(d * time.Hour).Format("15:04") }
	window, err := throttle.ParseWindow(hour(2) + "-" + hour(3))
	g.Expect(err).NotTo(HaveOccurred())
	options := sweep.Options{Shard: stats.Shard{Index: 8, Of: 16}, Window: window}
	target := &url.URL{Scheme: "http", Host: "127.0.0.1:9"}
	w := sweep.New(&settings.Settings{
		Concurrency: 1, AccessToken: "a-token-of-the-target", Versions: schemas.Versions(),
		URLs: map[schemas.Version]*url.URL{schemas.V5: target, schemas.V6: target},
	}, suite, options, sweep.Input{})
	log := gbytes.NewBuffer()
	stop := (&app{stderr: log}).showSweep(w, time.Millisecond, time.Millisecond)
	w.Progress(sweep.Progress{Users: 1200, Part: 0.25})
	g.Eventually(log).Should(
		gbytes.Say(`(?m)^\S+Z shard 8/16: 1,200 users, 0/s, 0 different \(waiting for the window to open\), 25% done$`))
	stop()
	at := len(log.Contents())
	g.Consistently(func() int { return len(log.Contents()) }, "20ms").Should(Equal(at), "it ends with the sweep")
}

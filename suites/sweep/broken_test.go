package sweep_test

import (
	"errors"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/internal/checkpoint"
	"authenticator-conformance/suites/internal/sanitize"
	"authenticator-conformance/suites/internal/settings"
	"authenticator-conformance/suites/internal/testkit"
	"authenticator-conformance/suites/sweep"
)

var _ = Describe("A sweep whose findings can't be written", func() {
	It("is resumed with the user whose findings are incomplete", func(ctx SpecContext) {
		// The first of two differences is written; the second one would show what must not be shown.
		const secret = "lantern-7731-keepsake"
		s := &stage{op: schemas.GetUserAuth, v5: alwaysReply(okReply(record)),
			v6: alwaysReply(okReply(recordWith(`"desk"`, `"shelf","Zone":"`+secret+`"`)))}
		plain := newSweep(s.serve(), []testUser{{ID: witnessID, UserID: witness}, {ID: subjectID, UserID: subject}})
		w := sweep.New(plain.Settings, testkit.Suite(), plain.Options, sweep.Input{Out: sanitize.WithHole(secret)})
		var leak *sanitize.Leak
		Expect(errors.As(w.Execute(ctx), &leak)).To(BeTrue())

		again := newSweep("http://127.0.0.1", nil, func(now *settings.Settings, o *sweep.Options) {
			*now, o.Resume = *plain.Settings, true
		})
		out := leftoversOf(again, again.Execute(ctx))
		Expect(out.found(0, schemas.GetUserAuth)).To(BeEmpty())
		Expect(out.found(1, schemas.GetUserAuth)).To(
			ConsistOf(ofValues+"value at /Description", ofShape+"member added at /Zone"))
	})

	It("leaves no checkpoint after the last complete finding", func() {
		folder := GinkgoT().TempDir()
		Expect(sweep.CheckpointWithout(folder)).NotTo(Succeed())
		Expect(checkpoint.Begun(folder)).To(BeFalse())
	})
})

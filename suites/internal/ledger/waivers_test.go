package ledger_test

import (
	"cmp"
	"fmt"
	"strings"
	"time"

	. "github.com/onsi/ginkgo/v2"

	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/internal/ledger"
	"authenticator-conformance/suites/internal/settings"
	"authenticator-conformance/suites/internal/testkit"
)

// A waiverCase is what waivers do to rows. testdata/waivers.yaml says what its fields mean.
type waiverCase struct {
	Name, Rows string
	Waivers    []struct {
		Verdict, Requirement, Pattern, Where, Until string
		Version                                     schemas.Version
	}
}

// ledgerOf returns a closed ledger with these rows.
func (c waiverCase) ledgerOf() *ledger.Ledger {
	GinkgoHelper()
	l := passEveryRow(newLedger())
	keys := []ledger.Key{{ID: "2.1/Id", Version: schemas.V5}, {ID: "2.1/Id", Version: schemas.V6},
		{ID: "2.1/Flags", Version: schemas.V5}, {ID: "2.1/Flags", Version: schemas.V6}}
	for i, state := range c.Rows {
		row := l.Row(keys[i])
		switch state {
		case 'f':
			failRow(l, row.ID, row.Version)
		case 'i':
			row.Witnesses = 0
		case 'n':
			row.Witnesses, row.Reason = 0, ledger.NotRun
		case '-':
			row.Selected = false
		}
	}
	l.Close(true)
	return l
}

func (c waiverCase) listWaivers() (list []settings.Waiver) {
	GinkgoHelper()
	for _, w := range c.Waivers {
		list = append(list, settings.Waiver{Requirement: cmp.Or(w.Requirement, "2.1/Id"), Version: w.Version,
			Verdict: w.Verdict, Pattern: w.Pattern, Reason: "known to the owner", Where: cmp.Or(w.Where, "file:3"),
			Until: testkit.Must(time.Parse(time.DateOnly, cmp.Or(w.Until, "2026-12-31")))})
	}
	return list
}

var _ = It("Waivers set aside what they say, and those that are stale or without effect say what they need", func() {
	var text strings.Builder
	for _, c := range testkit.Cases[waiverCase]("testdata/waivers.yaml") {
		fmt.Fprintf(&text, "%s (%s)\n", c.Name, c.Rows)
		l := c.ledgerOf()
		stale, named := l.Waive(c.listWaivers(), time.Date(2026, 6, 15, 12, 0, 0, 0, time.UTC))
		for _, row := range l.Rows() {
			if row.Waiver != nil {
				fmt.Fprintf(&text, "  sets aside %s: %s, until %s\n", row.Key, row.Waiver.Reason,
					row.Waiver.Until.Format(time.DateOnly))
			}
		}
		for _, message := range stale {
			fmt.Fprintf(&text, "  stale: %s\n", message)
		}
		for _, message := range named {
			fmt.Fprintf(&text, "  named: %s\n", message)
		}
	}
	testkit.ExpectGolden("testdata/waivers.txt", text.String())
})

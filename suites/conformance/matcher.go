package conformance

import (
	"fmt"

	gomegatypes "github.com/onsi/gomega/types"

	"authenticator-conformance/suites/internal/ledger"
	"authenticator-conformance/suites/internal/report"
	"authenticator-conformance/suites/internal/run"
)

// passOf matches a row whose verdict is pass; its failure text is all that there is to say of the row.
func passOf(r *run.Run) gomegatypes.GomegaMatcher { return &pass{r} }

type pass struct{ run *run.Run }

func (p *pass) Match(actual any) (bool, error) {
	row, ok := actual.(*ledger.Row)
	if !ok {
		return false, fmt.Errorf("pass matches a row of the ledger, not a %T", actual)
	}
	return row.Verdict() == ledger.Pass, nil
}

func (p *pass) FailureMessage(actual any) string {
	return report.Explain(p.run, actual.(*ledger.Row))
}

func (p *pass) NegatedFailureMessage(actual any) string {
	return actual.(*ledger.Row).Key.String() + " passes"
}

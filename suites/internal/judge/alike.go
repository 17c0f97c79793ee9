package judge

import (
	"fmt"
	"reflect"

	"authenticator-conformance/suites/internal/exchange"
)

// Alike tells whether two exchanges for one probe are judged alike, whatever their texts are.
func (j *Judge) Alike(a, b *exchange.Exchange) bool {
	return reflect.DeepEqual(j.outline(a), j.outline(b))
}

func (j *Judge) judged(ex *exchange.Exchange) *Judgement {
	if ex.Probe.WellFormed() {
		return j.WellFormed(ex)
	}
	return j.Altered(ex)
}

// outline is what matters of a judgement.
type outline struct {
	served, telling bool
	rows            map[string][]string
	facts           Facts
}

func (j *Judge) outline(ex *exchange.Exchange) outline {
	result := j.judged(ex)
	o := outline{served: result.Answer.Served(), telling: result.Answer.Telling(), rows: map[string][]string{}, facts: Facts{}}
	for id, row := range result.Rows {
		texts := []string{fmt.Sprint(row.Witnesses, " witnesses, ", row.Count, " findings")}
		for _, f := range row.Findings {
			texts = append(texts, f.Kind+" "+f.Pointer)
		}
		for _, c := range row.Causes {
			texts = append(texts, fmt.Sprint(c.Kind, " ", c.Pointer, " ", c.Count))
		}
		o.rows[id] = texts
	}
	for _, facts := range []Facts{result.Facts, result.Told} {
		for fact, times := range facts {
			o.facts[fact] += times
		}
	}
	return o
}

package report

import (
	"fmt"
	"slices"
	"time"

	"authenticator-conformance/suites/internal/judge/exchange"
	"authenticator-conformance/suites/internal/judge/wording"
)

// RecordedWords describes the record of a version that was read instead of asking it, for the first lines of a report.
// The other version was asked at a time.
func RecordedWords(r *exchange.Recorded, asked time.Time) string {
	const day = 24 * time.Hour
	age := wording.Count(int64(asked.Sub(r.Started)/day), "day")
	return fmt.Sprintf("%s, %s; %s before the other version was asked, on %s; it certifies nothing", r,
		wording.Count(r.Users, "user"), age, asked.UTC().Format(time.DateOnly))
}

// Recorded puts what was recorded into the first lines of a document.
func (d *Document) Recorded(name, text string) {
	d.Lead = append(d.Lead, name+" "+text)
	d.Head = slices.Insert(d.Head, min(1, len(d.Head)), Fact{Name: name, Value: text})
}

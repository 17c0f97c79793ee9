package evidence

import (
	"bytes"
	"io"

	"authenticator-conformance/suites/internal/exchange"
	"authenticator-conformance/suites/internal/hide"
)

// Hidden gives reports the exchanges and the archive of evidence that is judged again with its values hidden.
type Hidden struct {
	past    *Evidence
	entries *Entries
}

// Hidden returns the evidence with its values hidden, by the key of the given requests.
func (e *Evidence) Hidden(requests *exchange.Requests) *Hidden {
	return &Hidden{e, NewEntries(requests)}
}

// Entry returns an exchange by its id, or an error that wraps exchange.ErrNotRecorded.
func (h *Hidden) Entry(id string) (*Entry, error) {
	k, err := h.past.Entry(id)
	if err != nil {
		return nil, err
	}
	return h.hide(k), nil
}

func (h *Hidden) hide(k *Entry) *Entry {
	ex := k.Exchange
	ex.HideStored(h.entries.requests.Values())
	return h.entries.entry(&ex, k.Sent.Get("User-Agent"))
}

// WriteArchive writes the archive with its values hidden.
func (h *Hidden) WriteArchive(out io.Writer) error {
	record := h.past.Record
	record.Values = hide.Mode
	if record.Error != nil {
		why := HiddenError
		record.Error = &why
	}
	record.Settings.Users = []user{}
	for _, u := range h.past.Settings.Users {
		record.Settings.Users = append(record.Settings.Users, h.entries.storedUser(exchange.Probe{User: u}))
	}
	var failed error
	err := writeArchive(out, record, func(yield func(io.Reader) bool) {
		for _, k := range h.past.all {
			text, err := encode(entryOf(h.hide(k)))
			if err != nil {
				failed = err
				return
			}
			if !yield(bytes.NewReader(text)) {
				return
			}
		}
	})
	if failed != nil {
		return failed
	}
	return err
}

// HiddenError is the error of a run that is judged again with its values hidden: the original text may quote an answer.
const HiddenError = "the run itself was not carried out to its end; why is hidden (setting values), " +
	"and is in the evidence that was judged"

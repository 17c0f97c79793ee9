package evidence

import (
	"bytes"
	"io"

	"authenticator-conformance/suites/internal/ask/requests"
	"authenticator-conformance/suites/internal/settings"
)

// Hidden gives reports the exchanges and the archive of evidence that is judged again with its values hidden.
type Hidden struct {
	past     *Evidence
	requests *requests.Requests
	out      *output
}

// Hidden returns the evidence with its values hidden, by the key of the given way out.
func (e *Evidence) Hidden(requests *requests.Requests, out *output) *Hidden {
	return &Hidden{e, requests, out}
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
	return stored(h.out, h.requests, &k.Exchange, k.Sent.Get("User-Agent"))
}

// WriteArchive writes the archive with its values hidden.
func (h *Hidden) WriteArchive(out io.Writer) error {
	record := h.past.Record
	record.Values = settings.ValuesHide
	if record.Error != nil {
		why := hiddenError
		record.Error = &why
	}
	record.Settings.Settings, record.Observed = *h.out.Settings(h.past.Settings), h.out.Observed(record.Observed)
	return writeArchive(out, record, func(yield func(io.Reader) bool) {
		for _, k := range h.past.all {
			if !yield(bytes.NewReader(h.hide(k).text())) {
				return
			}
		}
	})
}

// hiddenError is the error of a run that is judged again with its values hidden: the original text may quote an answer.
const hiddenError = "the run itself was not carried out to its end; why is hidden (setting values), " +
	"and is in the evidence that was judged"

package evidence

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"iter"
	"os"
	"sync"

	"authenticator-conformance/suites/internal/ask/requests"
	"authenticator-conformance/suites/internal/judge/exchange"
	"authenticator-conformance/suites/internal/judge/strictjson"
	"authenticator-conformance/suites/internal/report"
)

// maxStored is how many bytes of bodies are stored in all. After that only a body's size and digest are stored.
const maxStored = 256 << 20

// Writer is a Store that saves a run's exchanges to disk while the run goes on. If the system allows it, its file has
// no name, so a crash leaves nothing behind. It is safe for concurrent use.
type Writer struct {
	out *output

	mu     sync.Mutex
	spool  *os.File
	size   int64 // bytes in the spool
	stored int   // bytes of bodies
	ranges []fileRange
	last   map[string]int // the last number with each exchange id
	err    error
}

// fileRange is the place of one entry in the spool.
type fileRange struct{ offset, size int64 }

// NewWriter returns a Writer whose file is in the existing folder dir. out is the way out of the run.
func NewWriter(dir string, out *output) (*Writer, error) {
	spool, err := os.CreateTemp(dir, ".evidence-*")
	if err != nil {
		return nil, err
	}
	_ = os.Remove(spool.Name()) // if an open file can't be removed, Close does it
	return &Writer{out: out, spool: spool, last: map[string]int{}}, nil
}

// Sending returns the number of the next request, in the order sent.
func (w *Writer) Sending() (number int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.ranges = append(w.ranges, fileRange{})
	return len(w.ranges) - 1
}

// Sent stores the exchange of a request that r made, by the number from Sending. WriteArchive returns its error.
func (w *Writer) Sent(number int, r *requests.Requests, ex *exchange.Exchange, agent string) {
	k := stored(w.out, r, ex, agent)
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.err != nil {
		return
	}
	if w.stored+len(k.Body) > maxStored && len(k.Body) > 0 {
		k.Body, k.Cut = []byte{}, w.out.CutOf(ex)
	}
	w.stored += len(k.Body)
	text := k.text()
	if _, w.err = w.spool.WriteAt(text, w.size); w.err != nil {
		return
	}
	w.ranges[number] = fileRange{w.size, int64(len(text))}
	w.size += int64(len(text))
	if before, ok := w.last[ex.Probe.ID]; !ok || before < number {
		w.last[ex.Probe.ID] = number
	}
}

// Entry returns the last stored exchange with an id, or an error that wraps ErrNotRecorded.
func (w *Writer) Entry(id string) (*Entry, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	number, ok := w.last[id]
	if !ok {
		return nil, fmt.Errorf("%s: %w", id, exchange.ErrNotRecorded)
	}
	k, at := &Entry{}, w.ranges[number]
	if err := json.NewDecoder(io.NewSectionReader(w.spool, at.offset, at.size)).Decode(k); err != nil {
		return nil, fmt.Errorf("reading %s again: %w", id, err)
	}
	return k, nil
}

// WriteArchive writes the archive: every exchange in the order sent, then the record of the run.
func (w *Writer) WriteArchive(out io.Writer, record Record) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.err != nil {
		return fmt.Errorf("keeping the evidence: %w", w.err)
	}
	return writeArchive(out, record, func(yield func(io.Reader) bool) {
		for _, at := range w.ranges {
			// An entry without a size has no answer: the process ended before it came.
			if at.size > 0 && !yield(io.NewSectionReader(w.spool, at.offset, at.size)) {
				return
			}
		}
	})
}

// writeArchive writes an archive of entries, given as JSON.
func writeArchive(out io.Writer, record Record, entries iter.Seq[io.Reader]) error {
	b := bufio.NewWriterSize(out, 1<<16)
	_, _ = b.Write(Head(record.Values)) // Flush returns the error
	separator := "\n"
	for entry := range entries {
		b.WriteString(separator)
		separator = ",\n"
		if _, err := io.Copy(b, entry); err != nil {
			return fmt.Errorf("reading the evidence again: %w", err)
		}
	}
	run, err := strictjson.Encode(record)
	if err != nil {
		return err
	}
	fmt.Fprintf(b, "\n],\n\"_run\":%s\n}}\n", run)
	return b.Flush()
}

// Head returns the beginning of an archive, up to the bracket that opens the list of entries. mode is
// settings.ValuesHide if the values of users are hidden, else "".
func Head(mode string) []byte {
	creator, _ := strictjson.Encode(struct {
		Name    string `json:"name"`
		Version string `json:"version"`
	}{report.Name, report.Version}) // strings have a JSON form
	head := fmt.Appendf(nil, `{"log":{"version":"1.2","creator":%s,`, creator)
	if mode != "" {
		head = fmt.Appendf(head, "%q:%q,", valuesMember, mode)
	}
	return append(head, `"entries":[`...)
}

// valuesMember is the name of the member for hidden values. HAR 1.2 requires the underscore.
const valuesMember = "_values"

// Close closes and removes the file.
func (w *Writer) Close() {
	_ = w.spool.Close()
	_ = os.Remove(w.spool.Name()) // already removed if the system allows that
}

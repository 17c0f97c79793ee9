package evidence

// UseBudget makes a writer store no more bodies than so many bytes besides what it has stored.
func (w *Writer) UseBudget(left int) { w.stored = maxStored - left }

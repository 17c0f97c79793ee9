package main

import (
	"fmt"
	"io"
	"sync/atomic"
)

// printer writes a command's output and keeps the first error: a result that was not printed is no success.
type printer struct {
	io.Writer
	failed atomic.Pointer[error]
}

func (p *printer) Write(text []byte) (int, error) {
	n, err := p.Writer.Write(text)
	if err != nil {
		p.failed.CompareAndSwap(nil, &err)
	}
	return n, err
}

// err returns the error if something could not be printed, else nil.
func (p *printer) err() error {
	if err := p.failed.Load(); err != nil {
		return fmt.Errorf("the output can't be written: %w", *err)
	}
	return nil
}

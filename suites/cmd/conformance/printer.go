package main

import (
	"fmt"
	"io"
	"sync/atomic"
)

// printer writes what a command says, and keeps the first error: what could not be printed is no result.
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

// err says that something could not be printed.
func (p *printer) err() error {
	if err := p.failed.Load(); err != nil {
		return fmt.Errorf("the output can't be written: %w", *err)
	}
	return nil
}

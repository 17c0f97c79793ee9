//go:build !unix

package folder

// lock does nothing: this system has no such locks.
func (f *Folder) lock() error { return nil }

//go:build !unix

package folder

// Lock does nothing here: this system knows no such locks.
func (f *Folder) Lock() error { return nil }

//go:build !unix

package folder

// Lock does nothing: this system has no such locks.
func (f *Folder) Lock() error { return nil }

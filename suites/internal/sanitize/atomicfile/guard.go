package atomicfile

import "io"

// Guard inspects what is written to files.
type Guard interface {
	// Watch returns what inspects the file with this name.
	Watch(file string) Watcher
}

// Watcher gets all that is written to a file. Write never fails; Err says why the file must not be kept, or returns
// nil.
type Watcher interface {
	io.Writer
	Err() error
}

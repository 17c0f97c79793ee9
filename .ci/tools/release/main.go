// Command release writes the downloads for the commit in the work tree. `release archives` writes the archives with
// their checksums, SBOMs and provenance. `release image` writes the container image. The same commit and toolchain give
// the same bytes on any machine. See the Makefile.
package main

import (
	"cmp"
	"flag"
	"fmt"
	"os"
	"path/filepath"
)

func main() {
	root := flag.String("root", "../..", "work tree to release")
	out := flag.String("out", "", "folder to write to (default: dist in the work tree)")
	uri := flag.String("source", defaultURI, "URI of the repository, for the provenance and the image's labels")
	flag.Parse()
	if err := release(flag.Arg(0), *root, *out, *uri); err != nil {
		fmt.Fprintln(os.Stderr, "error:", err)
		os.Exit(1)
	}
}

// release writes the files of the kind, archives or image, and prints their names.
func release(kind, root, out, uri string) error {
	kinds := map[string]func(*builder) (artifacts, error){"archives": archives, "image": image}
	produce, known := kinds[kind]
	if !known {
		return fmt.Errorf("expected one argument, archives or image, found %q", kind)
	}
	src, err := readSource(root, uri)
	if err != nil {
		return err
	}
	build, err := newBuilder(src)
	if err != nil {
		return err
	}
	defer os.RemoveAll(build.folder)
	produced, err := produce(build)
	if err != nil {
		return err
	}
	out = cmp.Or(out, filepath.Join(src.root, "dist"))
	if err := os.MkdirAll(out, 0o755); err != nil {
		return err
	}
	for _, name := range produced.names() {
		if err := os.WriteFile(filepath.Join(out, name), produced[name], 0o644); err != nil {
			return err
		}
		fmt.Println(filepath.Join(out, name))
	}
	return nil
}

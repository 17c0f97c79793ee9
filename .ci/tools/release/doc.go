// Package release tests what .ci/release writes to dist/. Run `make clean release image` first.
package release

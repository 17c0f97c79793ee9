package users

import (
	"io"

	"authenticator-conformance/schemas"
)

// OpenAny opens a file of any format, as ReadAll does.
func OpenAny(path string, stdin io.Reader, contract *schemas.Contract) (*Reader, error) {
	return open(path, stdin, contract, true)
}

// Remember sets how many users are remembered to find repeated ones.
func (r *Reader) Remember(most int) { r.most = most }

package exchange

import (
	"errors"
	"fmt"
	"net/http"
	"strings"
)

// Summary describes the answer to a refused request for an error: the status and what the service says,
// where it redirects to, or why there is none.
func Summary(ex *Exchange) error {
	if ex.Fault != nil {
		return ex.Fault
	}
	err := errors.New(strings.TrimSpace(fmt.Sprintf("%03d %s", ex.Status, http.StatusText(ex.Status))))
	if location := ex.Header.Get("Location"); location != "" {
		err = fmt.Errorf("%w, a redirect to %w (redirects are not followed)", err, Sent(location))
	}
	if said := strings.TrimRight(string(ex.Says()), "."); said != "" {
		err = fmt.Errorf("%w: %w", err, Sent(said))
	}
	return err
}

package settings

import (
	"net/http"
	"strings"
)

// ToCheck returns the settings to check if the target refuses every request with the given status. The likeliest cause
// is first; entries are joined by "; ".
func ToCheck(status int) string {
	const (
		url    = "the base URL with its path prefix (--target-url)"
		token  = "the access token (AUTHN_ACCESS_TOKEN or --access-token-file)"
		app    = "the application id (--application-id)"
		client = "the client certificate and the headers, if a gateway asks for them (--client-cert, target.headers)"
		users  = "the users file: does the target know these users (--users)?"
		health = "whether the service works at all: its log says why it answers so"
	)
	order := []string{token, app, url, client, users}
	switch {
	case status == http.StatusNotFound, status == http.StatusMethodNotAllowed, status/100 == 3:
		order = []string{url, users, token, app, client}
	case status == http.StatusBadRequest, status == http.StatusUnprocessableEntity:
		order = []string{app, url, users, token, client}
	case status/100 == 5:
		order = []string{health, url, token, app, client, users}
	}
	return strings.Join(order, "; ")
}

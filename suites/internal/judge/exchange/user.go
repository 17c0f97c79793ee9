package exchange

import "strings"

// User is a user that the target knows, whose authenticators are requested.
type User struct {
	// ID is a GUID and UserID a non-empty string. Together they are the lookup key of §4.1.
	ID     string `json:"id"`
	UserID string `json:"userId"`
	// Enrolled is true if the target has an authenticator for this user.
	Enrolled bool `json:"enrolled"`
	// Name is a comment for readers of the file.
	Name string `json:"name,omitempty"`
}

// Key returns the id in lower case, a space and the userId. It is equal for equal users, because the case of a GUID
// does not matter.
func (u User) Key() string { return strings.ToLower(u.ID) + " " + u.UserID }

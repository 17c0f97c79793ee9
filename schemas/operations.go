package schemas

// Operation is one of the two operations of the Authenticator group (§4).
type Operation string

// The operations, named as in their paths.
const (
	GetUserAuth   Operation = "getUserAuth"
	FindByUserIDs Operation = "findByUserIds"
)

// Version is a release of the API, by its path segment (§9.1).
type Version string

// The releases, and Parity, which is the version of rows about both releases.
const (
	V5     Version = "v5"
	V6     Version = "v6"
	Parity Version = "v5=v6"
)

// Operations lists the operations in the document's order.
func Operations() []Operation { return []Operation{GetUserAuth, FindByUserIDs} }

// Versions lists the releases in the document's order.
func Versions() []Version { return []Version{V5, V6} }

// Path returns the path of an operation below the base URL (§4), for example "/api/v5/authenticator/getUserAuth".
func Path(v Version, op Operation) string {
	return "/api/" + string(v) + "/authenticator/" + string(op)
}

package schemas

// Operation is one of the two operations of the Authenticator group (§4).
type Operation string

// The operations, named as in their paths.
const (
	GetUserAuth   Operation = "getUserAuth"
	FindByUserIDs Operation = "findByUserIds"
)

// Operations lists the operations in the document's order.
func Operations() []Operation { return []Operation{GetUserAuth, FindByUserIDs} }

// Path returns the path of an operation below the base URL (§4), for example "/api/v5/authenticator/getUserAuth".
func Path(v Version, op Operation) string {
	return "/api/" + string(v) + "/authenticator/" + string(op)
}

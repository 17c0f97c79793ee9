package schemas

// Unexported names that the tests of this package need.
var (
	Compile = compile
	IsWhole = isWhole
)

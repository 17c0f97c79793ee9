package fast

// What the tests of this package reach beyond its exported names.
var (
	Compile        = compile
	Pass           = pass
	CompilePattern = compilePattern
)

const (
	MostBytes  = mostBytes
	MostDepth  = mostDepth
	MostOthers = mostOthers
	MostDigits = mostDigits
)

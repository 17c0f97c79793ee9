package throttle

// Opens is what the tests of this package reach beyond its exported names.
var Opens = Window.opensAfter

// InFlight returns the current limit of concurrent requests.
func (t *Throttle) InFlight() int { return t.inFlight.now() }

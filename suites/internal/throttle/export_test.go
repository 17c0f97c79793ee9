package throttle

// Opens is what the tests of this package reach beyond its exported names.
var Opens = Window.opens

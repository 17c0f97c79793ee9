package check

// Unlike says how two texts differ that look alike.
var Unlike = unlike

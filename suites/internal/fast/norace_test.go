//go:build !race

package fast_test

const raceDetector = false

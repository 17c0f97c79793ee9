//go:build !race

package accepts_test

const raceDetector = false

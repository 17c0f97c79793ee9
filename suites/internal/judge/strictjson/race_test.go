//go:build race

package strictjson_test

const raceDetector = true

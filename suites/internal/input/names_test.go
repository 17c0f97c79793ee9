package input_test

import (
	"testing"

	"authenticator-conformance/suites/internal/input"
)

func TestNearestKnownName(t *testing.T) {
	known := []string{"requirement", "version", "verdict", "reason", "until", "pointer", "target-url", "rate", "ca",
		"2.1/Id", "deadline"}
	for name, similar := range map[string]string{
		"untill": "until", "verson": "version", "verdikt": "verdict", "requirements": "requirement",
		"tagret-url": "target-url", "rtae": "rate", // letters swapped
		"Reason": "reason",
		"url":    "", "req": "", "id": "", "expires": "", "waivers": "", "x": "", "": "", "baseline": "", // far off
	} {
		if nearest := input.Nearest(name, known); nearest != similar {
			t.Errorf("%q: expected %q, got %q", name, similar, nearest)
		}
	}
}

package conformance

import (
	. "authenticator-conformance/suites/internal/judge/check"
	. "authenticator-conformance/suites/internal/judge/spec"
)

// §8: "Rate limits, size limits and time-outs: not shown."
func limits(s *Suite) {
	s.Section("8", "Limits")
	s.OpenPoint("open/8/rate-limit").SendToBoth(WellFormed).ObserveEveryAnswer(RateLimitHeaders).OrNone("none")
	s.OpenPoint("open/8/size").SendToBoth(WellFormed).Observe(Size).As(Largest)
	s.OpenPoint("open/8/latency").SendToBoth(WellFormed).Observe(Latency).As(Percentiles)
}

package conformance

// §8: no limit is shown; what a run meets of them is observed.
func (s *specs) limits() {
	s.section("8", "Limits", func() {
		s.observed("open/8/rate-limit")
		s.observed("open/8/size")
		s.observed("open/8/latency")
	})
}

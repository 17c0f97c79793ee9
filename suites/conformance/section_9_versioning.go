package conformance

// §9: both releases have the same operations with the same shapes.
func (s *specs) versioning() {
	s.section("9.3", "The same in both versions", func() {
		s.holds("9.3/getUserAuth/shape")
		s.holds("9.3/getUserAuth/values")
		s.holds("9.3/getUserAuth/divergence")
		s.holds("9.3/findByUserIds/shape")
		s.holds("9.3/findByUserIds/values")
		s.holds("9.3/findByUserIds/divergence")
	})
	s.section("9.4", "Deprecation and compatibility", func() {
		s.observed("open/9.4/deprecation")
		s.observed("open/9.4/neighbours")
	})
}

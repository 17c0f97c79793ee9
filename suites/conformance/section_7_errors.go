package conformance

// §7: how a target refuses is its own affair. That it refuses is judged beside the fields and the token it is about.
func (s *specs) errors() {
	s.section("7", "Errors", func() {
		s.observed("open/7/unknown-user")
		s.observed("open/7/missing-field")
		s.observed("open/7/null-field")
		s.observed("open/7/empty-token")
		s.observed("open/7/wrong-type")
		s.observed("open/7/unknown-token")
		s.observed("open/7/unknown-application")
		s.observed("open/7/not-json")
		s.observed("open/7/empty-body")
		s.observed("open/7/content-type")
		s.observed("open/7/wrong-method")
		s.observed("open/7/undocumented-member")
	})
}

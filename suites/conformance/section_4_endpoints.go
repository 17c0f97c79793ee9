package conformance

// §4: both operations are served, in both releases.
func (s *specs) endpoints() {
	s.section("4", "Endpoints", func() {
		s.holds("4/getUserAuth/served")
		s.holds("4/findByUserIds/served")
	})
}

// §4.1: what getUserAuth requires, and whose record it answers.
func (s *specs) getUserAuth() {
	s.section("4.1", "getUserAuth", func() {
		s.holds("4.1/Id/required")
		s.holds("4.1/UserId/required")
		s.holds("4.1/AccessToken/required")
		s.holds("4.1/ApplicationId/required")
		s.holds("4.1/user")
	})
}

// §4.2: what findByUserIds requires.
func (s *specs) findByUserIds() {
	s.section("4.2", "findByUserIds", func() {
		s.holds("4.2/UserId/required")
		s.holds("4.2/AccessToken/required")
		s.holds("4.2/ApplicationId/required")
	})
}

// §4.3: what the document leaves open about the answers.
func (s *specs) openPoints() {
	s.section("4.3", "Open points", func() {
		s.observed("open/4.3/cardinality")
		s.observed("open/4.3/list-order")
		s.observed("open/4.3/status")
		s.observed("open/4.3/content-type")
		s.observed("open/4.3/empty-result")
		s.observed("open/4.3/identifier-overlap")
	})
}

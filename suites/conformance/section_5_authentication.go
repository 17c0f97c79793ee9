package conformance

// §5: the administrator's token decides whether a request is served.
func (s *specs) authentication() {
	s.section("5.1", "Authentication: the administrator's token", func() {
		s.holds("5.1/getUserAuth/token")
		s.holds("5.1/findByUserIds/token")
	})
	s.section("5.4", "Authentication: what is not shown", func() {
		s.observed("open/5.4/header-authentication")
	})
}

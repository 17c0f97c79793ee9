package conformance

// §2.1: the record that getUserAuth answers, and what section 2 leaves open about its fields.
func (s *specs) authenticatorRecord() {
	s.section("2.1", "Authenticator record", func() {
		s.holds("2.1/AuthenticationCountLimit")
		s.holds("2.1/CreatedOn")
		s.holds("2.1/Description")
		s.holds("2.1/ExpirationDate")
		s.holds("2.1/Flags")
		s.holds("2.1/Id")
		s.holds("2.1/IsDisabled")
		s.holds("2.1/IsLocked")
		s.holds("2.1/ModeDeviceName")
		s.holds("2.1/ModeId")
		s.holds("2.1/ModeType")
		s.holds("2.1/ModeTypeName")
		s.holds("2.1/UserId")
		s.holds("2.1/SerialNumber")
		s.holds("2.1/Device")
		s.holds("2.1/CreatedBy")
	})
	s.section("2", "Resources and their fields", func() {
		s.observed("open/2/null-or-absent")
		s.observed("open/2/flags")
		s.observed("open/2/mode-type")
		s.observed("open/2/authentication-count-limit")
		s.observed("open/2/user-id-format")
		s.observed("open/2/user-id-case")
		s.observed("open/2/undocumented-members")
	})
}

// §2.2: the device within a record.
func (s *specs) device() {
	s.section("2.2", "Device object", func() {
		s.holds("2.2/Id")
		s.holds("2.2/AuthType")
		s.holds("2.2/SerialNumber")
		s.holds("2.2/RegistrationDate")
		s.holds("2.2/IsEnabled")
		s.holds("2.2/LastUserId")
		s.holds("2.2/Comment")
		s.holds("2.2/Model")
	})
}

// §2.3: the list that findByUserIds answers.
func (s *specs) identifierList() {
	s.section("2.3", "Identifier list", func() {
		s.holds("2.3/identifiers")
	})
}

// §3: the indicators of state, of which the document shows no transition.
func (s *specs) states() {
	s.section("3", "States and transitions", func() {
		s.observed("open/3/states")
	})
}

package conformance

import (
	. "authenticator-conformance/suites/internal/judge/check"
	. "authenticator-conformance/suites/internal/judge/spec"
)

// §2.1: the record that getUserAuth answers. authenticator.schema.json defines each field; null and absent are open
// (J8).
func authenticatorRecord(s *Suite) {
	s.Section("2.1", "Authenticator record")
	for _, field := range []string{
		"AuthenticationCountLimit", // integer
		"CreatedOn",                // string, ISO 8601 date-time (UTC, milliseconds)
		"Description",              // string
		"ExpirationDate",           // string, ISO 8601 date-time
		"Flags",                    // integer
		"Id",                       // string, GUID
		"IsDisabled",               // boolean
		"IsLocked",                 // boolean
		"ModeDeviceName",           // string
		"ModeId",                   // string, GUID
		"ModeType",                 // integer
		"ModeTypeName",             // string
		"UserId",                   // string
		"SerialNumber",             // string
		"Device",                   // object (see 2.2)
		"CreatedBy",                // string
	} {
		s.Requirement("2.1/"+field).Send(GetUserAuth, WellFormed).EachRecord(Member(field, MatchesSchema))
	}
}

// §2.2: the device in a record. device.schema.json defines each field.
func deviceObject(s *Suite) {
	s.Section("2.2", "Device object")
	for _, field := range []string{
		"Id",               // string, GUID
		"AuthType",         // string, GUID
		"SerialNumber",     // string
		"RegistrationDate", // string, ISO 8601 date-time
		"IsEnabled",        // boolean
		"LastUserId",       // string
		"Comment",          // string
		"Model",            // string
	} {
		s.Requirement("2.2/"+field).Send(GetUserAuth, WellFormed).EachDevice(Member(field, MatchesSchema))
	}
}

// §2.3: the list that findByUserIds answers. guid-array.schema.json defines an element.
func identifierList(s *Suite) {
	s.Section("2.3", "Identifier list")
	s.Requirement("2.3/identifiers").Send(FindByUserIds, WellFormed).EachList(EachMatchesSchema)
}

// §2, below 2.3: "Further field details … are not shown."
func fieldDetails(s *Suite) {
	s.Section("2", "Resources and their fields")
	s.OpenPoint("open/2/null-or-absent").Send(GetUserAuth, WellFormed).ObserveRecords(Present).As(PresenceCounts)
	s.OpenPoint("open/2/flags").Send(GetUserAuth, WellFormed).ObserveNumber("Flags").As(Range)
	s.OpenPoint("open/2/mode-type").Send(GetUserAuth, WellFormed).ObserveNumber("ModeType").As(Range)
	s.OpenPoint("open/2/authentication-count-limit").Send(GetUserAuth, WellFormed).
		ObserveNumber("AuthenticationCountLimit").As(Range)
	s.OpenPoint("open/2/user-id-format").Send(GetUserAuth, WellFormed).ObserveRecords(FormOfUserID)
	s.OpenPoint("open/2/user-id-case").Send(GetUserAuth, WellFormed).ObserveRecords(CaseOfUserID)
	s.OpenPoint("open/2/undocumented-members").Send(GetUserAuth, WellFormed).
		ObserveRecords(UndocumentedMembers).OrNone("none")
}

// §3: "Transitions: not shown."
func states(s *Suite) {
	s.Section("3", "States and transitions")
	s.OpenPoint("open/3/states").Send(GetUserAuth, WellFormed).ObserveRecords(States)
}

package conformance

import (
	. "authenticator-conformance/suites/internal/judge/check"
	. "authenticator-conformance/suites/internal/judge/spec"
)

// §4: POST {base_url}/api/{v5,v6}/authenticator/{getUserAuth,findByUserIds}. Both are served in both versions (J1).
func endpoints(s *Suite) {
	s.Section("4", "Endpoints")
	s.Requirement("4/getUserAuth/served").Send(GetUserAuth, WellFormed).EachCall(IsServed)
	s.Requirement("4/findByUserIds/served").Send(FindByUserIds, WellFormed).EachCall(IsServed)
}

// §4.1: getUserAuth requires Id, UserId, AccessToken and ApplicationId (J13), and "returns the trained authenticators
// of a user" (J12).
func getUserAuth(s *Suite) {
	s.Section("4.1", "getUserAuth")
	s.Requirement("4.1/Id/required").Send(GetUserAuth, Without("Id"), Null("Id")).EachAnswer(DisclosesNothing)
	s.Requirement("4.1/UserId/required").Send(GetUserAuth, Without("UserId"), Null("UserId")).
		EachAnswer(DisclosesNothing)
	s.Requirement("4.1/AccessToken/required").
		Send(GetUserAuth, Without("AccessToken"), Null("AccessToken"), EmptyToken).EachAnswer(DisclosesNothing)
	s.Requirement("4.1/ApplicationId/required").Send(GetUserAuth, Without("ApplicationId"), Null("ApplicationId")).
		EachAnswer(DisclosesNothing)
	s.Requirement("4.1/user").Send(GetUserAuth, WellFormed).EachRecord(Member("UserId", EqualsTheOneAsked))
}

// §4.2: findByUserIds requires UserId, AccessToken and ApplicationId (J13), and "returns identifiers found for the
// user's internal identifier" (J24).
func findByUserIds(s *Suite) {
	s.Section("4.2", "findByUserIds")
	s.Requirement("4.2/UserId/required").Send(FindByUserIds, Without("UserId"), Null("UserId")).
		EachAnswer(DisclosesNothing)
	s.Requirement("4.2/AccessToken/required").
		Send(FindByUserIds, Without("AccessToken"), Null("AccessToken"), EmptyToken).EachAnswer(DisclosesNothing)
	s.Requirement("4.2/ApplicationId/required").Send(FindByUserIds, Without("ApplicationId"), Null("ApplicationId")).
		EachAnswer(DisclosesNothing)
	s.Requirement("4.2/user").Send(FindByUserIds, WellFormed).AllLists(BelongToTheAskedUser)
}

// §4.3: what the document does not show about the answers.
func openPoints(s *Suite) {
	s.Section("4.3", "Open points")
	s.OpenPoint("open/4.3/cardinality").Send(GetUserAuth, WellFormed).Observe(Cardinality)
	s.OpenPoint("open/4.3/list-order").SendToBoth(WellFormed).
		ObserveOrder(ListOrder).OrNone("no list of two or more was seen")
	s.OpenPoint("open/4.3/status").SendToBoth(WellFormed).Observe(StatusCode)
	s.OpenPoint("open/4.3/content-type").SendToBoth(WellFormed).Observe(MediaType)
	s.OpenPoint("open/4.3/empty-result").SendToBoth(WellFormed).Observe(EmptyResult)
	s.OpenPoint("open/4.3/identifier-overlap").SendToBoth(WellFormed).ObserveOverlap(IdentifierOverlap)
}

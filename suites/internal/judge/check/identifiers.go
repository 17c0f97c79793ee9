package check

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"slices"
	"strings"

	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/internal/judge/exchange"
)

// Lists collects, call by call, which identifiers and records each user was shown (J24). A user is a UserId. The zero
// value is empty. What it keeps of a run is bounded, whatever a target sends.
type Lists struct {
	users []*listUser // in the order in which they were added
	byID  map[string]*listUser
	kept  int // GUIDs
}

// maxKept is how many GUIDs are kept of all users together. Of further lists only the digest is kept.
const maxKept = 1_000_000

type listUser struct {
	probe   exchange.Probe // the first request for the user
	calls   map[schemas.Version]*listCalls
	known   bool   // whether the user has records, and which, is known
	records []guid // all GUIDs in them, sorted
	ids     []guid // their Ids
	more    bool   // not all GUIDs are kept
}

// listCalls are the lists that one version answered for a user.
type listCalls struct {
	lists []shownList // the different ones, in the order of their first call
	order []int       // of each call, the index of its list
}

type shownList struct {
	probe exchange.Probe // of the first call that showed it
	*guids
}

// guids are the GUIDs of an answer.
type guids struct {
	digest digest // of a list; zero if it is empty
	all    []guid // of a list in its order, zero for an element that is none; of records in any order
	ids    []guid // the Ids of records of the asked user
	more   bool   // the list has others, too
}

type (
	guid   [16]byte
	digest [16]byte
)

// Add adds an answer to a well-formed request. The answers for one user and operation are added in the order sent.
func (l *Lists) Add(a *Answer) {
	p := a.Exchange.Probe
	if !p.WellFormed() || p.Control {
		return
	}
	u := l.byID[p.User.UserID]
	if u == nil {
		u = &listUser{probe: p, calls: map[schemas.Version]*listCalls{}}
		if l.byID == nil {
			l.byID = map[string]*listUser{}
		}
		l.byID[p.User.UserID], l.users = u, append(l.users, u)
	}
	switch {
	case p.Operation == schemas.GetUserAuth:
		l.addRecords(u, a)
	case a.Served():
		l.addList(u, p, a.guids())
	}
}

func (l *Lists) addRecords(u *listUser, a *Answer) {
	u.known = u.known || a.Served() || !a.Exchange.Probe.User.Enrolled
	shown, before := a.guids(), len(u.records)+len(u.ids)
	if u.more = u.more || l.kept > maxKept; u.more {
		return
	}
	u.records, u.ids = union(u.records, shown.all), union(u.ids, shown.ids)
	u.more = len(u.records) > maxKnown
	l.kept += len(u.records) + len(u.ids) - before
}

func union(a, b []guid) []guid {
	all := slices.Concat(a, b)
	slices.SortFunc(all, guid.compare)
	return slices.Clip(slices.Compact(all))
}

func (l *Lists) addList(u *listUser, p exchange.Probe, shown *guids) {
	c := u.calls[p.Version]
	if c == nil {
		c = &listCalls{}
		u.calls[p.Version] = c
	}
	i := slices.IndexFunc(c.lists, func(known shownList) bool { return known.digest == shown.digest })
	if i < 0 {
		if l.kept += len(shown.all); l.kept > maxKept {
			shown = &guids{digest: shown.digest, more: true}
		}
		i, c.lists = len(c.lists), append(c.lists, shownList{p, shown})
	}
	c.order = append(c.order, i)
}

// guids returns the GUIDs of an answer to a well-formed request. Drop keeps them.
func (a *Answer) guids() *guids {
	if a.kept != nil {
		return a.kept
	}
	p, shown := a.Exchange.Probe, &guids{}
	if p.Operation == schemas.FindByUserIDs {
		names := a.Names()
		some := names[:min(len(names), maxKnown)]
		shown.digest, shown.more = digestOf(names), len(names) > len(some)
		for _, name := range some {
			shown.all = append(shown.all, guidOf(name))
		}
		return shown
	}
	known := map[guid]bool{}
	for _, r := range a.records {
		addGUIDs(known, r.members)
		id, _ := r.members["Id"].(string)
		user, shows := r.members["UserId"].(string)
		// A record of somebody else says nothing about whose the identifier is (J12).
		if g := guidOf(id); known[g] && (!shows || strings.EqualFold(user, p.User.UserID)) {
			shown.ids = append(shown.ids, g)
		}
	}
	shown.all = slices.Collect(maps.Keys(known))
	return shown
}

// addGUIDs adds the GUIDs in a value of a record, and stops when there are more than are kept.
func addGUIDs(known map[guid]bool, value any) {
	switch value := value.(type) {
	case string:
		for text := range schemas.EachGUID([]byte(value)) {
			if known[guidOf(text)] = true; len(known) > maxKnown {
				return
			}
		}
	case []any:
		for _, element := range value {
			addGUIDs(known, element)
		}
	case map[string]any:
		for _, member := range value {
			addGUIDs(known, member)
		}
	}
}

// guidOf returns the GUID in a text; zero if it is none.
func guidOf(text string) (g guid) {
	if schemas.IsGUID(text) {
		_, _ = hex.Decode(g[:], []byte(strings.ReplaceAll(text, "-", ""))) // a GUID has hex digits only
	}
	return g
}

func (g guid) String() string {
	return fmt.Sprintf("%x-%x-%x-%x-%x", g[:4], g[4:6], g[6:8], g[8:10], g[10:])
}

func (g guid) compare(other guid) int { return bytes.Compare(g[:], other[:]) }

// digestOf returns the digest of the texts in a list, in lower case and whatever their order; zero if it has none.
func digestOf(names []string) (d digest) {
	names = slices.DeleteFunc(slices.Clone(names), func(name string) bool { return name == "" })
	if len(names) == 0 {
		return d
	}
	slices.Sort(names)
	sum := sha256.New()
	for _, name := range names {
		fmt.Fprintln(sum, name)
	}
	return digest(sum.Sum(nil)[:len(d)])
}

// ListDigests returns 16 hexadecimal digits that are the same for every list with the same GUIDs, and 16 that are the
// same for the same user and list; "" for an answer without a GUID. They reveal neither.
func ListDigests(userID string, list []byte) string {
	var names []string
	for text := range schemas.EachGUID(list) {
		names = append(names, strings.ToLower(text))
	}
	if len(names) == 0 {
		return ""
	}
	of := digestOf(names)
	whose := digestOf(append(names, "user "+userID))
	return hex.EncodeToString(of[:8]) + hex.EncodeToString(whose[:8])
}

// The kinds of findings about whose identifiers are whose.
const (
	anothers    = "another user's identifier"
	anothersNow = "another user's identifier now and then"
)

// BelongToTheAskedUser checks whose identifiers a version answered (J24). It returns the findings of each user who has
// any, and last the witnesses or, if there are none, a note that says why.
func BelongToTheAskedUser(l *Lists, v schemas.Version) []Outcome {
	owners, constant := l.owners(), map[guid]*listUser(nil)
	var list []Outcome
	for _, u := range l.users {
		c := u.calls[v]
		if c == nil || u.more {
			continue
		}
		fleeting := c.fleeting()
		if len(fleeting) > 0 && constant == nil {
			constant = l.constant(v)
		}
		var out Outcome
		judged := map[guid]bool{{}: true}
		for _, shown := range c.lists {
			for i, g := range shown.all {
				if judged[g] {
					continue
				}
				judged[g] = true
				if _, own := slices.BinarySearchFunc(u.records, g, guid.compare); own {
					continue
				}
				f := Finding{Probe: shown.probe, Pointer: fmt.Sprintf("/%d", i),
					Expected: OwnIdentifier{u.probe.User.UserID}}
				if other := constant[g]; other != nil && fleeting[g] > 0 {
					f.Kind, f.Actual = anothersNow, Anothers{g.String(), other.probe, fleeting[g], len(c.order)}
				} else if other := owners[g]; other != nil && u.known && !u.shares(other, v) {
					f.Kind, f.Actual = anothers, Anothers{Identifier: g.String(), Owner: other.probe}
				} else {
					continue
				}
				out.Find(f)
			}
		}
		if out.Count > 0 {
			list = append(list, out)
		}
	}
	return append(list, l.witnesses(v))
}

// shares reports whether a version shows two users one list, in which the first one's own record stands, too: two ids
// of one person. What a cache shows to everybody has no record of the user's own.
func (u *listUser) shares(other *listUser, v schemas.Version) bool {
	c, others := u.calls[v], other.calls[v]
	if others == nil || len(c.lists) != 1 || len(others.lists) != 1 || c.lists[0].digest != others.lists[0].digest {
		return false
	}
	return slices.ContainsFunc(u.ids, func(id guid) bool { return slices.Contains(c.lists[0].all, id) })
}

// owners returns the first user of a record by its Id.
func (l *Lists) owners() map[guid]*listUser {
	owners := map[guid]*listUser{}
	for _, u := range l.users {
		for _, id := range u.ids {
			if owners[id] == nil {
				owners[id] = u
			}
		}
	}
	return owners
}

// constant returns, by identifier, the first user who was shown it by a version at every call of two or more.
func (l *Lists) constant(v schemas.Version) map[guid]*listUser {
	constant := map[guid]*listUser{}
	for _, u := range l.users {
		c := u.calls[v]
		if c == nil || len(c.order) < 2 {
			continue
		}
		for g, seen := range c.sightings() {
			if seen.calls == len(c.order) && constant[g] == nil {
				constant[g] = u
			}
		}
	}
	return constant
}

// sighting is the first call at which an identifier was shown, its last one so far, and at how many it was.
type sighting struct{ first, last, calls int }

func (c *listCalls) sightings() map[guid]sighting {
	seen := map[guid]sighting{}
	for call, i := range c.order {
		for _, g := range c.lists[i].all {
			s, known := seen[g]
			if !known {
				s = sighting{call, -1, 0}
			}
			if s.last != call {
				seen[g] = sighting{s.first, call, s.calls + 1}
			}
		}
	}
	return seen
}

// fleeting returns the identifiers that come or go and have not come to stay, with how many calls showed each.
func (c *listCalls) fleeting() map[guid]int {
	if len(c.lists) < 2 || c.more() {
		return nil
	}
	list := map[guid]int{}
	for g, s := range c.sightings() {
		if stays := s.calls == len(c.order)-s.first; !stays {
			list[g] = s.calls
		}
	}
	return list
}

// more reports whether some list has other identifiers than those that are kept.
func (c *listCalls) more() bool {
	return slices.ContainsFunc(c.lists, func(shown shownList) bool { return shown.more })
}

// witnesses returns a witness for each user whose list nobody else has, if these are more than half of the users who
// have identifiers. The list of a single user is one if it has a GUID of that user's records.
func (l *Lists) witnesses(v schemas.Version) Outcome {
	with, users := map[digest]int{}, 0
	var single *shownList
	var user *listUser
	for _, u := range l.users {
		if last := u.calls[v].last(); last != nil {
			with[last.digest]++
			users++
			single, user = last, u
		}
	}
	shared := 0
	for _, n := range with {
		if n > 1 {
			shared += n
		}
	}
	switch {
	case users == 0:
		return Outcome{}
	case 2*shared >= users:
		return Outcome{Notes: []any{SharedLists{shared, users}}}
	case users == 1 && !slices.ContainsFunc(single.all, func(g guid) bool {
		_, own := slices.BinarySearchFunc(user.records, g, guid.compare)
		return own
	}):
		return Outcome{Notes: []any{SingleList{}}}
	}
	return Outcome{Witnesses: users - shared}
}

// last returns the last list that is not empty; nil if there is none.
func (c *listCalls) last() *shownList {
	if c == nil {
		return nil
	}
	for _, i := range slices.Backward(c.order) {
		if shown := &c.lists[i]; shown.digest != (digest{}) {
			return shown
		}
	}
	return nil
}

// SharedLists is the note that half or more of the users who have identifiers have the whole list of somebody else.
type SharedLists struct{ Shared, Users int }

// SingleList is the note that a single user has identifiers, none of which is in that user's records.
type SingleList struct{}

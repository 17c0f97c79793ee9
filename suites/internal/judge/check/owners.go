package check

import (
	"slices"
	"strings"

	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/internal/judge/exchange"
)

// Owners remembers to which user each GUID was served by well-formed requests, in all operations and versions together
// (J13). The zero value has none. It is not safe for concurrent use.
type Owners struct {
	byGUID map[string]owner // in lower case
	first  string           // the UserId to whom records were served first
	others bool             // another user was served records, too
}

// owner is to whom a GUID was served.
type owner struct {
	userID string // "" if it was served to several users, or in an answer that served nobody
	named  bool   // it is an identifier, or the Id of a record or its device
}

// maxOwners is how many GUIDs are remembered. Any other counts as served to several users.
const maxOwners = 50_000

// zeroGUID stands for no GUID.
const zeroGUID = "00000000-0000-0000-0000-000000000000"

// Note notes the GUIDs in the answer to a well-formed request, wherever they stand. Call it before Drop.
func (o *Owners) Note(a *Answer) {
	userID := ""
	if a.Served() {
		userID = a.Exchange.Probe.User.UserID
	}
	if o.byGUID == nil {
		o.byGUID = map[string]owner{}
	}
	for guid := range schemas.EachGUID(a.Exchange.Body) {
		guid = strings.ToLower(guid)
		switch known, ok := o.byGUID[guid]; {
		case guid == zeroGUID, !ok && len(o.byGUID) >= maxOwners:
		case !ok:
			o.byGUID[guid] = owner{userID: userID}
		case known.userID != userID:
			o.byGUID[guid] = owner{}
		}
	}
	for _, name := range a.ownNames() {
		if known, ok := o.byGUID[name]; ok {
			o.byGUID[name] = owner{known.userID, true}
		}
	}
	if userID == "" || len(a.records) == 0 {
		return
	}
	if o.first == "" {
		o.first = userID
	}
	o.others = o.others || o.first != userID
}

// ownNames returns the Names, and the Id of each device.
func (a *Answer) ownNames() []string {
	names := a.Names()
	for _, r := range a.records {
		device, _ := r.members["Device"].(map[string]any)
		id, _ := device["Id"].(string)
		names = append(names, strings.ToLower(id))
	}
	return names
}

// Own returns the GUIDs, in lower case, that were served to a user and to no other. Those that requests for the user
// have are left out: in the user's id and UserId, and in texts such as an application id. As long as records were
// served to one user only, it is not known what others have, such as a ModeId: then it returns only identifiers, and
// the Ids of records and their devices.
func (o *Owners) Own(user exchange.User, texts ...string) map[string]bool {
	own := map[string]bool{}
	for guid, by := range o.byGUID {
		if by.userID == user.UserID && (o.others || by.named) {
			own[guid] = true
		}
	}
	for _, text := range slices.Concat(texts, []string{user.ID, user.UserID}) {
		for guid := range schemas.EachGUID([]byte(text)) {
			delete(own, strings.ToLower(guid))
		}
	}
	return own
}

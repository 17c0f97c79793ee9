package stats

import (
	"fmt"
	"slices"

	"authenticator-conformance/suites/internal/judge/wording"
)

// maxLists is how many lists of identifiers are kept.
const maxLists = 1000

// ListsWanted returns how many more lists of identifiers are kept.
func (c *Counts) ListsWanted() int { return maxLists - len(c.Lists) }

// addList keeps the digests of a user's list, as check.ListDigests returns them, sorted. The same user's list is kept
// once.
func (c *Counts) addList(digests string) {
	i, known := slices.BinarySearch(c.Lists, digests)
	if digests != "" && c.ListsWanted() > 0 && !known {
		c.Lists = slices.Insert(c.Lists, i, digests)
	}
}

// sharedLists says that half or more of the lists that are kept are also another user's (J24); "" if fewer are.
func (c *Counts) sharedLists() string {
	ofList, users, shared := len("0123456789abcdef"), map[string]int{}, 0
	for _, digests := range c.Lists {
		users[digests[:ofList]]++
	}
	for _, n := range users {
		if n > 1 {
			shared += n
		}
	}
	if shared == 0 || 2*shared < len(c.Lists) {
		return ""
	}
	return fmt.Sprintf("%s of the first %s of identifiers are also another user's, so that nothing shows that "+
		"findByUserIds answers for the user who was asked for (4.2/user); check whether a cache leaves out the user",
		wording.Number(int64(shared)), wording.Count(len(c.Lists), "list"))
}

// Package suggestion finds the smallest users file that covers every alternative which a sample of users shows: the
// answer to "which users do I list, and how many?". It sends well-formed requests only.
package suggestion

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"

	"go.yaml.in/yaml/v4"
	"golang.org/x/sync/errgroup"

	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/internal/engine"
	"authenticator-conformance/suites/internal/exchange"
	"authenticator-conformance/suites/internal/population"
	"authenticator-conformance/suites/internal/settings"
	"authenticator-conformance/suites/internal/spec"
	"authenticator-conformance/suites/internal/wording"
)

// Seen is what one user shows: alternatives as "2.1/CreatedOn v6: null".
type Seen struct {
	User  settings.User
	Index int64
	Shows map[string]bool
}

// Sample draws users of a file at random: at most limit of them, each as likely as any other. Equal seeds draw the
// same.
func Sample(file string, stdin io.Reader, contract *schemas.Contract, limit int, seed uint64) (users []population.Row,
	all int64, err error) {
	reader, err := population.Open(file, stdin, contract)
	if err != nil {
		return nil, 0, err
	}
	defer reader.Close()
	random := rand.New(rand.NewPCG(seed, seed))
	for {
		row, err := reader.Next()
		if err == io.EOF {
			break
		}
		if err != nil {
			return nil, 0, err
		}
		all++
		if len(users) < limit {
			users = append(users, row)
		} else if i := random.Int64N(all); i < int64(limit) {
			users[i] = row
		}
	}
	slices.SortFunc(users, func(a, b population.Row) int { return cmp.Compare(a.Index, b.Index) })
	return users, all, nil
}

// Ask sends both operations to each version for each user, and returns what each shows. Progress is called after each
// user.
func Ask(ctx context.Context, users []population.Row, s *settings.Settings, suite *spec.Suite,
	do func(context.Context, exchange.Probe) (*exchange.Exchange, error), progress func(done int)) ([]Seen, error) {
	list, done, silent := make([]Seen, len(users)), 0, 0
	var mu sync.Mutex
	// answered reports whether the target is there: not after so many requests in a row without an answer.
	answered := func(ex *exchange.Exchange) bool {
		mu.Lock()
		defer mu.Unlock()
		if silent++; ex.Answered() {
			silent = 0
		}
		return silent < engine.FaultsInARow+s.Concurrency
	}
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(s.Concurrency)
	for i, user := range users {
		group.Go(func() error {
			one := Seen{User: user.User, Index: user.Index, Shows: map[string]bool{}}
			for n, op := range schemas.Operations() {
				for m, v := range s.Versions {
					ex, err := do(ctx, exchange.Probe{ID: fmt.Sprintf("u%d.%d", user.Index, 1+n*len(s.Versions)+m),
						Operation: op, Version: v,
						Segment: string(v), User: user.User, Round: 1})
					if err != nil {
						return err
					}
					if !answered(ex) {
						return errors.New("the target does not answer: check its URL, and ask again when it is up")
					}
					for id, alternatives := range suite.Judge(ex).Covers {
						for _, a := range alternatives {
							one.Shows[id+" "+string(v)+": "+a] = true
						}
					}
				}
			}
			mu.Lock()
			defer mu.Unlock()
			list[i] = one
			done++
			progress(done)
			return nil
		})
	}
	return list, group.Wait()
}

// Suggestion is a set of users, and what all users of the sample show.
type Suggestion struct {
	Users []Chosen
	Shown int // alternatives
}

// Chosen is a user with what only this one adds to those before.
type Chosen struct {
	Seen
	For []string
}

// Cover returns the smallest set that a greedy choice finds: the user who shows most that nobody before shows, until
// nothing is left. Among equals the first in the file is chosen, so that equal samples give equal sets.
func Cover(seen []Seen) Suggestion {
	left := map[string]bool{}
	for _, s := range seen {
		maps.Copy(left, s.Shows)
	}
	result := Suggestion{Shown: len(left)}
	for len(left) > 0 {
		best, most := 0, 0
		for i, s := range seen {
			adds := 0
			for a := range s.Shows {
				if left[a] {
					adds++
				}
			}
			if adds > most {
				best, most = i, adds
			}
		}
		chosen := Chosen{Seen: seen[best]}
		for _, a := range slices.Sorted(maps.Keys(seen[best].Shows)) {
			if left[a] {
				chosen.For = append(chosen.For, a)
				delete(left, a)
			}
		}
		result.Users = append(result.Users, chosen)
	}
	// A later user may show all that an earlier one was chosen for.
	for i := len(result.Users) - 1; i >= 0; i-- {
		needed := slices.ContainsFunc(slices.Collect(maps.Keys(result.Users[i].Shows)), func(a string) bool {
			return !slices.ContainsFunc(slices.Delete(slices.Clone(result.Users), i, i+1),
				func(other Chosen) bool { return other.Shows[a] })
		})
		if !needed {
			result.Users = slices.Delete(result.Users, i, i+1)
		}
	}
	return result
}

// Write writes a users file (YAML) with a comment at each user: what for. A user who shows no record is marked as not
// enrolled only in the file that was read.
func (s Suggestion) Write(w io.Writer, asked int, all int64) error {
	if _, err := fmt.Fprintf(w, "# %s with all %s of %s (of %s in the file).\n",
		wording.Count(len(s.Users), "user"),
		wording.Count(s.Shown, "alternative"), wording.Count(asked, "user"), wording.Number(all)); err != nil {
		return err
	}
	for _, u := range s.Users {
		if _, err := fmt.Fprintf(w, "# for %s\n", shortened(u.For)); err != nil {
			return err
		}
		entry := []map[string]any{{"id": u.User.ID, "userId": u.User.UserID}}
		if !u.User.Enrolled {
			entry[0]["enrolled"] = false
		}
		text, err := yaml.Marshal(entry)
		if err != nil {
			return err
		}
		if _, err := w.Write(text); err != nil {
			return err
		}
	}
	return nil
}

// shortened names the first alternatives, of whichever version, and how many more there are.
func shortened(all []string) string {
	const most = 6
	var list []string
	for _, a := range all {
		row, alternative, _ := strings.Cut(a, ": ")
		id, _, _ := strings.Cut(row, " ")
		if text := id + " " + alternative; !slices.Contains(list, text) {
			list = append(list, text)
		}
	}
	if len(list) <= most {
		return strings.Join(list, ", ")
	}
	return strings.Join(list[:most], ", ") + fmt.Sprintf(" and %d more", len(list)-most)
}

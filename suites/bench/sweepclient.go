package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"strings"
	"sync"

	"authenticator-conformance/fixtures"
	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/internal/exchange"
	"authenticator-conformance/suites/internal/settings"
)

// asked is one of the four requests for each user, with placeholders for the user.
type asked struct{ URL, Body string }

// The placeholders; none needs an escape in JSON.
const (
	idHere     = "{id}"
	userIDHere = "{userId}"
)

// of puts a user in. It must not need escapes either.
func (a asked) of(id, userID string) string {
	return strings.Replace(strings.Replace(a.Body, idHere, id, 1), userIDHere, userID, 1)
}

// sweepRequests are the requests of a sweep for one user, in the order sent: for each operation v5, then v6.
func sweepRequests(target string) ([]asked, error) {
	contract, err := schemas.Load()
	if err != nil {
		return nil, err
	}
	var list []asked
	for _, op := range schemas.Operations() {
		for _, v := range schemas.Versions() {
			probe := exchange.Probe{Operation: op, Version: v, Segment: string(v), User: settings.User{ID: idHere, UserID: userIDHere}}
			body := probe.Body(contract.Request(op), exchange.Tokens{Real: fixtures.AccessToken}, fixtures.ApplicationID)
			list = append(list, asked{target + probe.Path(), string(body)})
		}
	}
	return list, nil
}

// drain is the bare client of a sweep: for each user of a file it sends the requests of another file, drains the
// answers and looks at none of them.
func drain(requestsFile, usersFile string) error {
	content, err := os.ReadFile(requestsFile)
	if err != nil {
		return err
	}
	var requests []asked
	if err := json.Unmarshal(content, &requests); err != nil {
		return fmt.Errorf("%s: %w", requestsFile, err)
	}
	users, err := os.Open(usersFile)
	if err != nil {
		return err
	}
	defer users.Close()
	transport := bareTransport()
	defer transport.CloseIdleConnections()

	todo, failed := make(chan string, concurrency), make(chan error, concurrency)
	var wait sync.WaitGroup
	for range concurrency {
		wait.Go(func() {
			for line := range todo {
				if err := drainUser(transport, requests, line); err != nil {
					failed <- err
					break
				}
			}
			for range todo { // the reader is not kept waiting
			}
		})
	}
	lines := bufio.NewScanner(users)
	lines.Scan() // the header
	for lines.Scan() {
		todo <- lines.Text()
	}
	close(todo)
	wait.Wait()
	close(failed)
	if err := lines.Err(); err != nil {
		return err
	}
	return <-failed
}

func drainUser(transport *http.Transport, requests []asked, line string) error {
	id, userID, _ := strings.Cut(line, ",")
	for i, a := range requests {
		// As long as the name that the suite gives itself.
		agent := "bare-client-of-the-bench--/1.0.0 (run 00000000-0000-4000-8000-000000000000; exchange " + userID + "." + string(rune('1'+i)) + ")"
		r := request{Method: http.MethodPost, URL: a.URL, ContentType: "application/json", Body: a.of(id, userID), Agent: agent}
		if err := r.send(transport); err != nil {
			return err
		}
	}
	return nil
}

// writeSweepRequests keeps the requests for the bare client.
func (w *workbench) writeSweepRequests(target string) error {
	list, err := sweepRequests(target)
	if err != nil {
		return err
	}
	content, err := json.Marshal(list)
	if err != nil {
		return err
	}
	return os.WriteFile(w.requestsFile(), content, 0o600)
}

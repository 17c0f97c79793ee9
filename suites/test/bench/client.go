package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"

	"golang.org/x/sync/errgroup"

	"authenticator-conformance/fixtures"
	"authenticator-conformance/fixtures/reference"
	"authenticator-conformance/schemas"
	"authenticator-conformance/suites/internal/judge/exchange"
)

// sendAll is the bare client. For each user of a file that writeUsers wrote, it sends the four requests of a sweep, and
// reads the answers to their end without looking at them.
func sendAll(target, file string) error {
	contract, err := schemas.Load()
	if err != nil {
		return err
	}
	users, err := os.Open(file)
	if err != nil {
		return err
	}
	defer users.Close()
	client := &http.Transport{MaxIdleConnsPerHost: concurrency, DisableCompression: true}
	jobs := make(chan exchange.User, concurrency)
	workers, ctx := errgroup.WithContext(context.Background())
	for range concurrency {
		workers.Go(func() error {
			for user := range jobs {
				for _, p := range probesFor(user) {
					if err := send(ctx, client, contract, target, p); err != nil {
						return err
					}
				}
			}
			return nil
		})
	}
	lines := bufio.NewScanner(users)
	lines.Scan() // the header
	for lines.Scan() && ctx.Err() == nil {
		id, userID, _ := strings.Cut(lines.Text(), ",")
		select {
		case jobs <- exchange.User{ID: id, UserID: userID, Enrolled: true}:
		case <-ctx.Done():
		}
	}
	close(jobs)
	if err := workers.Wait(); err != nil {
		return err
	}
	return lines.Err()
}

// probesFor returns the requests of a sweep for a user, in the order sent: for each operation v5, then v6.
func probesFor(user exchange.User) (list []exchange.Probe) {
	for _, op := range schemas.Operations() {
		for _, v := range schemas.Versions() {
			list = append(list, exchange.Probe{ID: fmt.Sprint("u1.", len(list)+1), Operation: op, Version: v,
				Segment: string(v), User: user, Round: 1})
		}
	}
	return list
}

func send(ctx context.Context, client http.RoundTripper, contract *schemas.Contract, target string,
	p exchange.Probe) error {
	body := p.Body(contract.Request(p.Operation), exchange.Tokens{Real: fixtures.AccessToken}, fixtures.ApplicationID)
	r, err := http.NewRequestWithContext(ctx, p.Method(), target+p.Path(), bytes.NewReader(body))
	if err != nil {
		return err
	}
	for name, value := range map[string]string{"Accept": "application/json", "Accept-Encoding": "gzip",
		"Content-Type": p.ContentType(), "User-Agent": "bare-client (exchange " + p.ID + ")"} {
		r.Header.Set(name, value)
	}
	answer, err := client.RoundTrip(r)
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	_, err = io.Copy(io.Discard, answer.Body)
	return err
}

// newTarget returns a handler that costs little more than net/http itself. It answers a user of writeUsers with the
// record of one user of the fixtures, with the UserId of the request in it, or with an identifier of that user alone.
func newTarget() (http.Handler, error) {
	records, err := fixtures.Records()
	if err != nil {
		return nil, err
	}
	var record bytes.Buffer
	if err := json.Compact(&record, records[0].Authenticator); err != nil {
		return nil, err
	}
	parts := bytes.Split(record.Bytes(), []byte(`"`+records[0].UserID+`"`))
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body) // if the client has gone, an error does not matter, here and below
		w.Header().Set("Content-Type", reference.MediaType)
		_, rest, _ := bytes.Cut(body, []byte(`"UserId":`))
		userID, _, _ := bytes.Cut(rest, []byte(`,`)) // the UserIds of writeUsers have no comma
		if strings.HasSuffix(r.URL.Path, string(schemas.FindByUserIDs)) {
			number := strings.Trim(string(userID), `"user-]}`)
			_, _ = fmt.Fprintf(w, `["00000000-0000-4000-8000-%012s"]`, number)
			return
		}
		_, _ = w.Write(bytes.Join(parts, userID))
	}), nil
}

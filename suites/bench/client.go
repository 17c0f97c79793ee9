package main

import (
	"bufio"
	"cmp"
	"crypto/tls"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"

	"golang.org/x/sync/errgroup"
)

// request is a request of the bare client. In those of a sweep, the body has placeholders for the user.
type request struct {
	Method, URL, ContentType, Body, Agent string
	// OwnConnection means a new connection, as the suite uses for requests that must be refused.
	OwnConnection bool
}

// The placeholders for a user. Neither they nor the ids that replace them need escaping in JSON.
const (
	idPlaceholder     = "{id}"
	userIDPlaceholder = "{userId}"
)

// forUser replaces the placeholders by a user's ids.
func (r request) forUser(id, userID string) request {
	r.Body = strings.Replace(strings.Replace(r.Body, idPlaceholder, id, 1), userIDPlaceholder, userID, 1)
	r.Agent = strings.Replace(r.Agent, userIDPlaceholder, userID, 1)
	return r
}

// sendAll is the bare client. It sends every request of a file once or, with a file of users, all of them for each user
// in order. It reads the answers to their end without looking at them.
func sendAll(requestsFile, usersFile string) error {
	content, err := os.ReadFile(requestsFile)
	if err != nil {
		return err
	}
	var requests []request
	if err := json.Unmarshal(content, &requests); err != nil {
		return fmt.Errorf("%s: %w", requestsFile, err)
	}
	c, jobs := newClient(), make(chan []request, concurrency)
	var workers errgroup.Group
	for range concurrency {
		workers.Go(func() (err error) {
			for sequence := range jobs {
				if err == nil { // after an error, keep receiving so that the producer does not block
					err = c.sendSequence(sequence)
				}
			}
			return err
		})
	}
	if usersFile == "" {
		for _, r := range requests {
			jobs <- []request{r}
		}
	} else {
		err = eachUser(usersFile, func(id, userID string) {
			sequence := make([]request, len(requests))
			for i, r := range requests {
				sequence[i] = r.forUser(id, userID)
			}
			jobs <- sequence
		})
	}
	close(jobs)
	return cmp.Or(err, workers.Wait())
}

// eachUser calls do for each user in a file written by writePopulation.
func eachUser(file string, do func(id, userID string)) error {
	users, err := os.Open(file)
	if err != nil {
		return err
	}
	defer users.Close()
	lines := bufio.NewScanner(users)
	lines.Scan() // the header
	for lines.Scan() {
		id, userID, _ := strings.Cut(lines.Text(), ",")
		do(id, userID)
	}
	return lines.Err()
}

// client has transports with the settings of suites/internal/target.
type client struct{ keepAlive, newConnection *http.Transport }

func newClient() client {
	c := client{keepAlive: &http.Transport{
		Proxy:                  http.ProxyFromEnvironment,
		TLSClientConfig:        &tls.Config{MinVersion: tls.VersionTLS12},
		ForceAttemptHTTP2:      true,
		MaxIdleConnsPerHost:    concurrency,
		MaxResponseHeaderBytes: 1 << 20,
		DisableCompression:     true,
	}}
	c.newConnection = c.keepAlive.Clone()
	c.newConnection.DisableKeepAlives = true
	return c
}

func (c client) sendSequence(sequence []request) error {
	for _, r := range sequence {
		if err := c.send(r); err != nil {
			return err
		}
	}
	return nil
}

func (c client) send(r request) error {
	var body io.Reader
	if r.Method == http.MethodPost {
		body = strings.NewReader(r.Body)
	}
	req, err := http.NewRequest(r.Method, r.URL, body)
	if err != nil {
		return err
	}
	req.Header.Set("Accept", "application/json")
	req.Header.Set("Accept-Encoding", "gzip")
	req.Header.Set("User-Agent", r.Agent)
	if r.ContentType != "" {
		req.Header.Set("Content-Type", r.ContentType)
	}
	transport := c.keepAlive
	if r.OwnConnection {
		transport = c.newConnection
	}
	resp, err := transport.RoundTrip(req)
	if err != nil {
		return err
	}
	if _, err := io.Copy(io.Discard, resp.Body); err != nil {
		return err
	}
	return resp.Body.Close()
}

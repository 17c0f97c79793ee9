package main

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"time"

	"authenticator-conformance/fixtures"
	"authenticator-conformance/fixtures/reference"
)

// users is how many the target knows and a run looks up.
const users = 10

func knownUsers() ([]fixtures.User, error) {
	known, err := fixtures.Users()
	if err != nil {
		return nil, err
	}
	if len(known) < users {
		return nil, fmt.Errorf("fixtures/users.yaml should have at least %d users, and has %d", users, len(known))
	}
	return known[:users], nil
}

// serve is the target: the reference, each answer after a delay.
func serve(delay time.Duration, many bool) error {
	known, err := knownUsers()
	if err != nil {
		return err
	}
	if many {
		known = people(crowd)
	}
	handler := reference.New(reference.Options{Users: known, AccessToken: fixtures.AccessToken, ApplicationID: fixtures.ApplicationID})
	return listen(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		time.Sleep(delay)
		handler.ServeHTTP(w, r)
	}))
}

// listen serves a handler: it says where on one line, and ends when its standard input does, so that it cannot outlive
// the bench.
func listen(handler http.Handler) error {
	server, err := reference.Listen(context.Background(), handler, "127.0.0.1:0")
	if err != nil {
		return err
	}
	fmt.Println(server.URL)
	_, _ = io.Copy(io.Discard, os.Stdin)
	return server.Stop()
}

// startTarget starts a target as a process of its own and gives its URL.
func (w *workbench) startTarget(delay time.Duration, flags ...string) (url string, stop func(), err error) {
	return w.start(append(flags, "--delay", delay.String(), targetMode)...)
}

// start starts the bench in a mode that listens.
func (w *workbench) start(args ...string) (url string, stop func(), err error) {
	cmd := exec.Command(w.self, args...)
	cmd.Env, cmd.Stderr = []string{}, os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		return "", nil, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return "", nil, err
	}
	if err := cmd.Start(); err != nil {
		return "", nil, err
	}
	stop = func() {
		_ = in.Close()
		_ = cmd.Wait()
	}
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		stop()
		return "", nil, fmt.Errorf("the target did not start: %w", err)
	}
	return strings.TrimSpace(line), stop, nil
}

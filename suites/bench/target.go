package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"slices"
	"strings"
	"time"

	"authenticator-conformance/fixtures"
	"authenticator-conformance/fixtures/hostile"
	"authenticator-conformance/fixtures/reference"
)

// serveReference serves the reference, which answers after a delay.
func serveReference(delay time.Duration) error {
	known, err := knownUsers()
	if err != nil {
		return err
	}
	handler := reference.New(reference.Options{Users: known, AccessToken: fixtures.AccessToken,
		ApplicationID: fixtures.ApplicationID})
	return listen(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		time.Sleep(delay)
		handler.ServeHTTP(w, r)
	}))
}

// serveLean serves the lean target.
func serveLean() error {
	l, err := newLean()
	if err != nil {
		return err
	}
	return listen(l)
}

// listen serves a handler and prints its URL on one line. It ends when its standard input is closed, so that it can't
// outlive the bench.
func listen(handler http.Handler) error {
	server, err := reference.Listen(context.Background(), handler, "127.0.0.1:0")
	if err != nil {
		return err
	}
	fmt.Println(server.URL)
	_, _ = io.Copy(io.Discard, os.Stdin)
	return server.Stop()
}

// serveHostile serves a hostile target. It prints the flags for a run against it, as a JSON array.
func serveHostile(name, folder string) error {
	all := hostile.All()
	i := slices.IndexFunc(all, func(t hostile.Target) bool { return t.Name == name })
	if i < 0 {
		return fmt.Errorf("there is no hostile target %q", name)
	}
	target, err := all[i].Start(folder, hostile.Options{})
	if err != nil {
		return err
	}
	defer target.Close()
	flags, err := json.Marshal(append(target.Arguments, all[i].Flags...))
	if err != nil {
		return err
	}
	fmt.Println(string(flags))
	_, _ = io.Copy(io.Discard, os.Stdin)
	return nil
}

// start starts bench as a subprocess in a mode that serves, and returns the line it prints.
func (w *workbench) start(args ...string) (line string, stop func(), err error) {
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
	line, err = bufio.NewReader(out).ReadString('\n')
	if err != nil {
		stop()
		return "", nil, fmt.Errorf("the target did not start: %w", err)
	}
	return strings.TrimSpace(line), stop, nil
}

package main

import (
	"crypto/tls"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"
	"sync"
)

// request is what the bare client sends.
type request struct {
	Method, URL, ContentType, Body, Agent string
	// Alone tells that the request has a connection of its own, as the suite's have that are meant to be refused.
	Alone bool
}

// sendAll is the bare client: it sends the requests of a file, drains the answers and looks at none of them.
func sendAll(file string) error {
	content, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	var requests []request
	if err := json.Unmarshal(content, &requests); err != nil {
		return fmt.Errorf("%s: %w", file, err)
	}
	kept := bareTransport()
	alone := kept.Clone()
	alone.DisableKeepAlives = true
	defer kept.CloseIdleConnections()
	todo := make(chan request, len(requests))
	for _, r := range requests {
		todo <- r
	}
	close(todo)
	var wait sync.WaitGroup
	failed := make(chan error, concurrency)
	for range concurrency {
		wait.Go(func() {
			for r := range todo {
				transport := kept
				if r.Alone {
					transport = alone
				}
				if err := r.send(transport); err != nil {
					failed <- err
					return
				}
			}
		})
	}
	wait.Wait()
	close(failed)
	return <-failed
}

// bareTransport has the settings of suites/internal/target.
func bareTransport() *http.Transport {
	return &http.Transport{
		Proxy:                  http.ProxyFromEnvironment,
		TLSClientConfig:        &tls.Config{MinVersion: tls.VersionTLS12},
		ForceAttemptHTTP2:      true,
		MaxIdleConnsPerHost:    concurrency,
		MaxResponseHeaderBytes: 1 << 20,
		DisableCompression:     true,
	}
}

func (r request) send(transport *http.Transport) error {
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
	resp, err := transport.RoundTrip(req)
	if err != nil {
		return err
	}
	if _, err := io.Copy(io.Discard, resp.Body); err != nil {
		return err
	}
	return resp.Body.Close()
}

package main

import (
	"fmt"
	"io"
	"net/http"
	"strconv"
	"sync/atomic"
)

// countPath is where a target tells how many requests it has had; asking for it is none.
const countPath = "/requests"

// counted counts requests at the target, where nobody can overlook one.
func counted(handler http.Handler) http.Handler {
	var count atomic.Int64
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == countPath {
			fmt.Fprint(w, count.Load())
			return
		}
		count.Add(1)
		handler.ServeHTTP(w, r)
	})
}

// requestsAt asks a target how many requests it has had.
func requestsAt(target string) (int64, error) {
	answer, err := http.Get(target + countPath)
	if err != nil {
		return 0, err
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if err != nil {
		return 0, err
	}
	return strconv.ParseInt(string(text), 10, 64)
}

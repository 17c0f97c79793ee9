package selftest_test

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync/atomic"
	"time"
)

type counter = atomic.Int64

// answering serves requests on a bare connection: each is read whole, then answered by a function. False ends it.
func answering(answer func(net.Conn) bool) func(net.Conn) {
	return func(c net.Conn) {
		reader := bufio.NewReader(c)
		for {
			request, err := http.ReadRequest(reader)
			if err != nil {
				return
			}
			if _, err := io.Copy(io.Discard, request.Body); err != nil || !answer(c) {
				return
			}
		}
	}
}

// says answers each request with the same bytes, and closes the connection.
func says(text string) func(net.Conn) {
	return answering(func(c net.Conn) bool {
		_, _ = io.WriteString(c, text)
		return false
	})
}

// flows sends a piece of text until the other end has had enough.
func flows(begin, piece string, rest time.Duration) func(net.Conn) {
	return answering(func(c net.Conn) bool {
		_, err := io.WriteString(c, begin)
		for err == nil {
			_, err = io.WriteString(c, piece)
			time.Sleep(rest)
		}
		return false
	})
}

// wireHostiles do not speak HTTP as one should.
func wireHostiles() []hostile {
	const ok = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"
	list := []hostile{
		{name: "accepts and stays silent", serve: hold, args: quick(), codes: erring(), says: "can't be reached"},
		{name: "sends headers, then nothing", args: quick(), codes: erring(), serve: answering(func(c net.Conn) bool {
			_, _ = io.WriteString(c, ok+"Content-Length: 100\r\n\r\n")
			hold(c)
			return false
		})},
		{name: "sends half a body, then nothing", args: quick(), codes: erring(), serve: answering(func(c net.Conn) bool {
			_, _ = io.WriteString(c, ok+"Content-Length: 100\r\n\r\n{\"Id\":")
			hold(c)
			return false
		})},
		{name: "sends a byte at a time", args: quick(), codes: erring(), serve: flows(ok+"Content-Length: 100000\r\n\r\n", " ", 50*time.Millisecond)},
		{name: "sends a byte of the header at a time", args: quick(), codes: erring(), serve: flows("HTTP/1.1 200 OK\r\nX-Slow: ", "x", 50*time.Millisecond)},
		{name: "resets the connection in the body", codes: erring(), serve: answering(func(c net.Conn) bool {
			_, _ = io.WriteString(c, ok+"Content-Length: 100\r\n\r\n{")
			time.Sleep(5 * time.Millisecond)
			_ = c.(*net.TCPConn).SetLinger(0)
			return false
		})},
		{name: "resets the connection at once", codes: erring(), serve: func(c net.Conn) { _ = c.(*net.TCPConn).SetLinger(0) }},
		{name: "announces more than it sends", codes: erring(), serve: says(ok + "Content-Length: 100\r\n\r\n{}")},
		{name: "announces less than it sends", codes: failing(), serve: says(ok + "Content-Length: 1\r\n\r\n{\"Id\":1}")},
		{name: "announces a negative length", codes: erring(), serve: says(ok + "Content-Length: -1\r\n\r\n{}")},
		{name: "announces a length that is no number", codes: erring(), serve: says(ok + "Content-Length: many\r\n\r\n{}")},
		{name: "announces two lengths", codes: erring(), serve: says(ok + "Content-Length: 1\r\nContent-Length: 2\r\n\r\n{}")},
		{name: "announces the largest length", codes: erring(), serve: says(ok + "Content-Length: 9223372036854775807\r\n\r\n{}")},
		{name: "sends endless headers", codes: failing(), says: "1 MiB", serve: flows("HTTP/1.1 200 OK\r\n", strings.Repeat("X-Flood: "+strings.Repeat("x", 1000)+"\r\n", 100), 0)},
		{name: "sends one endless header", codes: failing(), says: "1 MiB", serve: flows("HTTP/1.1 200 OK\r\nX-Flood: ", strings.Repeat("x", 1<<16), 0)},
		{name: "sends an endless status line", codes: failing(), says: "1 MiB", serve: flows("HTTP/1.1 200 ", strings.Repeat("O", 1<<16), 0)},
		{name: "sends endless continues", codes: failing(), says: "1 MiB", serve: flows("", "HTTP/1.1 100 Continue\r\n\r\n", 0)},
		{name: "sends endless early hints", codes: failing(), says: "1 MiB", serve: flows("", "HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\n", 0)},
		{name: "switches protocols", args: quick(), codes: either(), serve: answering(func(c net.Conn) bool {
			_, _ = io.WriteString(c, "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n")
			hold(c)
			return false
		})},
		{name: "answers twice", codes: either(), serve: answering(func(c net.Conn) bool {
			_, err := io.WriteString(c, strings.Repeat(ok+"Content-Length: 2\r\n\r\n{}", 2))
			return err == nil
		})},
		{name: "is of a version of HTTP that is not there", codes: either(), serve: says("HTTP/9.9 200 OK\r\nContent-Length: 2\r\n\r\n{}")},
		{name: "answers before it was asked", args: quick(), codes: either(), serve: func(c net.Conn) {
			_, _ = io.WriteString(c, ok+"Content-Length: 2\r\n\r\n{}")
			hold(c)
		}},
		{name: "answers before it has read the request", codes: either(), serve: func(c net.Conn) {
			_, _ = c.Read(make([]byte, 1))
			_, _ = io.WriteString(c, ok+"Content-Length: 2\r\n\r\n{}")
		}},
	}
	for _, line := range []string{
		"", "\r\n\r\n", "nonsense", "HTTP/1.1", "HTTP/1.1 OK", "HTTP/1.1 20", "HTTP/1.1 2000 OK", "HTTP/1.1 -20 OK", "HTTP/1.1 200.0 OK", "ICY 200 OK", "200 OK",
		"SSH-2.0-OpenSSH_9.6", "\x00\x00\x00\x00", "\x16\x03\x01\x02\x00\x01", "\x1b[2J\x1b]0;owned\x07", "<!DOCTYPE html>", "220 mail ESMTP", strings.Repeat("A", 100_000), "PRI * HTTP/2.0",
	} {
		list = append(list, hostile{name: fmt.Sprintf("begins with %.40q", line), serve: says(line + "\r\nContent-Length: 2\r\n\r\n{}"), codes: erring()})
	}
	for _, status := range []string{"000", "099", "600", "999", "199"} {
		list = append(list, hostile{name: "has the status " + status, serve: says("HTTP/1.1 " + status + " Odd\r\nContent-Length: 2\r\n\r\n{}"), args: quick(), codes: either()})
	}
	return list
}

// framingHostiles send chunks, codings and trailers as one should not.
func framingHostiles() []hostile {
	const chunked = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n"
	return []hostile{
		{name: "sends an endless body", codes: failing(), says: "16 MiB", serve: flows(chunked, "10000\r\n"+strings.Repeat(" ", 1<<16)+"\r\n", 0)},
		{name: "sends an endless body until it closes", codes: failing(), says: "16 MiB", serve: flows("HTTP/1.1 200 OK\r\n\r\n", strings.Repeat("[", 1<<16), 0)},
		{name: "sends a chunk whose size is no number", codes: erring(), serve: says(chunked + "many\r\n{}\r\n0\r\n\r\n")},
		{name: "sends a chunk whose size is too large", codes: erring(), serve: says(chunked + "fffffffffffffffff\r\n{}\r\n0\r\n\r\n")},
		{name: "sends a negative chunk", codes: erring(), serve: says(chunked + "-2\r\n{}\r\n0\r\n\r\n")},
		{name: "sends chunks with endless extensions", codes: erring(), serve: flows(chunked, "1;"+strings.Repeat("x", 4000)+"\r\n{\r\n", 0)},
		{name: "sends one endless extension", codes: erring(), serve: flows(chunked+"1;", strings.Repeat("x", 1<<16), 0)},
		{name: "sends chunks of one byte", codes: either(), args: quick(), serve: flows(chunked, strings.Repeat("1\r\n \r\n", 1000), 0)},
		{name: "sends endless trailers", codes: erring(), serve: flows(chunked+"2\r\n{}\r\n0\r\n", "X-Trailer: x\r\n", 0)},
		{name: "leaves the last chunk out", codes: erring(), serve: says(chunked + "2\r\n{}\r\n")},
		{name: "codes its transfer twice", codes: erring(), serve: says("HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip, chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n")},
		{name: "has a length and chunks", codes: either(), serve: says("HTTP/1.1 200 OK\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n")},
		{name: "has a header without a name", codes: erring(), serve: says("HTTP/1.1 200 OK\r\n: x\r\nContent-Length: 2\r\n\r\n{}")},
		{name: "has a header with a space in its name", codes: either(), serve: says("HTTP/1.1 200 OK\r\nX Y: x\r\nContent-Length: 2\r\n\r\n{}")},
		{name: "has a folded header", codes: either(), serve: says("HTTP/1.1 200 OK\r\nX-Folded: x\r\n y\r\nContent-Length: 2\r\n\r\n{}")},
		{name: "has control characters in its headers", codes: either(), serve: says("HTTP/1.1 200 O\x1b[31mK\x07\r\nContent-Type: text/\x1b]0;x\x07\r\nSunset: \x9b2J\u202e\r\nContent-Length: 2\r\n\r\n{}")},
		{name: "has ten thousand headers", codes: failing(), serve: says("HTTP/1.1 200 OK\r\n" + manyHeaders() + "Content-Length: 2\r\n\r\n{}")},
	}
}

func manyHeaders() string {
	var b strings.Builder
	for i := range 10_000 {
		fmt.Fprintf(&b, "RateLimit-%d: <b>%d</b>\r\n", i, i)
	}
	return b.String()
}

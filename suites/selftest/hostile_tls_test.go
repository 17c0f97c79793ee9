package selftest_test

import (
	"crypto/tls"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"

	"authenticator-conformance/fixtures/conforming"
)

// tlsHostiles can't prove who they are, or do not speak TLS where they should.
func tlsHostiles() []hostile {
	loopback := []net.IP{net.IPv4(127, 0, 0, 1)}
	// secured starts the reference with a certificate; trusted tells whether the run is told to trust its authority.
	secured := func(name string, certificate conforming.Certificate, trusted bool, says string) hostile {
		return hostile{name: name, codes: erring(), says: says, start: func(folder string) (string, []string, func(), error) {
			authority, err := conforming.NewAuthority()
			if err != nil {
				return "", nil, nil, err
			}
			issued, err := authority.Issue(certificate)
			if err != nil {
				return "", nil, nil, err
			}
			server := tlsServer(&tls.Config{Certificates: []tls.Certificate{issued.Pair}}, referenceOf(knownUsers()))
			var args []string
			if trusted {
				args = []string{"--ca", write(folder, "ca.pem", authority.PEM)}
			}
			return server.URL, args, server.Close, nil
		}}
	}
	handshake := func(name, says string, config func(folder string) (*tls.Config, []string, error)) hostile {
		return hostile{name: name, codes: erring(), says: says, start: func(folder string) (string, []string, func(), error) {
			c, args, err := config(folder)
			if err != nil {
				return "", nil, nil, err
			}
			server := tlsServer(c, referenceOf(knownUsers()))
			return server.URL, args, server.Close, nil
		}}
	}
	return []hostile{
		secured("has a certificate of an unknown authority", conforming.Certificate{Addresses: loopback}, false, "certificate"),
		secured("has a certificate that has expired", conforming.Certificate{Addresses: loopback, Expired: true}, true, "expired"),
		secured("has a certificate for another name", conforming.Certificate{Names: []string{"elsewhere.example"}}, true, "certificate"),
		secured("has a certificate for another address", conforming.Certificate{Addresses: []net.IP{net.IPv4(127, 0, 0, 2)}}, true, "certificate"),
		secured("has a certificate for clients", conforming.Certificate{Addresses: loopback, Client: true}, true, "certificate"),
		handshake("speaks an old TLS only", "", func(folder string) (*tls.Config, []string, error) {
			authority, issued, err := trustedPair(loopback)
			return &tls.Config{Certificates: []tls.Certificate{issued.Pair}, MinVersion: tls.VersionTLS10, MaxVersion: tls.VersionTLS11},
				[]string{"--ca", write(folder, "ca.pem", authority.PEM)}, err
		}),
		handshake("asks for a client certificate that is not given", "", func(folder string) (*tls.Config, []string, error) {
			authority, issued, err := trustedPair(loopback)
			return &tls.Config{Certificates: []tls.Certificate{issued.Pair}, ClientAuth: tls.RequireAnyClientCert},
				[]string{"--ca", write(folder, "ca.pem", authority.PEM)}, err
		}),
		handshake("asks for a client certificate of another authority", "", func(folder string) (*tls.Config, []string, error) {
			authority, issued, err := trustedPair(loopback)
			if err != nil {
				return nil, nil, err
			}
			other, err := conforming.NewAuthority()
			if err != nil {
				return nil, nil, err
			}
			client, err := other.Issue(conforming.Certificate{Client: true})
			return &tls.Config{Certificates: []tls.Certificate{issued.Pair}, ClientAuth: tls.RequireAndVerifyClientCert, ClientCAs: authority.Pool},
				[]string{"--ca", write(folder, "ca.pem", authority.PEM), "--client-cert", write(folder, "c.pem", client.PEM), "--client-key", write(folder, "c.key", client.Key)}, err
		}),
		{name: "is plain HTTP where TLS is meant", codes: erring(), start: func(string) (string, []string, func(), error) {
			server := httptest.NewServer(referenceOf(knownUsers()))
			return strings.Replace(server.URL, "http://", "https://", 1), nil, server.Close, nil
		}},
		{name: "is silent where TLS is meant", codes: erring(), args: quick(), start: func(string) (string, []string, func(), error) {
			url, end := listen(hold)
			return strings.Replace(url, "http://", "https://", 1), nil, end, nil
		}},
		{name: "is TLS where plain HTTP is meant", codes: either(), start: func(string) (string, []string, func(), error) {
			server := httptest.NewTLSServer(referenceOf(knownUsers()))
			return strings.Replace(server.URL, "https://", "http://", 1), nil, server.Close, nil
		}},
		{name: "resets every stream of HTTP/2", codes: erring(), start: func(folder string) (string, []string, func(), error) {
			authority, issued, err := trustedPair(loopback)
			if err != nil {
				return "", nil, nil, err
			}
			server := httptest.NewUnstartedServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }))
			server.EnableHTTP2 = true
			server.TLS = &tls.Config{Certificates: []tls.Certificate{issued.Pair}}
			server.StartTLS()
			return server.URL, []string{"--ca", write(folder, "ca.pem", authority.PEM)}, server.Close, nil
		}},
	}
}

func trustedPair(addresses []net.IP) (*conforming.Authority, conforming.Issued, error) {
	authority, err := conforming.NewAuthority()
	if err != nil {
		return nil, conforming.Issued{}, err
	}
	issued, err := authority.Issue(conforming.Certificate{Addresses: addresses})
	return authority, issued, err
}

func tlsServer(config *tls.Config, handler http.Handler) *httptest.Server {
	server := httptest.NewUnstartedServer(handler)
	server.Config.ErrorLog = log.New(io.Discard, "", 0) // a failed handshake is what these are about
	server.TLS = config
	server.StartTLS()
	return server
}

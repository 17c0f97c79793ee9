build:
	CGO_ENABLED=0 go build -trimpath -o bin/conformance ./suites/cmd/conformance

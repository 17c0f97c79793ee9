# Builds, tests and releases the one binary. `make` alone lists the targets.

SHELL    := /bin/bash
BINARY   := bin/conformance
COMMIT   := $(shell git describe --always --abbrev=40 --exclude='*' --dirty=+changed 2>/dev/null)
FUZZTIME ?= 10s
PAIRS    ?= 7
POPULATION ?= 20000
COMBINATIONS ?= 5000
RANDOM_SERVICES ?= 10000
# Of the proof, 'proof && !night' is what a change is checked with.
PROOF    ?= proof
MUTANT   ?= created-on-two-digit-fraction-one-user-v5

# The same for all targets, so that each finds in the build cache what another one compiled. Without the data of
# debuggers, which no target needs, compiling takes a seventh less CPU.
export CGO_ENABLED := 0
export GOFLAGS     := $(GOFLAGS) -trimpath -gcflags=all=-dwarf=false

# Compilers take a fifth less CPU if they collect no garbage up to a gibibyte.
COMPILE := GOGC=off GOMEMLIMIT=1GiB

.DEFAULT_GOAL := help
.PHONY: help build conformance test oracles race prove demo many golden fuzz lint bench clean

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "make %-12s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

build: ## build the one static binary, bin/conformance
	$(COMPILE) go build -ldflags '-s -w -X authenticator-conformance/suites/internal/report.commit=$(COMMIT)' \
	  -o $(BINARY) ./suites/cmd/conformance

# A TARGET_URL that is set but empty is passed to the command, which refuses it. A lost URL must not become a pass of the
# embedded reference.
conformance: build ## certify the embedded reference, or TARGET_URL=https://… (settings: AUTHN_ variables, CONFIG=file)
	$(BINARY) run $${TARGET_URL+--target-url "$$TARGET_URL"} $${CONFIG+--config "$$CONFIG"}

# The oracles and the files for Kubernetes have modules of their own: their libraries are as large as the rest of the
# suite. The workspace has all.
WORKSPACE := GOWORK='$(CURDIR)/.ci/tests.work'
ALL       := ./... ./suites/test/oracles/... ./suites/sweep/kubernetes/...

# make lint runs go vet. GOGC: testing takes a sixth less CPU if the garbage collector runs less often. The tests have
# no target but their own servers: what the shell exports for a run must not send them to a deployed service.
TEST := unset "$${!AUTHN_@}"; $(WORKSPACE) GOGC=400 go test -vet=off -count=1 -timeout 30m

# -p: many tests wait for a socket or a deadline. The longest ones start first.
test: ## run the tests, without those of make oracles and make prove; a few services that are made at random are judged, too
	$(TEST) -p 4 ./suites/test/selftest ./suites/test/proof ./... ./suites/test/oracles/services \
	  -ginkgo.label-filter '!proof && !module'

# What the tests above need takes as long to compile as the suite itself; what these need, twice as long.
oracles: ## run the scripts of commands, and the tests with other programs: browser, Markdown, sigstore, Prometheus, Kustomize
	$(TEST) -p 4 ./suites/sweep/kubernetes $$($(WORKSPACE) go list ./suites/test/oracles/... | grep -v /services)
	$(TEST) ./suites/conformance/internal/program -ginkgo.label-filter module

# -v: without it go prints nothing for tests that pass.
prove: ## judge all services of the fixtures in process, and each hostile one by the binary; print what proves each row
	$(TEST) -v ./suites/test/proof ./suites/test/selftest -ginkgo.label-filter '$(PROOF)'

# Its folder is not that of make conformance, which may have a certificate.
demo: export AUTHN_REPORT_DIR := conformance-demo
demo: build ## see a green run of the reference, then a red one of a mutant
	$(BINARY) run
	@set -euo pipefail; served=$$(mktemp); \
	$(BINARY) serve --mutant $(MUTANT) > "$$served" & server=$$!; trap 'kill $$server; rm -f "$$served"' EXIT; \
	for _ in $$(seq 50); do grep -q AUTHN_TARGET_URL "$$served" && break; sleep 0.1; done; \
	head -n 1 "$$served"; command=$$(grep AUTHN_TARGET_URL "$$served"); echo "$$command"; \
	bash -c "$$command" || [ $$? -eq 1 ]

# Each run has others. A failure prints the seed that makes it again. -v prints a dot for each at once, as it takes long.
many: ## judge many services made of two, and many made at random (COMBINATIONS=5000, RANDOM_SERVICES=10000)
	$(TEST) -v -timeout 0 ./suites/test/proof -ginkgo.focus 'made of two' -combinations $(COMBINATIONS) -combination-seed $$RANDOM
	$(TEST) ./suites/test/oracles/services -rapid.checks $(RANDOM_SERVICES)

golden: ## rewrite the golden files, all verdicts and the tables of the READMEs; read the diff before you commit it
	$(TEST) $$(grep -rl --include='*_test.go' olden schemas suites | xargs dirname | sort -u | sed 's|^|./|') -update-golden

# The detector can't see into a browser, and one goroutine renders a page. The proof takes long with it.
race: ## run the tests with the race detector, except self-test, proof and oracles (needs a C compiler)
	unset "$${!AUTHN_@}"; CGO_ENABLED=1 go test -vet=off -count=1 -race $$(go list ./... | grep -v -e /selftest -e /proof)

fuzz: ## run each fuzz target for FUZZTIME (10s; 5000x is a number of inputs)
	@set -euo pipefail; \
	targets=$$(grep -ro --include='*_test.go' '^func Fuzz[A-Za-z]*' fixtures schemas suites) || \
	  { echo "error: no fuzz target was found" >&2; exit 1; }; \
	while IFS=: read -r file name; do \
	  echo "$${file%/*} $${name#func }"; \
	  $(WORKSPACE) go test -vet=off -run '^$$' -fuzz "^$${name#func }$$" -fuzztime $(FUZZTIME) "./$${file%/*}"; \
	done <<< "$$targets"

lint: ## gofmt, go vet, staticcheck (pinned in .ci/tools/go.mod), go mod tidy; changes nothing
	@unformatted=$$("$$(go env GOROOT)/bin/gofmt" -l .) || exit 1; \
	[ -z "$$unformatted" ] || { printf 'error: gofmt would change:\n%s\n' "$$unformatted" >&2; exit 1; }
	$(COMPILE) $(WORKSPACE) go vet $(ALL)
	checker=$$($(COMPILE) go -C .ci/tools tool -n staticcheck) && $(WORKSPACE) "$$checker" $(ALL)
	for module in . suites/test/oracles suites/sweep/kubernetes; do go -C "$$module" mod tidy -diff || exit 1; done

bench: build ## run the benchmarks, then sweeps of POPULATION users (20000) beside a bare client (PAIRS, 7)
	go test -vet=off -run '^$$' -bench . \
	  $$(grep -rl --include='*_test.go' '^func Benchmark' fixtures suites | xargs dirname | sort -u | sed 's,^,./,')
	go run ./suites/test/bench --binary $(BINARY) --pairs $(PAIRS) --population $(POPULATION)

# SOURCE is the URI of the repository. The default names the module and no server, so that all clones build the same.
SOURCE  ?= pkg:golang/authenticator-conformance
PLATFORMS ?= darwin_amd64 darwin_arm64 linux_amd64 linux_arm64 windows_amd64 windows_arm64
export PLATFORMS

.PHONY: release image recipes
release: ## write dist/: archives for six platforms, SHA256SUMS, SBOMs, provenance (VERSION=1.0.0, SOURCE=https://…)
	$(COMPILE) .ci/release archives '$(SOURCE)' $(PLATFORMS)

image: ## write dist/conformance_VERSION_image.tar, an OCI archive for amd64 and arm64; needs no container engine
	$(COMPILE) .ci/release image '$(SOURCE)' $(PLATFORMS)

recipes: ## test the alert rules (with promtool) and the CI recipes with the files of make release and make image (with podman)
	promtool test rules suites/recipes/alerts_test.yml
	cd .ci/tools && $(COMPILE) go vet ./... && go tool staticcheck ./... && go mod tidy -diff && go test -count=1 ./...

clean: ## remove the files of the other targets
	rm -rf bin dist conformance-report conformance-demo

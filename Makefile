# Tools, pinned; they never enter go.mod.
controller_gen := sigs.k8s.io/controller-tools/cmd/controller-gen@v0.23.0
staticcheck    := honnef.co/go/tools/cmd/staticcheck@v0.8.2
gofumpt        := mvdan.cc/gofumpt@v0.12.0

# How long each fuzz target runs.
EACH ?= 30s

# Longest time that one package's tests may take.
test_timeout := 15m

.PHONY: help build kube generate vet lint test test-short check demo bench fuzz cover clean

help: ## list the targets
	@awk -F':.*## ' '/^[a-z-]+:.*## /{printf "%-11s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

build: ## build dragoman, dragoman-manager and dragoman-fleet into bin/
	CGO_ENABLED=0 go build -o bin/ ./cmd/...

kube: ## build the Kubernetes binaries of the local fleet into bin/kube (6 minutes the first time)
	go run ./cmd/dragoman-fleet build

generate: ## write deepcopy code and CRDs anew
	go run $(controller_gen) object paths=./api/...
	go run $(controller_gen) crd paths=./api/... output:crd:dir=api/crds

vet: ## go vet
	go vet ./...

lint: vet ## go vet and staticcheck
	go run $(staticcheck) ./...

test: lint kube build ## all tests: lint, architecture, units, script cases, suites on real API servers, end to end
	go test -timeout $(test_timeout) ./...
	bin/dragoman test --coverage --coverage-min 95 scripts

test-short: ## the tests that need no server
	go test -timeout $(test_timeout) ./api/... ./builtin/... ./engine/... ./scripts/... ./controllers/placement/... ./cmd/dragoman/... ./test/arch/... ./test/attack/... ./test/isolation/... ./test/scripts/...

check: generate ## what a commit must pass: generated code, format, modules, tests, a clean tree
	go run $(gofumpt) -l -w api builtin engine scripts controllers cmd test
	go mod tidy
	$(MAKE) test
	git diff --exit-code

demo: build ## a FlinkDeployment crosses a real fleet and keeps its job through a failover (KEEP=1 leaves it up)
	@CGO_ENABLED=0 go build -o bin/demo ./test/demo
	@bin/demo

bench: ## the engine's figures beside their aims, and the benchmarks of placement and reload
	go run ./test/bench
	go test -run '^$$' -bench . -benchmem -count 3 ./controllers/placement/... ./engine/bundle/...

fuzz: ## native fuzzing of each target for half a minute, or as long as EACH says (EACH=10m)
	go run ./test/fuzz -each $(EACH)

cover: ## line coverage of the Go code
	go test -timeout $(test_timeout) -coverprofile bin/cover.out ./... && go tool cover -func bin/cover.out | tail -1

clean: ## remove what was built, but for the Kubernetes binaries
	rm -rf bin/dragoman bin/dragoman-fleet bin/dragoman-manager bin/demo bin/cover.out

# Tools, pinned; they never enter go.mod.
controller_gen := sigs.k8s.io/controller-tools/cmd/controller-gen@v0.23.0
buf            := github.com/bufbuild/buf/cmd/buf@v1.75.0
gofumpt        := mvdan.cc/gofumpt@v0.12.0
golangci_lint  := github.com/golangci/golangci-lint/v2/cmd/golangci-lint@v2.15.0
govulncheck    := golang.org/x/vuln/cmd/govulncheck@v1.8.0
esbuild        := github.com/evanw/esbuild/cmd/esbuild@v0.28.2

# How long each fuzz target runs.
EACH ?= 30s

# The Lua that ours is compared with.
LUA ?= lua5.1

# Longest time that one package's tests may take.
test_timeout := 40m

# One set of build flags for programs, tests and linters, so that each dependency is
# compiled once. Only the race detector needs cgo.
export CGO_ENABLED := 0
export GOFLAGS := $(strip $(shell go env GOFLAGS) -trimpath)

# Test programs are linked without what only debuggers read, and vet is part of lint.
# COUNT=1 runs tests whose inputs have not changed, too.
go_test := go test -vet=off -ldflags '-s -w' -timeout $(test_timeout) $(if $(COUNT),-count $(COUNT))

# How many packages are tested at the same time. Fleets mostly wait, but six of them starve two slow cores.
AT_ONCE ?= 3

.PHONY: help build playground-editor playground-wasm playground-test kube generate format tidy lint vuln registry gitops argocd test quick test-short race race-suites flakes lag crds old-member check demo demo-kyverno attack price armour soak bench bench-fleet kills chaos model fuzz differential cover clean

help: ## list the targets
	@awk -F':.*## ' '/^[a-z-]+:.*## /{printf "%-18s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

# Without the symbols of debuggers and the paths of this machine.
release := CGO_ENABLED=0 go build -trimpath -ldflags '-s -w'

build: ## build dragoman, dragoman-manager, dragoman-estimator and dragoman-fleet into bin/
	$(release) -o bin/ ./cmd/dragoman ./cmd/dragoman-manager ./cmd/dragoman-estimator ./cmd/dragoman-fleet

kube: ## build the Kubernetes binaries of the local fleet into bin/kube (5 minutes the first time)
	go run ./cmd/dragoman-fleet build

generate: ## write the deepcopy code, the CRDs and the code of the estimator's .proto files (buf builds for minutes the first time)
	go run $(controller_gen) object paths=./api/...
	go run $(controller_gen) crd paths=./api/... output:crd:dir=api/crds
	go run ./api/crds/bound api/crds
	cd api && go run $(buf) generate --path estimator --template estimator/buf.gen.yaml . # plugins are pinned in the template

format: ## format the Go code
	go run $(gofumpt) -l -w .

tidy: ## go mod tidy, in test/gitops too, whose tests are among all tests
	go mod tidy
	cd test/gitops && GOWORK=off go mod tidy

lint: ## golangci-lint with .golangci.yml, go vet and staticcheck among it (builds for a minute the first time)
	go run $(golangci_lint) run --allow-parallel-runners

vuln: ## known vulnerabilities in what is called; needs https://vuln.go.dev
	@go run $(govulncheck) ./... || { code=$$?; echo "govulncheck failed; if it could not read https://vuln.go.dev, nothing was checked" >&2; exit $$code; }

registry: ## bundles in a registry of the CNCF's distribution (750 packages, built for minutes the first time; test has another registry)
	cd test/registry && GOWORK=off go mod tidy -diff && GOWORK=off $(go_test) ./...

gitops: ## what kstatus and Argo CD's rules in Lua say of objects in members and of their templates (test has it too)
	cd test/gitops && GOWORK=off $(go_test) ./...

argocd: ## the same with all rules of Argo CD (1,400 packages, built for three minutes the first time)
	cd test/argocd && GOWORK=off go mod tidy -diff && GOWORK=off go build -ldflags '-s -w' -o ../../bin/argocd .
	cd test/gitops && GOWORK=off ARGOCD_HEALTH=$(CURDIR)/bin/argocd $(go_test) -count 1 ./...

playground-editor: ## bundle CodeMirror for the page of dragoman playground, as cmd/internal/web/editor/package-lock.json pins it (needs npm)
	cd cmd/internal/web/editor && npm ci --ignore-scripts --no-audit --no-fund
	go run $(esbuild) cmd/internal/web/editor/entry.js --bundle --format=esm --minify --target=es2022 --legal-comments=none --outfile=bin/codemirror.js
	gzip -9nc bin/codemirror.js > cmd/internal/web/page/codemirror.js.gz
	cd cmd/internal/web && sha256sum editor/entry.js editor/package-lock.json page/codemirror.js.gz > editor/built.sha256
	go run ./cmd/internal/web/editor/licenses cmd/internal/web/editor/package-lock.json > cmd/internal/web/page/codemirror.LICENSE.txt

playground-wasm: ## build the engine for the browser into bin/wasm, for dragoman playground --export DIR --wasm bin/wasm
	GOOS=js GOARCH=wasm go build -ldflags '-s -w' -o bin/wasm/dragoman.wasm ./cmd/internal/web/wasm
	cp "$$(go env GOROOT)/lib/wasm/wasm_exec.js" bin/wasm/

playground-test: build playground-wasm ## the page of dragoman playground in a headless Chromium, served and as static files (apt-get install chromium)
	cd test/playground && GOWORK=off go mod tidy -diff && GOWORK=off $(go_test) -count 1 ./...

test: kube build ## all tests: architecture, units, script cases, suites on real API servers, end to end
	@go build -o bin/pool ./test/pool/run
	@echo "compiling all tests before the first runs: a fleet has no processor left beside a compiler"
	@go list -test -deps -export ./... > /dev/null
	DRAGOMAN_BIN=$(CURDIR)/bin bin/pool $(go_test) -p $(AT_ONCE) ./test/e2e/failover ./test/e2e/... ./test/seeds ./... # what waits longest comes first
	bin/dragoman test --coverage --coverage-min 95 scripts
	$(MAKE) gitops

quick: ## the tests without servers and heavy tables of packages whose inputs have changed (a change goes with its suite: go test ./controllers/...)
	packages=$$(go run ./test/packages quick) && GOGC=off GOMEMLIMIT=3GiB $(go_test) -short $$packages # nearly all of it is linking

test-short: ## the tests that need no Kubernetes binaries
	packages=$$(go run ./test/packages short) && $(go_test) $$packages

race: ## the tests of packages that share memory, and need no servers, under the race detector (ALL=1 also those with one goroutine that take seconds)
	packages=$$(go run ./test/packages race) && CGO_ENABLED=1 $(go_test) -race $(if $(ALL),,-short) $$packages

race-suites: kube ## the suites of packages that share memory under the race detector (half an hour)
	@go build -o bin/pool ./test/pool/run
	packages=$$(go run ./test/packages race-suites) && CGO_ENABLED=1 bin/pool $(go_test) -race -p 2 $$packages

flakes: kube build ## the tests that need servers, N=20 times each on busy cores, and each spec that failed once (RUN=expression chooses packages, FOR=40m ends it)
	@go build -o bin/pool ./test/pool/run
	@go build -o bin/flake ./test/flakes
	DRAGOMAN_BIN=$(CURDIR)/bin bin/pool bin/flake -n $(or $(N),20) $(if $(FOR),-for $(FOR)) -run '$(RUN)'

lag: kube build ## what is applied right before its template while the manager stands still, ROUNDS=12 times each
	@go build -o bin/pool ./test/pool/run
	LAG_ROUNDS=$(or $(ROUNDS),12) DRAGOMAN_BIN=$(CURDIR)/bin bin/pool $(go_test) -count 1 ./test/e2e -ginkgo.focus 'right before its template'

crds: kube build ## the CRDs of all groups removed and applied again under load (two minutes; test does so with two groups)
	@go build -o bin/pool ./test/pool/run
	CRD_GROUPS=all DRAGOMAN_BIN=$(CURDIR)/bin bin/pool $(go_test) -count 1 ./test/e2e/crds

old-member: kube build ## the stories on a fleet of which one member is Kubernetes 1.29 (builds it for six minutes the first time)
	go run ./cmd/dragoman-fleet build --kubernetes 1.29
	@go build -o bin/pool ./test/pool/run
	DRAGOMAN_OLD_MEMBER=$(CURDIR)/bin/kube-1.29 DRAGOMAN_BIN=$(CURDIR)/bin bin/pool $(go_test) -count 1 ./test/e2e ./test/e2e/failover -ginkgo.label-filter '!admission policies'

check: ## what a commit must pass: generated code, format, modules, lint, test, race; fails if a file of the tree changes
	go run ./test/unchanged $(MAKE) generate format tidy
	go run ./test/unchanged $(MAKE) lint test race COUNT=1

demo: ## a FlinkDeployment crosses a real fleet and keeps its job through a failover (KEEP=1 leaves it up)
	@$(release) -o bin/ ./cmd/dragoman-manager
	@$(release) -o bin/demo ./test/demo
	@bin/demo

demo-kyverno: build ## a FlinkDeployment goes on after a failover by a Kyverno policy of its member (builds Kyverno for 8 minutes the first time)
	cd test/kyverno && GOWORK=off go build -ldflags '-s -w' -o ../../bin/kyverno github.com/kyverno/kyverno/cmd/kyverno
	@go build -o bin/demokyverno ./test/demokyverno
	@bin/demokyverno

attack: ## all attacks on the engine, each with its processor time and memory, on what else users write, and then each on the engine as a process of dragoman (RUN=expression chooses of the first, 15 minutes for all)
	@failed=; go run ./test/attack/table -run '$(RUN)' || failed=1; \
	$(if $(RUN),,$(go_test) -count 1 -v -run 'Attack|Hostile|Budget|Bounded|Pays|KeepsTheNewest' ./controllers/decide/override ./controllers/decide/override/internal/document ./controllers/decide/jsonpath ./controllers/internal/related ./controllers/decide/binding ./api/quantity ./engine/bundle ./engine/bundle/archive ./engine/bundle/cases ./builtin || failed=1; ) \
	$(if $(RUN),,ATTACK_PROCESSES=all $(go_test) -count 1 -timeout 90m -run TestProcesses ./test/attack || failed=1; ) \
	test -z "$$failed" # each says what it found, whatever the others did

price: ## what a unit of gas takes in each function, operator and answer, at most (RUN=expression chooses)
	go run ./test/price/table -run '$(RUN)'

armour: build ## attacks on a running fleet whose manager may have 1 GiB, and what its other users see of them
	@go build -o bin/armour ./test/armour
	@bin/armour -run '$(RUN)'

soak: ## bundles asked about hostile objects for 20 minutes, and what the process keeps in memory
	go run ./test/soak

bench: ## the engine's figures beside their aims, and the benchmarks of placement and reload
	go run ./test/bench
	go test -run '^$$' -bench . -benchmem -count 3 ./controllers/decide/placement/... ./engine/bundle/...

bench-fleet: build ## what the control plane costs on real API servers: N=5000 Deployments to two members, a restart, a member that hangs, five idle minutes (RUN=expression chooses phases)
	@go build -o bin/fleetbench ./test/fleetbench
	@bin/fleetbench -templates $(or $(N),5000) -run '$(RUN)'
	@$(if $(RUN),true,bin/fleetbench -templates $(or $(N),5000) -nodes 500)

kills: build ## the manager killed 50 times while 500 templates are created, edited and deleted, the lead of two managers handed over, API servers away, and what is left (SEED=n; BEFORE=revision takes turns with the manager of that revision)
	@go build -o bin/kills ./test/kills
	$(if $(BEFORE),rm -rf bin/before && git worktree prune && git worktree add --detach bin/before/tree $(BEFORE) && (cd bin/before/tree && $(release) -o ../dragoman-manager ./cmd/dragoman-manager) && git worktree remove --force bin/before/tree)
	@bin/kills -seed $(or $(SEED),1) $(if $(BEFORE),-before bin/before/dragoman-manager)
	@bin/kills -replicas -templates 400 $(if $(BEFORE),-before bin/before/dragoman-manager)

chaos: build ## 100 failovers in 20 minutes while two managers, all API servers and etcd are killed and stopped, and what the store had meanwhile (SEED=n)
	@go build -o bin/chaos ./test/chaos
	@bin/chaos -seed $(or $(SEED),1)

model: ## 100,000 random histories of failovers in each model (RUNS=n, SEED=n)
	MODEL_RUNS=$(or $(RUNS),100000) MODEL_SEED=$(or $(SEED),1) go test -vet=off -timeout 170m -run 'Model' -v ./test/model ./controllers/decide/binding

fuzz: ## native fuzzing of each target for half a minute, or as long as EACH says (EACH=10m)
	go run ./test/fuzz -each $(EACH)

differential: ## 5,000 generated programs in our Lua and in Lua 5.1.5, each difference with a reason; needs lua5.1 (apt-get install lua5.1)
	@command -v $(LUA) > /dev/null || { echo "$(LUA) is missing: it is Lua 5.1.5, the package lua5.1 of Debian and Ubuntu" >&2; exit 1; }
	go run ./test/differential -lua $(LUA) -programs 5000

cover: ## line coverage of the Go code
	go test -timeout $(test_timeout) -coverprofile bin/cover.out ./... && go tool cover -func bin/cover.out | tail -1

clean: ## remove what was built, but for the Kubernetes binaries
	rm -rf bin/wasm bin/dragoman bin/dragoman-fleet bin/dragoman-manager bin/dragoman-estimator bin/demo bin/demokyverno bin/kyverno bin/argocd bin/armour bin/chaos bin/kills bin/before bin/cover.out

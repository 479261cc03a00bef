# The two that matter: make demo, make test. The rest: make help.

# What formatting, linting and releases are done with: the Go that has the
# latest security fixes of the standard library. Building and testing need
# no more than go.mod asks for.
RELEASE_GO := go1.27.3
TOOL       := go tool -modfile=tools/go.mod
VULNDB     := golang.org/x/vulndb@v0.0.0-20261105234957-e22db6528018

PKG    ?= ./...
TIME   ?= 10s
LISTEN ?= 127.0.0.1:8080
DATA   ?= tirage-demo
WORK   ?= place
STEPS  ?= 1000000
SEED   ?= 0
FACE   ?= terminal

fmt lint vuln: export GOTOOLCHAIN = $(RELEASE_GO)

.PHONY: check fmt lint test needs race fuzz sim cover demo gallery types vuln bench help

check: fmt lint test ## what a commit must pass, and what CI runs

fmt: ## formatted, tidy and modern, or fail
	@files=$$(gofmt -l .); test -z "$$files" || { echo "gofmt: $$files"; exit 1; }
	go mod tidy -diff
	go fix -diff ./...

lint: ## vet and golangci-lint
	go vet ./...
	$(TOOL) golangci-lint run

test: needs ## every test, on SQLite and PostgreSQL and in a browser; none may skip
	TIRAGE_TEST=all go test -timeout=20m -shuffle=on $(PKG)

needs: ## PostgreSQL, Chromium, zbarimg, pdftoppm: install by apt where we may, else say what is missing
	@tools/needs

race: ## the same under the race detector (needs a C compiler)
	go test -race -short $(PKG)

fuzz: ## one short run of each fuzz target: make fuzz TIME=30s
	@set -e; for file in $$(grep -rlE '^func Fuzz' --include=*_test.go .); do \
		for target in $$(sed -nE 's/^func (Fuzz[A-Za-z0-9_]*)\(.*/\1/p' $$file); do \
			echo "$$(dirname $$file) $$target"; \
			go test ./$$(dirname $$file) -run='^$$' -fuzz="^$$target\$$" -fuzztime=$(TIME); \
		done; done

sim: needs ## random operations against a naive model on each database: make sim STEPS=1000000 SEED=7
	go test ./central -run='^TestSimulation$$' -v -timeout=0 -steps=$(STEPS) -seed=$(SEED)

cover: ## lines that no test reaches: go tool cover -html=cover.out
	go test -coverprofile=cover.out $(PKG) && go tool cover -func=cover.out | tail -1

demo: ## the whole system with simulated sales: make demo LISTEN=:8080 DATA=DIR
	@echo "Compiling; the first time takes a minute or two."
	go run ./cmd/tirage demo --listen $(LISTEN) --data $(DATA)

gallery: ## every page of a face with sample data, on port 8081: make gallery FACE=office
	go test ./web/$(FACE) -run='^TestGallery$$' -timeout=0 -serve=127.0.0.1:8081

types: ## the scripts' types, by TypeScript from the npm registry
	npm exec --yes --package=typescript@7.0.2 -- tsc --noEmit --allowJs --checkJs --strict --target es2023 --module esnext --moduleDetection force \
		--moduleResolution bundler --lib es2024,dom,dom.iterable web/*/static/*.js

bench: ## figures, each beside its floor: make bench WORK=place, play, pool, settle, checks, read or terminal
	go run ./cmd/tirage bench $(WORK)

vuln: ## known vulnerabilities that we reach, from a stored copy of the database
	@set -e; dir=$$(mktemp -d); trap 'rm -rf "$$dir"' EXIT; \
	data=$$(go mod download -json $(VULNDB) | sed -n 's/^.*"Dir": "\(.*\)".*$$/\1/p'); \
	go run $(subst @,/cmd/indexdb@,$(VULNDB)) -vulns "$$data/data/osv" -out "$$dir/db"; \
	$(TOOL) govulncheck -db "file://$$dir/db" $(PKG)

help: ## this list
	@sed -nE 's/^([a-z]+):.*## (.*)/\1\t\2/p' $(MAKEFILE_LIST) | expand -t10

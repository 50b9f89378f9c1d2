# Bare `make` lists the targets.
GO        ?= go
STREAMGEN := bin/streamgen
EXAMPLES  := account-statements attribution enrich-with-function enriched-orders failed-logins flights hourly-departures landings order-counts order-enrichment page-views processed-orders
SLOWEST   := ./runtime/engine ./examples ./codegen/vectors ./codegen# begun first
SPECS     := $(EXAMPLES:%=examples/%) bench/p1 $(addprefix bench/windows/,count tumbling hopping sessions streams table global foreign)

# Tests and linters make much and keep little: a third of their processor time would be garbage collection.
test race lint: export GOGC ?= 400

.PHONY: help
help:
	@grep -E '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 20

.PHONY: tool
tool: ## build the streamgen command into bin/
	@CGO_ENABLED=0 $(GO) build -trimpath -o $(STREAMGEN) ./cmd/streamgen

.PHONY: demo
demo: tool ## compile an example, run it against an in-process Kafka and show its output
	@$(STREAMGEN) run examples/order-enrichment \
		--input customers=examples/order-enrichment/input/customers.jsonl \
		--input orders=examples/order-enrichment/input/orders.jsonl \
		--show orders_enriched

.PHONY: test
test: ## run all tests (no Kafka, Java or Docker needed; real Kafka is used where Java and Maven are found)
	@$(GO) test $(SLOWEST) ./...

.PHONY: generate
generate: tool ## write generated/ anew from the specs of examples and benchmarks
	@for s in $(SPECS); do $(STREAMGEN) build $$s || exit 1; done

.PHONY: check-generated
check-generated: tool ## fail if generated/ is not what the specs give
	@for s in $(SPECS); do $(STREAMGEN) build --check $$s || exit 1; done

.PHONY: lint
lint: ## gofmt, go vet, staticcheck
	@out=$$(gofmt -l $$(git ls-files '*.go')); [ -z "$$out" ] || { echo "gofmt: $$out"; exit 1; }
	@$(GO) vet ./...
	@$(GO) tool staticcheck ./...

.PHONY: race
race: ## tests of the runtime under the race detector (needs a C compiler)
	@CGO_ENABLED=1 $(GO) test -race -short ./runtime/engine ./runtime/...

.PHONY: chaos
chaos: ## kill the flagship at random: 200 times on kfake, 20 times on real Kafka
	@STREAMGEN_CHAOS=1 STREAMGEN_REQUIRE_KAFKA=1 $(GO) test -count=1 -timeout 60m -run Chaos ./bench/chaos

.PHONY: golden
golden: ## rewrite the goldens
	@$(GO) test ./spec/... ./codegen/... -update

# Everything here works in a fresh clone with Python >= 3.11, make and git.
# Settings are given after the command: `make serve PORT=9000 DATA=/srv/memories`.

PYTHON ?= python3
PORT   ?= 8080
DATA   ?= $(or $(MEMORY_LAYER_DATA),$(HOME)/.memory-layer)
LOCOMO ?=
ENGINEERING ?=
SIZE   ?=
CORES  ?=
BEFORE ?=
COVERAGE ?=
TEXTS   = $(if $(LOCOMO),--texts "$(LOCOMO)") $(if $(ENGINEERING),--texts "$(ENGINEERING)")
TIMES  ?= 10
TESTS  ?= tests
LAYERS ?= placeholder
ARGS   ?= -c profile=dev -c region=us-east-1

BIN := .venv/bin
PY  := $(BIN)/python
PIP  = $(1)/bin/pip --disable-pip-version-check install --quiet --no-compile --no-deps
AWS_COVERAGE := --cov memory_layer.adapters.aws --cov-branch --cov-config=/dev/null --cov-fail-under 90
RUN_SCHEMA := shared/memory_layer/manifest/run_completed.schema.json
ADAPTERS := langgraph anthropic openai-agents strands adk
SIDE_BY_SIDE := --numprocesses 4 --dist loadscope
# Tests sync thousands of small databases: in memory, where 4 GiB are free, they need not wait for a disk.
IN_MEMORY := $(if $(TMPDIR),,$(shell df -k --output=avail /dev/shm 2>/dev/null \
  | awk 'NR == 2 && $$1 > 4194304 {print "TMPDIR=/dev/shm"}'))
ENGINE_TESTS := tests/aws tests/contract tests/deployed tests/infra/test_search_calls.py
PEERS_PYTHON ?= $(shell for one in $(PYTHON) /usr/bin/python3 /usr/local/bin/python3; do \
  $$one -c 'import ensurepip, sqlite3, sys; sys.exit(sys.version_info < (3, 11) or not hasattr(sqlite3.Connection, \
  "enable_load_extension"))' 2>/dev/null && echo $$one && exit; done; echo $(PYTHON))
UV  := .venv-lock/bin/uv pip compile --quiet --universal --python-version 3.11 --fork-strategy fewest \
       --generate-hashes --custom-compile-command 'make lock'

.DEFAULT_GOAL := help
.PHONY: help serve demo test fuzz check format lint types openapi client model
.PHONY: adapters clients coverage console check-console engines engines-stop test-aws layers synth
.PHONY: bench bench-compare bench-answers bench-graph bench-retrieval bench-context bench-judgement bench-learning bench-lifecycle bench-hooks bench-context-storm bench-context-speed bench-context-prefetch bench-lists bench-poison bench-peers bench-aws bench-units costs lock clean

help: ## Show these commands
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  make %-16s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

# ---- use it

serve: model ## Serve API, docs and console on http://127.0.0.1:8080 (PORT=, DATA=)
	@$(PY) -m tools.build_console || true
	@$(BIN)/mem serve --port $(PORT) --data "$(DATA)"

demo: model ## Watch it remember, recall, learn from outcomes and compose a prompt
	@$(PY) -m memory_layer.local.demo

model: .venv/.product ## Build and check the embedding model (serve does it too)
	@$(BIN)/mem model build || echo "No embedding model: recall goes by words alone. 'make model' tries again."

console: .venv/.product ## Build the web console (serve does it too; needs Node.js 20, which it fetches where it is missing)
	@$(PY) -m tools.build_console

# ---- work on it

test: .venv/.tools model ## Run every test that needs no external engine
	@$(IN_MEMORY) $(PY) -m pytest --numprocesses auto --dist worksteal $(COVERAGE)

fuzz: .venv/.tools model ## Run the property tests and state machines at random, TIMES=10 as long (TESTS=folder or file)
	@$(IN_MEMORY) FUZZ=$(TIMES) $(PY) -m pytest -m "hypothesis and not engines" --numprocesses auto --dist worksteal $(TESTS)

test-aws: .venv/.tools .venv-ministack/.ready layers/dist/.host engines ## Run the tests that need DynamoDB Local or OpenSearch
	@where="$$($(PYTHON) -m tests.engines env)" && eval "$$where" && $(PY) -m pytest -m engines $(ENGINE_TESTS) $(SIDE_BY_SIDE) $(COVERAGE)

coverage: ## Run them all again and hold branch coverage to 90 % (it takes half as long again)
	@$(MAKE) test COVERAGE=--cov
	@$(MAKE) test-aws COVERAGE="$(AWS_COVERAGE)"

adapters: $(ADAPTERS:%=.venv-adapters/%/.ready) ## Fetch (once) the frameworks of agents whose adapters make test then tries

clients: .venv-clients/.ready ## Fetch (once) the generators of TypeScript and Python clients that make test then tries (needs npm)

engines: ## Fetch (once) and start both on loopback (needs a JDK 21 to 25, maven, npm)
	@$(PYTHON) -m tests.engines start

engines-stop: ## Stop them
	@$(PYTHON) -m tests.engines stop

check: lint types check-console test ## Format, lint, types, tests, drift of openapi.json and of the locks (CI: test-aws as well)

format: .venv/.tools ## Format the code
	@$(BIN)/ruff check --quiet --select I --fix . && $(BIN)/ruff format .

lint: .venv/.tools
	@$(BIN)/ruff format --check . && $(BIN)/ruff check .
	@$(BIN)/skillsaw lint --strict --quiet shared/memory_layer/plugin/bundle

types: .venv/.tools
	@$(BIN)/mypy

check-console: .venv/.product
	@if command -v npm >/dev/null; then $(PY) -m tools.build_console && $(PY) -m tools.build_console --check; \
	  else echo "No npm: the console's sources are not checked."; fi

openapi: .venv/.tools ## Write docs/openapi.json from the routes, and the schema of a run's report
	@$(PY) -c 'from memory_layer.edge.app import document_text; print(document_text(), end="")' > docs/openapi.json
	@$(PY) -c 'from memory_layer.edge.shapes.run_schema import schema_text; print(schema_text(), end="")' > $(RUN_SCHEMA)

client: .venv/.tools ## Derive the Python client's operations and models from docs/openapi.json
	@$(PY) -m tools.derive_client

# ---- deploy it

layers: .venv/.tools model ## Build Lambda's layers from the locks, for arm64
	@$(PY) layers/build.py --arch arm64

layers/dist/.host: requirements-aws.lock layers/build.py shared/memory_layer/manifest/layers.py | .venv/.tools model
	@$(PY) layers/build.py --arch host
	@touch $@

synth: .venv/.tools ## Write the CloudFormation templates to cdk.out (LAYERS=dist for the real layers; ARGS='-c ...')
	@$(PY) -m infra.app -c layers=$(LAYERS) $(ARGS)

# ---- measure it (prints a table; each takes --json FILE when called as a module)

bench: model .venv/.tools ## Speed at 10 k and 100 k memories beside its targets (SIZE=1000000 too; CORES=2; LOCOMO=, ENGINEERING=: real texts)
	@$(PY) -m tests.bench.speed $(TEXTS) $(if $(SIZE),--more $(SIZE)) $(if $(CORES),--cores $(CORES))

bench-compare: model .venv/.tools ## The same on two checkouts in one run, before and after (BEFORE=folder)
	@test -n "$(BEFORE)" || { echo "Say where the older checkout is: make bench-compare BEFORE=folder"; exit 2; }
	@$(PY) -m tests.bench.compare --before "$(BEFORE)" $(TEXTS) $(if $(SIZE),--more $(SIZE)) $(if $(CORES),--cores $(CORES))

bench-answers: model .venv/.tools ## 10,000 random queries on two checkouts: are the answers the same (BEFORE=folder)
	@test -n "$(BEFORE)" || { echo "Say where the older checkout is: make bench-answers BEFORE=folder"; exit 2; }
	@$(PY) -m tests.bench.same_answers --before "$(BEFORE)" $(TEXTS)

bench-retrieval: model .venv/.tools ## Evidence recall on LoCoMo (LOCOMO=folder with memories.jsonl, questions.jsonl)
	@test -n "$(LOCOMO)" || { echo "Say where LoCoMo is: make bench-retrieval LOCOMO=folder"; exit 2; }
	@$(PY) -m tests.bench.retrieval "$(LOCOMO)"

bench-context: model .venv/.tools ## Evidence in a context on LoCoMo, against plain top-k of the same tokens (LOCOMO=)
	@test -n "$(LOCOMO)" || { echo "Say where LoCoMo is: make bench-context LOCOMO=folder"; exit 2; }
	@$(PY) -m tests.bench.context "$(LOCOMO)"

bench-judgement: model .venv/.tools ## Judgement on real text beside its targets (CORPUS=folder; LOCOMO=, FOREIGN=, PAIRS=, VERDICTS=, LABELS=, JSON=)
	@test -n "$(CORPUS)" || { echo "Say where facts.jsonl and questions.jsonl are: make bench-judgement CORPUS=folder"; exit 2; }
	@$(PY) -m tests.bench.judgement "$(CORPUS)" $(if $(LOCOMO),--locomo "$(LOCOMO)") $(if $(FOREIGN),--foreign "$(FOREIGN)") $(if $(PAIRS),--pairs "$(PAIRS)") $(if $(VERDICTS),--verdicts "$(VERDICTS)") $(if $(LABELS),--labels "$(LABELS)") $(if $(JSON),--json "$(JSON)")

bench-graph: model .venv/.tools ## What the graph adds to recall on LoCoMo, by category (LOCOMO=folder)
	@test -n "$(LOCOMO)" || { echo "Say where LoCoMo is: make bench-graph LOCOMO=folder"; exit 2; }
	@$(PY) -m tests.bench.graph "$(LOCOMO)"

bench-learning: model .venv/.tools ## Does it learn: honest, noisy and hostile voters, and runs that cite nothing (half an hour; ROUNDS=20 for less; LOCOMO=)
	@$(PY) -m tests.bench.learning
	@$(PY) -m tests.bench.uncited_runs $(if $(ROUNDS),--rounds $(ROUNDS)) $(if $(LOCOMO),--locomo "$(LOCOMO)")

bench-poison: model .venv/.tools ## Hostile agents among people's memories, and their cost to honest ones (ENGINEERING=, LOCOMO=, JSON=)
	@$(PY) -m tests.bench.poison $(if $(ENGINEERING),--engineering "$(ENGINEERING)") $(if $(LOCOMO),--locomo "$(LOCOMO)") $(if $(JSON),--json "$(JSON)")

bench-context-storm: model .venv/.tools ## 10,000 contexts with sources that hang, fail and are empty: is every promise kept?
	@$(PY) -m tests.bench.context_storm

bench-context-speed: model .venv/.tools ## How long a context takes at 100,000 memories in 20 projects
	@$(PY) -m tests.bench.context_speed $(TEXTS)

bench-context-prefetch: model .venv/.tools ## How often the next request of a session is foreseen, and what a hit costs (LOCOMO=folder ENGINEERING=folder)
	@test -n "$(LOCOMO)" -a -n "$(ENGINEERING)" || { echo "Say where the texts are: make bench-context-prefetch LOCOMO=folder ENGINEERING=folder"; exit 2; }
	@$(PY) -m tests.bench.context_prefetch "$(LOCOMO)" "$(ENGINEERING)"

bench-lists: model .venv/.tools ## What inverted lists would save and lose at 1 M (LOCOMO=folder ENGINEERING=folder)
	@test -n "$(LOCOMO)" -a -n "$(ENGINEERING)" || { echo "Say where the texts are: make bench-lists LOCOMO=folder ENGINEERING=folder"; exit 2; }
	@$(PY) -m tests.bench.inverted_lists "$(LOCOMO)" "$(ENGINEERING)"

bench-hooks: model .venv/.tools ## A working day of five coding agents through their hooks: processor time, tokens, what was learned
	@$(PY) -m tests.bench.hooks

bench-lifecycle: .venv/.tools ## A simulated year of 5,000 memories: what becomes of them, by which rule, and a chart
	@$(PY) -m tests.bench.lifecycle

bench-peers: model .venv/.tools .venv-peers/.ready ## Speed beside mem0, Chroma, LangGraph, sqlite-vec, LanceDB (half an hour; LOCOMO=, ENGINEERING=)
	@$(PY) -m tests.bench.peers.run $(TEXTS)

bench-units: model .venv/.tools engines ## Units, requests and rounds of each call of the cloud, and of a busy project (writes docs/cloud-counts.json)
	@$(PY) -m tests.bench.cloud.units --memories 300 --calls 11 --json docs/cloud-counts.json
	@$(PY) -m tests.bench.cloud.recall_load

costs: .venv/.tools ## Compute docs/costs.md from docs/cloud-counts.json
	@$(PY) -m tools.cloud_costs

bench-aws: model .venv/.tools engines ## What our code adds to a warm call in the cloud; LOCOMO= for recall there as well
	@$(PY) -m tests.bench.aws
	@test -z "$(LOCOMO)" || $(PY) -m tests.bench.retrieval --backend aws "$(LOCOMO)"

# ---- environments: plain pip, every file checked by its hash

.venv: .venv/.tools

.venv/.product: requirements.lock
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null || \
	  { echo "Python 3.11 or newer is needed; name one: make $(MAKECMDGOALS) PYTHON=python3.12"; exit 1; }
	@$(PYTHON) -c 'import ensurepip, venv' 2>/dev/null || \
	  { echo "Python's venv module is missing; on Debian: apt install python3-venv"; exit 1; }
	@echo "Setting up .venv (once, about half a minute) ..."
	@$(PYTHON) -m venv --clear .venv
	@$(call PIP,.venv) --require-hashes -r requirements.lock
	@$(call PIP,.venv) --no-build-isolation --editable .
	@touch $@

.venv/.tools: .venv/.product requirements-aws.lock requirements-dev.lock
	@echo "Adding the cloud's libraries, and the tools for tests and checks ..."
	@$(call PIP,.venv) --require-hashes -r requirements-aws.lock
	@$(call PIP,.venv) --require-hashes -r requirements-dev.lock
	@touch $@

.venv-peers/.ready: tests/bench/peers/requirements.txt
	@echo "Setting up .venv-peers (once, about a minute) ..."
	@$(PEERS_PYTHON) -m venv --clear .venv-peers
	@$(call PIP,.venv-peers) --require-hashes -r $<
	@touch $@

.venv-clients/.ready: tests/clients/requirements.txt tests/clients/package.json tests/clients/package-lock.json
	@command -v npm >/dev/null || { echo "npm is missing; on Debian: apt install npm"; exit 1; }
	@echo "Setting up .venv-clients (once, about half a minute) ..."
	@$(PYTHON) -m venv --clear .venv-clients
	@$(call PIP,.venv-clients) --require-hashes -r $<
	@cp tests/clients/package.json tests/clients/package-lock.json .venv-clients
	@npm ci --prefix .venv-clients --silent --no-audit --no-fund --ignore-scripts
	@touch $@

.venv-adapters/%/.ready: tests/integrations/%/requirements.txt
	@echo "Setting up .venv-adapters/$* (once) ..."
	@$(PYTHON) -m venv --clear .venv-adapters/$*
	@$(call PIP,.venv-adapters/$*) --require-hashes -r $<
	@touch $@

.venv-ministack/.ready: tests/deployed/requirements.txt
	@echo "Setting up .venv-ministack (once) ..."
	@$(PYTHON) -m venv --clear .venv-ministack
	@$(call PIP,.venv-ministack) --require-hashes -r $<
	@touch $@

lock: ## Resolve all dependencies anew (needs an index; review the difference)
	@test -x .venv-lock/bin/uv || { $(PYTHON) -m venv .venv-lock && .venv-lock/bin/pip install --quiet 'uv>=0.13,<0.14'; }
	@$(UV) pyproject.toml --extra local --group weights --group build --upgrade -o requirements.lock
	@$(UV) pyproject.toml --extra local --extra aws -c requirements.lock --upgrade -o requirements-aws.lock
	@$(UV) --group dev --group infra -c requirements.lock -c requirements-aws.lock --upgrade -o requirements-dev.lock
	@$(UV) tests/bench/peers/requirements.in --upgrade -o tests/bench/peers/requirements.txt
	@$(UV) tests/deployed/requirements.in --upgrade -o tests/deployed/requirements.txt
	@$(UV) tests/clients/requirements.in --upgrade -o tests/clients/requirements.txt
	@$(UV) tools/node.in --upgrade -o tools/node.txt
	@cd tests/clients && npm install --package-lock-only --silent
	@cd shared/memory_layer/console/web && npm install --package-lock-only --silent
	@for one in $(ADAPTERS); do \
	  $(UV) pyproject.toml --extra $$one tests/integrations/requirements.in --upgrade -o tests/integrations/$$one/requirements.txt; done

clean: ## Remove environments and caches (memories in DATA and the model stay)
	@rm -rf .venv .venv-peers .venv-lock .venv-ministack .venv-clients .venv-node .venv-adapters .mypy_cache .pytest_cache .ruff_cache .hypothesis .coverage*
	@rm -rf dist cdk.out layers/dist shared/memory_layer/console/bundle shared/memory_layer/console/web/node_modules
	@find shared functions infra layers tests -name __pycache__ -type d -prune -exec rm -rf {} +

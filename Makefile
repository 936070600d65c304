# `make help` lists what there is. Everything happens in .venv and target; nothing is installed elsewhere.

PYTHON ?= $(shell for p in python3 python3.14 python3.13 python3.12 python3.11; do \
	$$p -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && echo $$p && break; done)
VENV := .venv
BIN := $(VENV)/bin
BARE := target/bare
PIP := $(BIN)/python -m pip --disable-pip-version-check install --quiet
CONSTRAINTS := constraints.txt
# Tests start hundreds of processes, and each would compile the whole package again.
unexport PYTHONDONTWRITEBYTECODE
# The package of the tests is built with their profile, `make demo` and `make demo-2003` build it as users have it.
$(VENV)/.installed-dev test-python test-commands shown: export MATURIN_PEP517_ARGS ?= --profile dev
SOURCES := Cargo.toml Cargo.lock pyproject.toml $(shell find crates -type f -not -path '*/tests/*')

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.PHONY: help browser test-browser demo demo-2003 test test-all test-python-and-commands test-commands shown reference test-rust clippy test-python test-live live fuzz fuzz-networks fuzz-files fuzz-properties fuzz-statistics mutants miri bench bench-check bench-pairs packets-per-second crosscheck crosscheck-kernel crosscheck-queues crosscheck-cake crosscheck-classes crosscheck-router crosscheck-autorate crosscheck-ledger crosscheck-bbr crosscheck-floods uml-kernel docs constraints wheel release package oldest-rust clean

help: ## what there is
	@sed -n 's/^\([a-z0-9-]*\):.*## \(.*\)/  make \1\t\2/p' $(MAKEFILE_LIST) | expand -t 20

demo: $(VENV)/.installed$(if $(PGO),-profile-guided) ## four queues on a household's line: a verdict, and a report in results/demo (PGO=1: as released)
	@test -e results/demo.toml || $(BIN)/aqmlab new home -o results/demo.toml
	$(BIN)/aqmlab compare results/demo.toml --output results/demo

demo-2003: $(VENV)/.installed$(if $(PGO),-profile-guided) ## a short version of the 2003 study, with a report in report/ (PGO=1: as released)
	$(BIN)/aqmlab reproduce le2003 --scale quick --output report

# In a folder of its own, so that the builds of tests do not wait for it.
BROWSER_MODULE := target/module/wasm32-unknown-unknown/browser/aqmlab_browser.wasm

browser: target/browser/index.html ## a page that simulates a household in any browser: static files in target/browser

target/browser/index.html: $(BROWSER_MODULE) $(wildcard tools/browser/*.py tools/browser/page/*) $(shell find python/aqmlab -name '*.py' -o -name '*.js' -o -name '*.css' -o -name '*.html' -o -name 'scenes.json') | $(firstword $(wildcard $(VENV)/.installed-dev) $(VENV)/.installed)
	$(BIN)/python tools/browser/build.py $(BROWSER_MODULE) target/browser

$(BROWSER_MODULE): $(SOURCES)
	@$(HAS_WASM_TARGET) || rustup target add wasm32-unknown-unknown || { echo 'Rust lacks the target for browsers: rustup target add wasm32-unknown-unknown' >&2; exit 2; }
	MAKEFLAGS= cargo build --locked --quiet --profile browser --package aqmlab-browser --target wasm32-unknown-unknown --target-dir target/module
	@touch $@

HAS_WASM_TARGET = test -d "$$(rustc --print sysroot)/lib/rustlib/wasm32-unknown-unknown/lib"

test-browser: $(VENV)/.installed-dev ## that page: its numbers beside native ones in Node, its controls in Chromium
	$(MAKE) browser
	$(BIN)/pytest --quiet -m exhaustive tests/python/test_browser_page.py

# Both halves at once: either leaves a processor idle for minutes.
test: ## what every edit should leave standing, Rust and Python: minutes
	$(MAKE) --jobs=2 --output-sync=line test-rust test-python

# All commands choose the whole workspace: Cargo then resolves one set of features, and what maturin has built for the
# package is what the tests link. What only checks has a folder of its own: without the environment that maturin sets for
# pyo3's build script, it would make Cargo build the package again, and it would wait for the lock of the builds.
test-rust:
	cargo fmt --all --check
	rustfmt --edition 2024 --check crates/aqm/src/algorithms/*.rs crates/link/src/service/*.rs crates/tcp/src/congestion/*.rs crates/tcp/src/congestion/*/mod.rs crates/web/src/models/*.rs crates/applications/src/datagrams/*.rs  # named in macros, which hide them from cargo
	$(if $(EXHAUSTIVE),$(MAKE) clippy)
	$(if $(EXHAUSTIVE),RUSTDOCFLAGS='--deny warnings' cargo doc --workspace --no-deps --locked --quiet --target-dir target/checked)
	MAKEFLAGS= cargo test --workspace --locked --quiet $(if $(EXHAUSTIVE),-- --include-ignored)  # rustdoc finds no jobs of make

clippy: ## Clippy alone, which test-all runs too
	cargo clippy --workspace --all-targets --locked --quiet --target-dir target/checked -- --deny warnings

# Where no target for browsers can be had the page is not built, and its tests are skipped.
test-python: $(VENV)/.installed-dev $(VENV)/.stubs-tested
	$(if $(EXHAUSTIVE),-$(MAKE) browser)
	$(BIN)/ruff check --quiet
	$(BIN)/ruff format --check --quiet
	$(BIN)/mypy
	$(BIN)/lint-imports --no-cache
	$(if $(EXHAUSTIVE),AQMLAB_TEST_LIMIT_S=100) $(BIN)/pytest --quiet --numprocesses 2 --dist loadfile $(if $(EXHAUSTIVE),-m 'not commands')

# The commands come after the Python tests: studies use both processors to their end, and the Python tests, some of which
# promise what happens within a second, have the Rust tests beside them and not a study.
test-all: ## all tests, those marked exhaustive too, and everything that README, tutorial, help and examples show, unaltered
	$(MAKE) --jobs=2 --output-sync=line EXHAUSTIVE=1 test-rust test-python-and-commands

test-python-and-commands:
	$(MAKE) test-python
	$(MAKE) test-commands

test-commands: $(VENV)/.installed-dev ## that alone
	tools/bare_install.sh $(BARE) $(BIN)/python
	AQMLAB_BARE=$(BARE)/bin $(BIN)/pytest --quiet -m commands --timeout 1800 --numprocesses 4 --dist loadfile tests/python/commands

shown: $(VENV)/.installed-dev ## writes anew what README and the tutorial show of what commands print
	tools/bare_install.sh $(BARE) $(BIN)/python
	AQMLAB_BARE=$(BARE)/bin AQMLAB_UPDATE_SHOWN=1 $(BIN)/pytest --quiet -m commands --timeout 1800 tests/python/commands/test_commands_of_pages.py

reference: $(VENV)/.installed-dev ## writes the generated pages of docs/reference anew, and that of claims with hosts of today
	for page in api command errors quantities today paper; do $(BIN)/python tests/python/$${page}_page.py || exit; done

test-live: $(VENV)/.installed-dev ## the tests of live runs alone: where one could not be made this fails, and is not skipped
	AQMLAB_LIVE_REQUIRED=1 cargo test --locked --quiet --package aqmlab-live
	AQMLAB_LIVE_REQUIRED=1 $(BIN)/pytest --quiet tests/python/test_live.py

live: test-live

fuzz: fuzz-networks fuzz-files fuzz-properties fuzz-statistics ## random inputs for FUZZ_HOURS (1) or FUZZ_CASES each, from FUZZ_SEED (the date)

FUZZ_SEED ?= $(shell date +%Y%m%d)
FUZZ_LENGTH = $(if $(FUZZ_CASES),--cases $(FUZZ_CASES),--hours $(or $(FUZZ_HOURS),1))

fuzz-networks: ## random legal networks alone, or with CASE=seed:case one of them again
	cargo run --locked --quiet --profile test -p aqmlab-fuzz -- \
		$(if $(CASE),replay $(CASE),networks --seed $(FUZZ_SEED) $(FUZZ_LENGTH))

fuzz-files: $(VENV)/.installed-dev ## damaged files of every kind that the tools read, alone, or with KIND and CASE one again
	PYTHONPATH=tests/python $(BIN)/python -m file_fuzzer --seed $(FUZZ_SEED) \
		$(if $(CASE),--kind $(KIND) --case $(CASE),$(FUZZ_LENGTH))

fuzz-properties: ## the property tests with other cases alone; FUZZ_CASES counts 3,000 as a round of all of them
	@tools/fuzz/properties.sh $(FUZZ_SEED) \
		$(if $(FUZZ_CASES),--rounds $$(( ($(FUZZ_CASES) + 2999) / 3000 )),--hours $(or $(FUZZ_HOURS),1))

fuzz-statistics: $(VENV)/.installed-dev ## random results and pairs of scenarios alone; FUZZ_CASES counts 150 as a round, by default 20 rounds
	AQMLAB_PROPERTY_SEED=$(FUZZ_SEED) AQMLAB_PROPERTY_ROUNDS=$(if $(FUZZ_CASES),$$(( ($(FUZZ_CASES) + 149) / 150 )),20) \
		$(BIN)/pytest --quiet -m 'not commands' --numprocesses 2 tests/python/test_naive_quantities.py tests/python/test_pairs_of_scenarios.py

mutants: ## what the tests of CRATE (aqm) miss, or SHARD=k/n of it, by cargo-mutants; hours (docs/explanation/testing.md)
	@command -v cargo-mutants >/dev/null || { echo 'cargo install --locked cargo-mutants' >&2; exit 2; }
	CARGO_PROFILE_TEST_DEBUG=0 cargo mutants --package aqmlab-$(or $(CRATE),aqm) \
		$(if $(SHARD),--shard $(SHARD)) --output target/mutants

miri: ## what calls C functions and what C calls, under Miri, which finds any wrong use of memory (needs a nightly Rust)
	@cargo +nightly miri --version >/dev/null 2>&1 || { echo 'rustup toolchain install nightly --component miri --component rust-src' >&2; exit 2; }
	cargo +nightly miri test --locked --quiet --package aqmlab-plugin --test function_tables --test controller_table --target-dir target/miri
	cargo +nightly miri test --locked --quiet --package aqmlab-aqm-c --test calls --target-dir target/miri

bench: ## time, instructions and memory per packet and per step, beside ns-2 where it is installed (PGO=1: as released), and ns-3 in NS3
	$(PYTHON) tools/bench/bench.py $(if $(PGO),--profile-guided) $(if $(NS3),--ns3 $(NS3))

packets-per-second: ## packets a second a core beside ns-2, ns-3 (NS3=.../site-packages/ns3) and htsim (HTSIM=.../csg-htsim/sim), on one scenario
	$(PYTHON) tools/bench/packets_per_second.py $(if $(RUNS),--runs $(RUNS)) $(if $(NS3),--ns3 $(NS3)) $(if $(HTSIM),--htsim $(HTSIM))

bench-pairs: ## time beside the last release, in pairs of fresh copies: fails where that is faster (LEDGER=1: with a row in the ledger)
	$(PYTHON) tools/bench/pairs.py $(if $(LEDGER),--ledger) $(if $(PAIRS),--pairs $(PAIRS))

bench-check: ## refuses more instructions or misses than the last release has, or with UPDATE=1 adds what is new (needs valgrind)
	$(PYTHON) tools/bench/bench.py --check $(if $(UPDATE),--update) $(if $(WORKERS),--workers $(WORKERS))

crosscheck: $(VENV)/.installed ## the same scenario in ns-2 (needs ns2), ns-3 (NS3=.../site-packages/ns3) and here, side by side
	$(BIN)/python -m tests.crosscheck
	$(BIN)/python -m tests.crosscheck.clouds
	$(BIN)/python -m tests.crosscheck.red_pd
	$(BIN)/python -m tests.crosscheck.codel $(if $(NS3),--ns3 $(NS3))

crosscheck-kernel: ## this machine's kernel (Linux) and our TCP, segment by segment, in N (60) new conversations of each kind from SEED (44); KEEP=FILE keeps them
	$(PYTHON) -m tests.crosscheck.kernel --seed $(or $(SEED),44) --conversations $(or $(N),60) $(if $(KEEP),--keep $(KEEP))

crosscheck-queues: $(VENV)/.installed ## FQ-CoDel and CAKE beside the kernel's, in user-mode Linux in virtual time (UML=... the kernel, see uml-kernel; no privileges)
	$(BIN)/python -m tests.crosscheck.queues

crosscheck-cake: $(VENV)/.installed ## CAKE's tins and ACK filter, asked of a kernel and stored for `cargo test` (UML and MODULES as for crosscheck-router)
	$(BIN)/python -m tests.crosscheck.cake

crosscheck-classes: $(VENV)/.installed ## bands of prio and shares of htb, asked of a kernel and stored for `cargo test` (UML and MODULES as for crosscheck-router)
	$(BIN)/python -m tests.crosscheck.classes

crosscheck-router: $(VENV)/.installed ## what `aqmlab sqm` prints, typed into a kernel before plain modems (UML=... the kernel, by default the built one, else Debian's; MODULES=... its modules, if elsewhere)
	$(BIN)/python -m tests.crosscheck.router_lines

crosscheck-autorate: $(VENV)/.installed ## cake-autorate itself before a line that varies, stored for `cargo test` (AUTORATE=a folder with cake-autorate.sh; root)
	$(BIN)/python -m tests.crosscheck.autorate

crosscheck-ledger: $(VENV)/.installed ## the kernel's side of `aqmlab reproduce strangers --source kernel`, made anew (UML as for crosscheck-queues; MINUTES=10: a part)
	$(BIN)/python -m tests.crosscheck.ledger $(if $(MINUTES),--minutes $(MINUTES))

crosscheck-bbr: $(VENV)/.installed ## BBRv1 of a kernel beside ours, three lines, two buffers, six seeds (UML as for crosscheck-router; MINUTES=10: a part)
	$(BIN)/python -m tests.crosscheck.bbr $(if $(MINUTES),--minutes $(MINUTES))

crosscheck-floods: $(VENV)/.installed ## CAKE, CHOKe and SFB of a kernel beside ours, two streams beside downloads, six seeds (UML, MINUTES as for crosscheck-bbr)
	$(BIN)/python -m tests.crosscheck.floods $(if $(MINUTES),--minutes $(MINUTES))

uml-kernel: ## the kernel of crosscheck-queues, in target/uml: minutes (SOURCE=... a tar of Linux's source, by default Debian's in /usr/src)
	tests/crosscheck/uml/build.sh "$(or $(SOURCE),$(lastword $(sort $(wildcard /usr/src/linux-source-*.tar.xz))))" target/uml/linux

docs: $(VENV)/.installed-dev ## the documentation as a site, in target/site
	$(BIN)/zensical build --strict

constraints: $(BIN)/python ## the newest versions of what the tests need, written to constraints.txt
	$(PIP) --upgrade --upgrade-strategy eager --editable '.[dev]'
	sed -n '/^#/p' constraints.txt > $(VENV)/constraints.txt
	$(BIN)/python -m pip --disable-pip-version-check freeze --exclude-editable >> $(VENV)/constraints.txt
	mv $(VENV)/constraints.txt constraints.txt

wheel: $(VENV)/.installed-dev ## a wheel to give away, in target/wheels
	$(BIN)/maturin build --release --locked --out target/wheels

release: $(VENV)/.installed-dev ## a wheel optimised for what users run (seconds of training runs), in target/wheels
	@$(HAS_PROFILE_TOOLS)
	$(BIN)/maturin build --release --locked --pgo --out target/wheels

LLVM_PROFDATA = $(shell find "$$(rustc --print sysroot)" -name llvm-profdata 2>/dev/null | head -1)
HAS_PROFILE_TOOLS = test -x "$(LLVM_PROFDATA)" || { echo 'rustup component add llvm-tools' >&2; exit 2; }

# Every crate that does not say `publish = false`; Cargo finds the order.
PUBLISHED = $(patsubst crates/%/Cargo.toml,aqmlab-%,$(shell grep --files-without-match '^publish = false' crates/*/Cargo.toml))

package: ## the simulator and the crates for other programs as crates.io would get them: packed, and built from what was packed
	cargo package --locked --quiet $(PUBLISHED:%=--package %)

# A folder of its own: it would build everything anew for the other compiler each time.
OLDEST_RUST = $(shell sed -n 's/^rust-version = "\(.*\)"/\1/p' Cargo.toml)

oldest-rust: ## those crates under the oldest Rust that Cargo.toml promises (needs rustup)
	@rustc +$(OLDEST_RUST) --version >/dev/null 2>&1 || { echo 'rustup toolchain install --profile minimal $(OLDEST_RUST)' >&2; exit 2; }
	cargo +$(OLDEST_RUST) check --locked --quiet --target-dir target/oldest $(PUBLISHED:%=--package %)

clean: ## removes everything that was made here
	rm -rf $(VENV) target report results python/aqmlab/_core*.so
	find python tests -name __pycache__ -prune -exec rm -rf {} +
	rm -rf .mypy_cache .pytest_cache .ruff_cache

# Editable: Python files are used where they are; only a change of Rust files builds anew. There is one module for all
# builds, so that each takes away what says that another stands.
$(VENV)/.installed: $(SOURCES) | $(BIN)/python
	@rm -f $(VENV)/.installed*
	$(PIP) --editable .
	@touch $@

# Builds twice and trains in between: minutes more than what the demo then saves, so only on request.
$(VENV)/.installed-profile-guided: $(SOURCES) | $(BIN)/python
	@$(HAS_PROFILE_TOOLS)
	@rm -f $(VENV)/.installed*
	MATURIN_PGO=true $(PIP) --editable .
	@touch $(VENV)/.installed $@

$(VENV)/.installed-dev: $(SOURCES) $(CONSTRAINTS) | $(BIN)/python
	@rm -f $(VENV)/.installed*
	$(PIP) $(CONSTRAINTS:%=--constraint %) --editable '.[dev]'
	@touch $@ $(VENV)/.installed

# Half a minute, and only one of these can change what it finds.
$(VENV)/.stubs-tested: $(VENV)/.installed-dev python/aqmlab/_core.pyi
	$(BIN)/python -m mypy.stubtest aqmlab._core
	@touch $@

$(BIN)/python:
	@test -n '$(PYTHON)' || { echo 'Python 3.11 or newer is needed; if it is there, say make PYTHON=...' >&2; exit 2; }
	@$(PYTHON) -c 'import ensurepip, venv' 2>/dev/null || { echo 'venv of Python is needed: apt install python3-venv' >&2; exit 2; }
	@command -v cc >/dev/null || { echo 'a C linker is needed: apt install gcc libc6-dev' >&2; exit 2; }
	@command -v cargo >/dev/null || { \
		echo "Rust is needed: curl --proto '=https' --tlsv1.2 -sSf https://sh.rustup.rs | sh (https://rustup.rs)," >&2; \
		echo 'then, in this terminal: . "$$HOME/.cargo/env"' >&2; exit 2; }
	$(PYTHON) -m venv $(VENV)

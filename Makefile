# Two commands for a new machine: `make run` opens the app, `make test` passes the tests.
PYTHON ?= python3
BIN := .venv/bin
SERVER := .venv/model-server
LOCKER := .venv/locker
CODE := memory_bank app.py pages components tests scripts examples training
DATA ?= ../shared/data

.PHONY: run test test-browser test-others setup setup-dev check format lint types bench eval figures screenshots
.PHONY: chromium model-server lock setup-train train

run: setup
	$(BIN)/python -m memory_bank serve

# Both at once, for a machine with two cores: a browser often waits. Each tells all at its end. What Python compiles is
# kept, or each program that the tests start would take twice as long to start.
test: setup-dev chromium model-server
	PYTHONDONTWRITEBYTECODE= $(MAKE) --jobs 2 --output-sync test-browser test-others

test-browser:
	$(BIN)/pytest tests/browser

test-others:
	$(BIN)/pytest --ignore tests/browser

setup: .venv/installed

setup-dev: .venv/installed-dev

.venv/installed: requirements.txt
	test -x $(BIN)/python || $(PYTHON) -m venv .venv
	$(BIN)/pip install --quiet --disable-pip-version-check -r requirements.txt
	touch $@

.venv/installed-dev: requirements.txt requirements-dev.txt .venv/installed
	$(BIN)/pip install --quiet --disable-pip-version-check -r requirements-dev.txt
	touch $@

# A real language model's server for the tests. It is compiled, without its part for images, which takes minutes once;
# its packages are kept apart, so that the app runs with those of its users.
model-server: $(SERVER)/installed

$(SERVER)/installed: requirements-server.txt | .venv/installed
	command -v c++ >/dev/null || { s=$$(test $$(id -u) = 0 || echo sudo); \
		$$s apt-get update -qq && $$s apt-get install -y -qq --no-install-recommends g++; }
	test -x $(SERVER)/bin/python || $(PYTHON) -m venv $(SERVER)
	CMAKE_ARGS=-DLLAVA_BUILD=OFF $(SERVER)/bin/pip install --quiet --disable-pip-version-check -r requirements-server.txt
	touch $@

# The browser tests drive Debian's own Chromium.
chromium:
	command -v chromium >/dev/null || { s=$$(test $$(id -u) = 0 || echo sudo); \
		$$s apt-get update -qq && $$s apt-get install -y -qq --no-install-recommends chromium; }

# Every package with its hashes, for any Python 3.11 on Linux x86-64: pip install --require-hashes -r requirements.lock
# torch is the build for processors; PIP_FIND_LINKS names the folder or page that has it, here and when installing.
lock:
	test -x $(LOCKER)/bin/uv || { $(PYTHON) -m venv $(LOCKER) && $(LOCKER)/bin/pip install --quiet uv==0.13.9; }
	if test -f requirements.lock; then cp requirements.lock $(LOCKER)/new.txt; fi
	UV_PYTHON_DOWNLOADS=never $(LOCKER)/bin/uv pip compile --quiet --generate-hashes \
		--python-version 3.11 --python-platform x86_64-manylinux_2_28 $${PIP_FIND_LINKS:+--find-links "$$PIP_FIND_LINKS"} \
		--no-header --no-annotate --no-emit-index-url --no-emit-find-links \
		--output-file $(LOCKER)/new.txt requirements.txt
	grep -q '^torch==.*+cpu ' $(LOCKER)/new.txt || { echo "torch is not the build for processors: kept as it was"; exit 1; }
	mv $(LOCKER)/new.txt requirements.lock

# The shipped models from the corpus: hours on two cores, minutes where the processor multiplies in bfloat16 quickly.
train: setup-train
	$(BIN)/python -m training

setup-train: .venv/installed-train

.venv/installed-train: requirements-train.txt .venv/installed
	$(BIN)/pip install --quiet --disable-pip-version-check -r requirements-train.txt
	touch $@

check: setup-dev
	$(BIN)/ruff format --check $(CODE)
	$(BIN)/ruff check $(CODE)
	$(BIN)/mypy
	$(MAKE) test

format: setup-dev
	$(BIN)/ruff format $(CODE)
	$(BIN)/ruff check --fix $(CODE)

bench: setup
	$(BIN)/python -m memory_bank bench

eval: setup
	for task in retrieval conflicts qa dialogue extraction; do \
		folder=$(DATA)/$$(echo $$task | sed s/extraction/dialogue/); \
		if test -d $$folder; then $(BIN)/python -m memory_bank eval $$task --data $$folder || exit 1; \
		else echo "skipped $$task: no folder $$folder"; fi; done

figures: setup-dev chromium
	$(BIN)/python -m scripts.figures --data $(DATA)

screenshots: setup-dev chromium
	fc-list :lang=zh | grep -q . || { s=$$(test $$(id -u) = 0 || echo sudo); \
		$$s apt-get update -qq && $$s apt-get install -y -qq --no-install-recommends fonts-wqy-microhei; }
	$(BIN)/python -m tests.browser.screenshots

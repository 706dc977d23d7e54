# Two commands for a new machine: `make run` opens the app, `make test` passes the tests.
PYTHON ?= python3
BIN := .venv/bin
SERVER := .venv/model-server
CODE := memory_bank app.py pages components tests scripts examples
DATA ?= ../shared/data

.PHONY: run test setup setup-dev check format lint types bench eval figures screenshots chromium model-server

run: setup
	$(BIN)/python -m memory_bank serve

test: setup-dev chromium model-server
	$(BIN)/pytest

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

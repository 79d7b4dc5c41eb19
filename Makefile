# make demo       analyse a real game, from a bare clone
# make test       style, types and the default suite, from a bare clone
# make test-slow  the tests that take minutes
# make test-clients  KaTrain's and Sabaki's own code, and GNU Go, drive honte (needs node and gnugo)
# make fuzz       ten minutes of made-up input for each reader: SGF, GTP and JSON
# make sanitize   the core's tests under AddressSanitizer and UndefinedBehaviorSanitizer
# make wheel      a wheel, installed and used in an environment of its own
# make docs       the documentation, into site/
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
SOURCES := $(shell find core -name '*.cpp' -o -name '*.hpp') CMakeLists.txt pyproject.toml
TEST_JOBS ?= 2
# TEST_EXTRAS=test,train adds what the tests skip without
TEST_EXTRAS ?= test
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt
STYLED := src tests benchmarks examples docs

.PHONY: build demo test test-slow test-clients lint fuzz sanitize wheel docs clean

build: $(VENV)/built

$(VENV)/tools: constraints.txt
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
		{ echo "honte needs Python 3.11 or newer: say which with make PYTHON=python3.x"; exit 1; }
	@$(PYTHON) -c 'import ensurepip, venv' 2>/dev/null || \
		{ echo "Python's venv is missing: apt-get install python3-venv"; exit 1; }
	@$(PYTHON) -c 'import os, sysconfig as s, sys; sys.exit(not os.path.exists(s.get_path("include") + "/Python.h"))' || \
		{ echo "Python's headers are missing: apt-get install python3-dev"; exit 1; }
	@command -v "$${CXX:-c++}" >/dev/null || \
		{ echo "A C++20 compiler is missing: apt-get install g++"; exit 1; }
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(PIP) --upgrade pip
	$(PIP) scikit-build-core nanobind cmake ninja
	touch $@

$(VENV)/built: $(VENV)/tools $(SOURCES)
	$(PIP) --no-build-isolation -C cmake.define.HONTE_NATIVE=ON -e .
	touch $@

# honte is there already, so these bring the extras' packages alone, whatever way each is built.
$(VENV)/test-tools: $(VENV)/built
	$(PIP) 'honte[$(TEST_EXTRAS)]'
	touch $@

demo: $(VENV)/built
	$(BIN)/honte analyze examples/alphago-lee-sedol-game-4.sgf --html alphago-lee-sedol-game-4.html

# The cluster's tests are for one process: each would start a cluster of its own. Without Ray there
# are none, which pytest says by a 5.
test: $(VENV)/test-tools lint
	$(BIN)/python -m pytest -n $(TEST_JOBS) -m 'not slow' --ignore=tests/cluster
	$(BIN)/python -m pytest -m 'not slow' tests/cluster || test $$? -eq 5

test-slow: $(VENV)/test-tools
	$(BIN)/python -m pytest -m slow

test-clients: $(VENV)/test-tools
	$(PIP) 'honte[clients]'
	npm install --silent --no-audit --no-fund --prefix build/npm @sabaki/gtp@3 @sabaki/sgf@3
	NODE_PATH=$(CURDIR)/build/npm/node_modules $(BIN)/python -m pytest -rs \
		tests/protocols/test_katrain.py tests/protocols/test_sabaki.py \
		tests/protocols/test_gnugo.py tests/cli/test_analyze.py tests/records

lint: $(VENV)/test-tools
	$(BIN)/ruff check $(STYLED)
	$(BIN)/ruff format --check $(STYLED)
	$(BIN)/mypy

# The sanitized core sits in a package of links to the sources, seen by an environment that has
# everything else from .venv, but for OpenVINO: it loads libraries in a way that ends a process under
# AddressSanitizer, so networks run on ONNX Runtime.
SANITIZED := build/sanitize
SANITIZED_PYTHON := $(SANITIZED)/venv/bin/python
sanitize: $(VENV)/test-tools
	$(BIN)/cmake -S . -B $(SANITIZED) -G Ninja -DCMAKE_BUILD_TYPE=Debug -DHONTE_SANITIZE=ON \
		-DCMAKE_MAKE_PROGRAM=$(CURDIR)/$(BIN)/ninja -DPython_EXECUTABLE=$(CURDIR)/$(BIN)/python
	$(BIN)/cmake --build $(SANITIZED) --target _core
	rm -rf $(SANITIZED)/package $(SANITIZED)/venv
	mkdir -p $(SANITIZED)/package
	cp -rs $(CURDIR)/src/honte $(SANITIZED)/package/honte
	ln -sf $(CURDIR)/$(SANITIZED)/_core*.so $(SANITIZED)/package/honte/
	$(BIN)/python -m venv --without-pip $(SANITIZED)/venv
	site="$$($(SANITIZED_PYTHON) -c 'import sysconfig; print(sysconfig.get_path("purelib"))')" && \
		$(BIN)/python -c 'import sysconfig; print(sysconfig.get_path("purelib"))' > "$$site/tools.pth" && \
		echo 'import sys; sys.modules["openvino"] = None' > "$$site/sitecustomize.py"
	PYTHONPATH=$(CURDIR)/$(SANITIZED)/package PYTHONMALLOC=malloc \
		LD_PRELOAD="$$($${CXX:-c++} -print-file-name=libasan.so) $$($${CXX:-c++} -print-file-name=libubsan.so)" \
		ASAN_OPTIONS=detect_leaks=0 UBSAN_OPTIONS=print_stacktrace=1:halt_on_error=1 \
		$(SANITIZED_PYTHON) -m pytest -x --capture=sys -m 'not slow' $(SANITIZE_TESTS)
SANITIZE_TESTS ?= tests/games tests/search

wheel: $(VENV)/tools
	rm -rf build/wheel
	$(BIN)/python -m pip wheel --quiet --no-deps --wheel-dir build/wheel .
	$(BIN)/python -m venv build/wheel/venv
	build/wheel/venv/bin/python -m pip install --quiet build/wheel/*.whl
	cd build/wheel && venv/bin/honte --version && venv/bin/python $(CURDIR)/examples/self_play.py

$(VENV)/docs-tools: $(VENV)/built
	$(PIP) 'honte[docs]'
	touch $@

docs: $(VENV)/docs-tools
	$(BIN)/mkdocs build --strict

clean:
	rm -rf $(VENV) build site

# Ten minutes a target from the inputs in tests/fuzz/seeds.py; an input that fails is left behind as
# build/fuzz/TARGET-crash-….
FUZZ_SECONDS ?= 600
FUZZ_TARGETS ?= sgf gtp queries
$(VENV)/fuzz-tools: $(VENV)/test-tools
	$(PIP) 'honte[fuzz]'
	touch $@

fuzz: $(VENV)/fuzz-tools
	mkdir -p build/fuzz
	set -e; for target in $(FUZZ_TARGETS); do \
		PYTHONPATH=tests $(BIN)/python tests/fuzz/$$target.py build/fuzz/$$target \
			-max_total_time=$(FUZZ_SECONDS) -timeout=30 -artifact_prefix=build/fuzz/$$target-; \
	done

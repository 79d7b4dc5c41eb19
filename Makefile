# make demo   analyse a real game from a bare clone
# make test   every test of the default suite
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
SOURCES := $(shell find core -name '*.cpp' -o -name '*.hpp') CMakeLists.txt pyproject.toml
TEST_JOBS ?= 2

.PHONY: demo test test-slow lint build clean

build: $(VENV)/built

$(VENV)/tools: constraints.txt
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --upgrade pip
	$(BIN)/python -m pip install --quiet -c constraints.txt scikit-build-core nanobind cmake ninja
	touch $@

$(VENV)/built: $(VENV)/tools $(SOURCES)
	$(BIN)/python -m pip install --quiet -c constraints.txt --no-build-isolation \
		-C cmake.define.HONTE_NATIVE=ON -e '.'
	touch $@

$(VENV)/test-tools: $(VENV)/built constraints.txt
	$(BIN)/python -m pip install --quiet -c constraints.txt --no-build-isolation \
		-C cmake.define.HONTE_NATIVE=ON -e '.[test]'
	touch $@

demo: $(VENV)/built
	$(BIN)/honte analyze examples/alphago-lee-sedol-game-4.sgf --html alphago-lee-sedol-game-4.html

test: $(VENV)/test-tools lint
	$(BIN)/python -m pytest -n $(TEST_JOBS) -m 'not slow'

test-slow: $(VENV)/test-tools
	$(BIN)/python -m pytest -m slow

lint: $(VENV)/test-tools
	$(BIN)/ruff check src tests benchmarks examples
	$(BIN)/ruff format --check src tests benchmarks examples
	$(BIN)/mypy

clean:
	rm -rf $(VENV) build

# Each target sets up what it needs. PYTHON may name another interpreter (3.11 or newer).
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed
DEMO := $(VENV)/.demo
SETUP := requirements-dev.txt constraints.txt pyproject.toml bundle/pyproject.toml $(wildcard plugins/*/pyproject.toml)

# Images of containers often set it: each process would then compile all that it imports, which takes torch 2 s.
export PYTHONDONTWRITEBYTECODE :=

.PHONY: demo install release serve page page-check test quick test-deep faults release-check test-portable test-lowest lint bench docs paper model wheels light-install site site-versions clean vllm test-vllm test-triton test-llamacpp test-mlx test-sglang

# Installs what it shows and no more; all other targets install the rest.
demo: $(DEMO)
	$(BIN)/stela demo

# What WITH names, and all that it needs, from this clone into VENV: make install WITH="generate tr" (docs/install.md).
WITH ?= detect
install:
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(PYTHON) scripts/install.py $(VENV) --with '$(WITH)'

# A service on this machine: profiles for three languages, and texts that bear their marks, are made on the first start.
SERVED ?= runs/serve
serve: $(STAMP)
	$(BIN)/python -m scripts.serve_demo $(SERVED)
	$(BIN)/stela serve --profiles $(SERVED)/profiles $(SERVE)

# A page that finds a new profile's mark: verify.html, and p.stela where there is none.
page: $(STAMP)
	test -e p.stela || $(BIN)/stela profile new --scheme learned-text --language en --model tiny --public-key -o p.stela
	$(BIN)/stela page --profile p.stela -o verify.html --force

# What is shipped of the page is what its sources give; its tests in node. Needs node 20 and npm, as the page's tests under
# pytest do: they are skipped without plugins/stela-page/node_modules, and those in Chromium without one.
PAGE := plugins/stela-page
page-check:
	cd $(PAGE) && npm ci --ignore-scripts --no-audit --no-fund && npm run -s types && npm run -s build && npm run -s test
	git diff --exit-code -- $(PAGE)/stela_page/built

# The tiers of the suite (tests/tiers.py). A room's tests run in one worker, which alone makes what they share (conftest.py).
PYTEST := $(BIN)/python -m pytest -n 2 --dist loadscope
test: $(STAMP)
	$(PYTEST) --tier test

quick: $(STAMP)
	$(PYTEST) --tier quick

# DEEP="--in-turn": those that the last day's commits reach, and a quarter of the others, each landing another one.
test-deep: $(STAMP)
	$(PYTEST) --tier deep $(DEEP)

# Faults that the suite has to catch, one in each of ten packages.
faults: $(STAMP)
	$(BIN)/python -m scripts.faults

# All that a release must pass; a night's run on CI.
release-check: TIER =
release-check: WHICH = not once
release-check: export STELA_INSTALLS = 1
release-check: lint page-check test test-deep faults test-portable test-lowest site light-install

# What is numeric as on two other processors: other kernels of the linear algebra, other exp and log, other sums of torch,
# other threads; in another order. TESTS="tests plugins" for all tests. CI leaves the deep and slow ones to a release: other
# kernels and other last bits show in any test that compares numbers.
TIER := --tier test
WHICH := not once and not slow
SEED ?= 1
TESTS ?= tests/statistics tests/detection tests/profile tests/hashing tests/schemes tests/sampling tests/builtin plugins/stela-kernels \
  $(patsubst %,plugins/stela-run/tests/%,statistics null reliability) plugins/stela-sign/tests/rotation \
  $(patsubst %,plugins/stela-%,kgw stela sweet ewd morphmark unigram gumbel synthid exp unbiased interop learned payload)
PORTABLE = $(PYTEST) $(TIER) -m "$(WHICH)" --random-order --random-order-seed=$(SEED) $(TESTS)
FOUND = $(shell $(BIN)/python -c "import numpy; print(*numpy.show_config(mode='dicts')['SIMD Extensions'].get('found', []))")
test-portable: $(STAMP)
	ATEN_CPU_CAPABILITY=default OMP_NUM_THREADS=1 OPENBLAS_CORETYPE=Prescott NPY_DISABLE_CPU_FEATURES="$(FOUND)" $(PORTABLE)
	ATEN_CPU_CAPABILITY=avx2 OMP_NUM_THREADS=2 OPENBLAS_CORETYPE=Haswell $(PORTABLE)

# The lowest versions that the projects declare (torch alone as in constraints.txt), and what depends on them most.
LOWEST := .venv-lowest
# Of numpy 1.26, whose exp and log have other last bits with them: tests compare numbers to the last bit.
WITHOUT := AVX512F AVX512CD AVX512_SKX AVX512_CLX AVX512_CNL AVX512_ICL
LOWEST_PLUGINS := cli testing detection transformers kernels corpora models tables run documents serving causal clusters kgw stela sweet ewd morphmark unigram \
  gumbel synthid exp unbiased watme lsh sir textgrain interop tiny sejong penn ud learned lexical analysis metrics[judge,quality,reference] attacks[wordnet] \
  spacy sign[c2pa] paper serve page payload language audit sentence
LOWEST_TESTS := plugins/stela-cli/tests tests/profile tests/text plugins/stela-detection tests/test_light.py plugins/stela-run/tests/report \
  plugins/stela-run/tests/test_plan.py plugins/stela-run/tests/test_intervals.py tests/detection/test_detector.py \
  tests/statistics/test_p_value.py tests/statistics/test_grouped_score.py plugins/stela-models/tests/test_threads.py \
  plugins/stela-transformers/tests/test_transformers_config.py \
  plugins/stela-kgw plugins/stela-stela plugins/stela-sign plugins/stela-analysis/tests/test_statistics.py \
  $(patsubst %,plugins/stela-metrics/tests/%,judge roc) plugins/stela-transformers/tests/round_trip/test_bpe_pairs.py plugins/stela-causal/tests/test_code_points.py \
  $(patsubst %,plugins/stela-tables/tests/test_%.py,lambda lambda_conllu lambda_merge) plugins/stela-run/tests/reliability
test-lowest: $(LOWEST)/.installed
	NPY_DISABLE_CPU_FEATURES="$(WITHOUT)" $(LOWEST)/bin/python -m pytest -n 2 --dist loadscope $(TIER) $(LOWEST_TESTS)

$(LOWEST)/.installed: $(SETUP) scripts/lowest.py
	test -x $(LOWEST)/bin/python || $(PYTHON) -m venv $(LOWEST)
	$(PYTHON) scripts/lowest.py $(LOWEST)/lowest.txt
	printf '%s\n' "-e $(CURDIR)[run]" $(LOWEST_PLUGINS:%="-e $(CURDIR)/plugins/stela-%") hypothesis pytest-xdist >$(LOWEST)/wanted.txt
	$(PYTHON) scripts/install.py $(LOWEST) $(LOWEST)/wanted.txt --constraints $(LOWEST)/lowest.txt
	touch $@

# The engines themselves, each in an environment of its own: vLLM brings 3.5 GB, and is not a part of make test.
test-vllm: $(STAMP)
	$(BIN)/python -m scripts.test_vllm $(VLLM)

vllm: $(STAMP)
	$(BIN)/python -m scripts.test_vllm --only-vllm $(VLLM)

test-llamacpp test-mlx test-sglang: test-%: $(STAMP)
	$(BIN)/python -m scripts.test_engines $*

# The kernels for GPUs in Triton's interpreter, and compiled; it is no part of torch for processors (700 MB).
TRITON := .build/triton
test-triton: $(TRITON)
	PYTHONPATH=$(TRITON) $(BIN)/python -m pytest -q plugins/stela-kernels/tests/test_triton_bias.py plugins/stela-kernels/tests/test_triton_rows.py

$(TRITON): $(STAMP)
	rm -rf $@ $@.new
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --target $@.new triton==3.9.0
	mv $@.new $@

# A plugin's scripts are run one by one and import each other by bare names, such as train: each folder by itself.
NO_SPACE :=
SPACE := $(NO_SPACE) $(NO_SPACE)
HOUSES := $(subst $(SPACE),:,$(patsubst %,plugins/stela-%,cli language spacy sign kernels serving detection payload corpora causal clusters models run tables transformers))
lint: $(STAMP)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	for scripts in plugins/*/scripts; do \
	  MYPYPATH=$${scripts%/scripts}:$$scripts:$(HOUSES) $(BIN)/mypy $$scripts || exit 1; done

bench: $(STAMP)
	$(BIN)/python -m benchmarks $(BENCH)

# DATA names a folder of prompts and corpora; without it a small shipped sample stands in. MODEL, a model in place of
# the embedded one (make model fetches one). A run that was interrupted continues.
paper: $(STAMP)
	$(BIN)/stela paper $(if $(DATA),--data $(DATA)) $(if $(MODEL),--model $(MODEL)) $(PAPER)

docs: $(STAMP)
	$(BIN)/python -m scripts.write_docs

# All distributions into dist/: then PIP_FIND_LINKS=dist lets any pip install line of the pages find them.
RELEASE := .venv-release
wheels: $(RELEASE)/.installed
	$(RELEASE)/bin/python -m scripts.build_wheels dist

# Those that detect without torch, in an empty environment.
light-install: $(STAMP) wheels
	$(BIN)/python -m scripts.light_install dist

# A release, made and tried on each of these versions of Python; nothing is uploaded.
PYTHONS ?= 3.11 3.12 3.13
release: $(RELEASE)/.installed
	$(RELEASE)/bin/python -m scripts.release dist --pythons "$(PYTHONS)"

$(RELEASE)/.installed: requirements-release.txt
	test -x $(RELEASE)/bin/python || $(PYTHON) -m venv $(RELEASE)
	$(RELEASE)/bin/python -m pip install --quiet --disable-pip-version-check -r requirements-release.txt
	touch $@

# A real language model as a folder, for --model: Gemma 3 270M, or NAME=smollm2-135m (scripts/real_model.py).
model: $(STAMP)
	$(BIN)/python -m scripts.real_model $(NAME)

# The documentation as a site; a link that leads nowhere fails.
SITE := .venv-site
site: $(SITE)/.installed
	NO_MKDOCS_2_WARNING=1 $(SITE)/bin/mkdocs build --strict

# The same as one of several versions, on the local branch of this name; nothing is pushed. The reader's choice of a version
# is at the top of each page.
VERSIONS ?= gh-pages
site-versions: $(SITE)/.installed
	PATH="$(CURDIR)/$(SITE)/bin:$$PATH" NO_MKDOCS_2_WARNING=1 mike deploy --branch $(VERSIONS) --update-aliases \
	  $$($(SITE)/bin/python -m scripts.version) latest
	$(SITE)/bin/mike set-default --branch $(VERSIONS) latest

$(SITE)/.installed: requirements-docs.txt
	test -x $(SITE)/bin/python || $(PYTHON) -m venv $(SITE)
	$(SITE)/bin/python -m pip install --quiet --disable-pip-version-check -r requirements-docs.txt
	touch $@

clean:
	rm -rf $(VENV) $(LOWEST) $(SITE) $(RELEASE) .build .venv-vllm .venv-llamacpp .venv-mlx .venv-sglang site

# A stamp is written last, so that an installation cut short is done again.
$(STAMP): $(SETUP)
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(PYTHON) scripts/install.py $(VENV) requirements-dev.txt
	touch $(DEMO) $@

$(DEMO): requirements-demo.txt $(SETUP)
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(PYTHON) scripts/install.py $(VENV) requirements-demo.txt
	touch $@

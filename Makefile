# Everything a developer does, one word each. Needs GNU make and Python 3.11 or newer with venv; nothing else.
# `make setup` is implied by the others and costs nothing when nothing changed.

PYTHON ?= python3
BIN := .venv/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check --quiet
LOCK_BIN := .venv-lock/bin
LOCK_FLAGS ?=
FIRMWARE_FLAGS := $(if $(SERIAL),SERIAL=$(SERIAL))
FIRMWARE_PACKAGES := gcc libc6-dev gcc-avr avr-libc binutils-avr simavr libsimavr-dev libelf-dev

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.PHONY: help setup run test test-hil test-pages explore check bench secrecy soak fuzz hil hil-kernel hil-firmware power-cut uml-kernel firmware firmware-tools browser screenshots wheels deb test-deploy hil-service lock clean

help:  ## say what each target does
	@echo "usage: make <target>"
	@sed -n 's/^\([a-z][a-z-]*\):[^#]*##  *\(.*\)/  \1|\2/p' $(MAKEFILE_LIST) | awk -F'|' '{ printf "%-15s %s\n", $$1, $$2 }'

setup: .venv/.project  ## make .venv with the locked tools and this project in it

run: setup  ## play the demo: croupier demo
	@$(BIN)/croupier demo

test: setup  ## run the tests but for those below (ARGS="-k word" is passed to pytest)
	@$(BIN)/python -m pytest --ignore=tests/pages --ignore=tests/deploy --ignore=tests/hil $(ARGS)

test-hil: setup  ## the benches' own tests: plugin, conformance, recordings, firmware; proofs and benchmarks in their short form
	@$(BIN)/python -m pytest tests/hil $(ARGS)

test-pages: setup  ## open every page in a real Chromium (make browser installs it)
	@$(BIN)/python -m pytest tests/pages $(ARGS)

explore: setup  ## let the property tests look for new examples (ARGS="tests/drivers" for a part)
	@HYPOTHESIS_PROFILE=explore $(BIN)/python -m pytest $(ARGS)

check: setup  ## format, lint, types and import arrows, without changing a file
	@echo "check: format" && $(BIN)/ruff format --check --quiet . || \
		{ echo "Not formatted. Run: $(BIN)/ruff format ." >&2; exit 1; }
	@echo "check: lint" && $(BIN)/ruff check --quiet .
	@echo "check: types" && $(BIN)/mypy --strict --no-error-summary
	@echo "check: arrows" && $(BIN)/python -m tests.house.arrows

bench: setup  ## run the benchmarks (ARGS="--keep" writes docs/benchmarks.md)
	@$(BIN)/python -m hil.bench $(ARGS)

secrecy: setup  ## 100,000 pairs of rounds that differ in one face-down card: no public byte may (ARGS="--seed 2")
	@$(BIN)/python -m hil.proof secrecy $(ARGS)

soak: setup  ## 10,000 rounds with heavy faults: cards, money and memory must add up (ARGS="--rounds 1000")
	@$(BIN)/python -m hil.proof soak $(ARGS)

fuzz: setup  ## fuzz every decoder, coverage-guided, a minute each (SECONDS=60)
	@$(BIN)/python -c "import atheris" 2>/dev/null || $(PIP) install --require-hashes -r requirements-fuzz.lock || \
		{ echo "No fuzzer for this machine: atheris has wheels for Linux on x86-64 only." >&2; exit 1; }
	@$(BIN)/python -m hil.fuzz --seconds $(or $(SECONDS),60)

hil: hil-kernel hil-firmware power-cut hil-service  ## the slow benches, all in their long form

hil-firmware: setup  ## the daemon on the reference firmware in simavr: unplug, reset, full queues (ARGS is passed to pytest)
	@CROUPIER_HIL=long $(BIN)/python -m pytest tests/hil/firmware $(ARGS)

hil-kernel: setup  ## run the drivers in a real kernel: USB, tty, pins, input (ARGS is passed to pytest)
	@$(BIN)/python -m hil.kernel $(ARGS)

power-cut: setup  ## cut the power of a table in a guest kernel 20 times: no acknowledged card is lost (ARGS="--cuts 2")
	@$(BIN)/python -m hil.powercut $(ARGS)

uml-kernel: .uml/linux-uml  ## build the User-Mode Linux program for hil-kernel (Debian on x86-64, as root)

firmware:  ## build the reference firmware for this machine and for the ATmega328P into build/firmware (SERIAL=SHOE-0042)
	@$(MAKE) --no-print-directory --silent -C hil/firmware OUT=$(abspath build/firmware) native avr $(FIRMWARE_FLAGS)
	@echo "firmware: build/firmware has shoe and sign for this machine, and their .elf and .hex for the ATmega328P"

firmware-tools:  ## install the C compilers and simavr, which the firmware and its tests use (Debian, as root)
	@dpkg -s $(FIRMWARE_PACKAGES) >/dev/null 2>&1 || \
		{ apt-get update -qq && apt-get install -y -qq --no-install-recommends $(FIRMWARE_PACKAGES); }

AXE := axe-core@4.14.0

browser:  ## install Chromium, in which the tests open the pages, and axe-core, which looks for barriers (Debian, as root)
	@test -x /usr/bin/chromium || { apt-get update -qq && apt-get install -y -qq --no-install-recommends chromium; }
	@test -f .axe/node_modules/axe-core/axe.min.js || { ! command -v npm >/dev/null && echo "No npm: axe-core is left out." ; } || \
		npm install --silent --no-save --no-audit --no-fund --prefix .axe $(AXE)

screenshots: setup  ## take pictures of every page at two sizes into build/screenshots (SHOTS=folder)
	@$(BIN)/python -m tests.pages.screenshots $(or $(SHOTS),build/screenshots)

wheels: setup  ## make build/wheels: all that deploy/install --wheels needs on a machine of this kind without a network
	@rm -rf build/wheels && mkdir -p build/wheels
	@$(PIP) wheel --require-hashes --requirement requirements$(if $(PINS),-kernel).lock --wheel-dir build/wheels
	@$(PIP) wheel --no-deps --no-build-isolation --wheel-dir build/wheels .
	@cd build/wheels && sha256sum -- *.whl >SHA256SUMS
	@echo "wheels: build/wheels, for Python $$($(BIN)/python -c 'import sys; print("%d.%d" % sys.version_info[:2])') on $$(uname -m)$(if $(PINS),, without the library for a Pi's pins (PINS=yes takes it in))"

deb: setup  ## build the Debian package in build/deb, for this release and processor (deb needs Debian's python3-venv)
	@bash deploy/deb/build build/deb

test-deploy: setup  ## install into an empty system, twice, over an older version, take off; the Debian package; the units
	@$(BIN)/python -m pytest tests/deploy $(ARGS)

hil-service: setup  ## boot a Debian with the package in a guest: ready, watchdog, stop, sandbox, update (Debian, as root)
	@command -v debootstrap >/dev/null || { apt-get update -qq && apt-get install -y -qq --no-install-recommends debootstrap e2fsprogs; }
	@$(BIN)/python -m hil.service $(ARGS)

# The extra `pi` is in neither lock: see pyproject.toml. A lock keeps its versions unless pyproject.toml forbids
# them; `make lock LOCK_FLAGS=--upgrade` takes the newest.
lock:  ## write the lock files anew from pyproject.toml
	$(call need_python)
	@test -x $(LOCK_BIN)/uv || { $(PYTHON) -m venv --clear .venv-lock && \
		$(LOCK_BIN)/python -m pip --disable-pip-version-check --quiet install uv; }
	@$(call compile,requirements.lock)
	@$(call compile,requirements-dev.lock,--extra dev --constraint requirements.lock)
	@$(call compile,requirements-fuzz.lock,--extra fuzz --constraint requirements.lock)
	@$(call compile,requirements-kernel.lock,--extra pi --constraint requirements.lock)
	@echo "lock: wrote requirements.lock, and those for dev, fuzz and kernel"

clean:  ## remove everything make and the tools have made
	@rm -rf .venv .venv-lock .uml .axe build dist *.egg-info .mypy_cache .ruff_cache .pytest_cache .hypothesis
	@find . -name __pycache__ -type d -not -path './.git/*' -prune -exec rm -rf {} +

# Two stamps, so that a change of pyproject.toml alone does not install every tool again.
.venv/.tools: requirements-dev.lock
	$(call need_python)
	@echo "setup: installing the locked tools into .venv"
	@$(PYTHON) -m venv --clear .venv || { rm -rf .venv; \
		echo "$(PYTHON) cannot make a virtual environment. On Debian and Raspberry Pi OS: apt install python3-venv" >&2; exit 1; }
	@$(PIP) install --require-hashes -r requirements-dev.lock
	@touch $@

.venv/.project: .venv/.tools pyproject.toml
	@echo "setup: installing croupier-table (editable) into .venv"
	@$(PIP) install --no-deps --no-build-isolation --editable .
	@touch $@

UML_SOURCE ?= linux-source-6.1
UML_MAKE = nice $(MAKE) --no-print-directory -C .uml/source ARCH=um --silent

.uml/linux-uml: hil/kernel/config-fragment
	@test "$$(uname -m)" = x86_64 || { echo "User-Mode Linux exists for x86-64 only; this is $$(uname -m)." >&2; exit 1; }
	@command -v apt-get >/dev/null || { echo "This target knows Debian only. Elsewhere: build Linux 6.1 or newer with" \
		"ARCH=um and hil/kernel/config-fragment merged in, and name it in CROUPIER_UML." >&2; exit 1; }
	@echo "uml-kernel: installing $(UML_SOURCE) and what builds it"
	@apt-get update -qq && apt-get install -y -qq --no-install-recommends \
		$(UML_SOURCE) gcc libc6-dev make flex bison bc xz-utils >/dev/null
	@echo "uml-kernel: building in .uml/source (a quarter of an hour on two cores)"
	@rm -rf .uml/source && mkdir -p .uml/source
	@tar --extract --file /usr/src/$(UML_SOURCE).tar.xz --directory .uml/source --strip-components=1
	@$(UML_MAKE) defconfig
	@cd .uml/source && ARCH=um scripts/kconfig/merge_config.sh -m .config ../../hil/kernel/config-fragment >/dev/null
	@$(UML_MAKE) olddefconfig
	@! grep CONFIG_ hil/kernel/config-fragment | grep -vxFf .uml/source/.config || \
		{ echo "This kernel would not take the options above." >&2; exit 1; }
	@$(UML_MAKE) -j $$(nproc) linux
	@strip -o $@ .uml/source/linux
	@rm -rf .uml/source
	@echo "uml-kernel: made $@. Now: make hil-kernel"

define need_python
	@command -v $(PYTHON) >/dev/null || { \
		echo "There is no $(PYTHON) here. Install Python 3.11 or newer, or name one: make PYTHON=/path/to/python3" >&2; exit 1; }
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { \
		echo "Croupier needs Python 3.11 or newer; $(PYTHON) is $$($(PYTHON) -V 2>&1). Name another: make PYTHON=python3.12" >&2; exit 1; }
endef

compile = $(LOCK_BIN)/uv pip compile pyproject.toml --quiet --universal --generate-hashes --no-emit-index-url \
	--python-version 3.11 --custom-compile-command "make lock" --output-file $(1) $(2) $(LOCK_FLAGS)

#!/usr/bin/env bash
# Builds the wheel, installs it into an environment of its own and runs the tests there:
#
#   contrib/python/test.sh            # a quick build with all assertions
#   contrib/python/test.sh --release  # the wheel as it would be published
#
# Says so and passes where there is no Python, or no maturin to be had.
set -euo pipefail
cd "$(dirname "$0")"
export CARGO_TARGET_DIR="${CARGO_TARGET_DIR:-$PWD/../../target}/python"

skip() { echo "skipped: $1, no tests of the Python package"; exit 0; }

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv" 2>/dev/null || skip "python3 has no environments"
python="$folder/venv/bin/python"
"$python" -m pip install --quiet maturin || skip "maturin cannot be installed"
# Without pandas one test skips.
"$python" -m pip install --quiet pandas || true

"$folder/venv/bin/maturin" build --quiet --out "$folder" "${@:---profile=dev}"
"$python" -m pip install --quiet --no-index --find-links "$folder" sectile
# Not in this folder: what is installed is what is tested.
tests=$PWD/tests/test_sectile.py
cd "$folder" && "$python" "$tests"

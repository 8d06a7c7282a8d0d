#!/usr/bin/env bash
# Builds a static binary that runs on every Linux of its kind: contrib/package/static.sh [DIR]
set -euo pipefail
out=$(realpath -m "${1:-target/package}")
cd "$(dirname "$0")/../.."

target="$(uname -m)-unknown-linux-musl"
rustup target add "$target"
# The allocator is written in C.
if ! command -v musl-gcc >/dev/null; then
  echo "a C compiler for musl is missing: apt-get install musl-tools" >&2
  exit 1
fi
# Nobody debugs it there, and it is loaded faster.
export CARGO_PROFILE_RELEASE_DEBUG=false CARGO_PROFILE_RELEASE_STRIP=symbols
export CARGO_PROFILE_RELEASE_LTO=fat CARGO_PROFILE_RELEASE_CODEGEN_UNITS=1
cargo build --release --locked --package sectile --target "$target"

mkdir -p "$out"
cp "target/$target/release/sectile" "$out/sectile"
size=$(stat -c %s "$out/sectile")
echo "$out/sectile: $((size / 1024 / 1024)) MB"
if [ "$size" -gt $((20 * 1024 * 1024)) ]; then
  echo "it is larger than 20 MB" >&2
  exit 1
fi
"$out/sectile" check models/bakery.sct

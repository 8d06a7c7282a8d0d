#!/bin/sh
# Downloads what run.js needs into target/solidity: the Solidity compiler, its SMTChecker tests (inside
# the crate solang-parser) and libraries of contracts. Nothing of it belongs into the repository.
set -e
mkdir -p "$(dirname "$0")/../../target/solidity"
cd "$(dirname "$0")/../../target/solidity"
# An empty package that depends on the crate: cargo knows where crates come from.
mkdir -p fetch/src
touch fetch/src/lib.rs
cat > fetch/Cargo.toml <<'TOML'
[package]
name = "fetch"
version = "0.0.0"
edition = "2021"

[dependencies]
solang-parser = "=0.2.1"

[workspace]
TOML
cargo vendor --quiet --manifest-path fetch/Cargo.toml vendor > /dev/null
ln -sfn vendor/solang-parser/testdata/solidity/test/libsolidity/smtCheckerTests smtCheckerTests
npm install --no-save --silent solc @openzeppelin/contracts solmate @uniswap/v2-core

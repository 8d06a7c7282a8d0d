#!/bin/sh
# Downloads what run.js needs into target/solidity: the Solidity compiler, its SMTChecker tests (inside
# the crate solang-parser) and libraries of contracts. Nothing of it belongs into the repository.
set -e
mkdir -p "$(dirname "$0")/../../target/solidity"
cd "$(dirname "$0")/../../target/solidity"
curl -sSL -o solang-parser.crate https://static.crates.io/crates/solang-parser/solang-parser-0.2.1.crate
tar xzf solang-parser.crate
ln -sfn solang-parser-0.2.1/testdata/solidity/test/libsolidity/smtCheckerTests smtCheckerTests
npm install --no-save --silent solc @openzeppelin/contracts solmate @uniswap/v2-core

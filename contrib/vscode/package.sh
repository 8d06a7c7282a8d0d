#!/usr/bin/env bash
# Packs the extension: sectile-VERSION.vsix, for `code --install-extension`.
set -euo pipefail
cd "$(dirname "$0")"
npm install --no-audit --no-fund
npx vsce package --skip-license --allow-missing-repository "$@"

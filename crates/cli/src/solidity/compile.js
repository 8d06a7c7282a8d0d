// Runs the model checker of the Solidity compiler and has its Horn clauses decided by Sectile.
// The last argument is JSON: file, solver (a command line), timeout in milliseconds, folders to look
// for packages in. What was found is written to standard output as JSON.
'use strict';
const childProcess = require('child_process');
const fs = require('fs');
const path = require('path');

const order = JSON.parse(process.argv[process.argv.length - 1]);

function end(answer) {
  fs.writeSync(1, JSON.stringify(answer));
  process.exit(0);
}

function globalPackages() {
  try {
    const options = { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] };
    return [childProcess.execSync('npm root -g', options).trim()];
  } catch (error) {
    return [];
  }
}

function compiler() {
  for (const folders of [() => order.folders, globalPackages]) {
    try {
      return require(require.resolve('solc', { paths: folders() }));
    } catch (error) {
      if (error.code !== 'MODULE_NOT_FOUND') end({ broken: String(error) });
    }
  }
  return end({ missing: true });
}

const solc = compiler();

// Every clause set is decided once; the answer also has the transactions that lead to a violation.
const decided = new Map();

function decide(query) {
  if (!decided.has(query)) {
    const options = { input: query, encoding: 'utf8', maxBuffer: 1 << 30 };
    const ran = childProcess.spawnSync(order.solver[0], order.solver.slice(1), options);
    let answer = { answer: 'unknown\n', verdict: 'unknown', transactions: [] };
    try {
      answer = JSON.parse(ran.stdout);
    } catch (error) {
      answer.reason = (ran.stderr || String(ran.error || error)).trim();
    }
    decided.set(query, answer);
  }
  return decided.get(query);
}

// Imports are found beside the file, and among the packages.
function imported(name) {
  const folders = [order.root];
  for (const folder of order.folders) {
    for (let at = path.resolve(folder); ; at = path.dirname(at)) {
      folders.push(path.join(at, 'node_modules'));
      if (at === path.dirname(at)) break;
    }
  }
  for (const folder of folders) {
    const file = path.join(folder, name);
    if (fs.existsSync(file)) return { contents: fs.readFileSync(file, 'utf8') };
  }
  return { error: 'the file was not found' };
}

// Contracts of imported files are checked as far as those of this file use them, and not by themselves.
function ownContracts(text) {
  const code = text.replace(/\/\*[^]*?\*\/|\/\/.*|"(\\.|[^"\\])*"|'(\\.|[^'\\])*'/g, ' ');
  return [...code.matchAll(/\b(?:contract|library)\s+([A-Za-z_$][\w$]*)/g)].map((m) => m[1]);
}

function compile(smtSolver, showAll) {
  const content = fs.readFileSync(path.join(order.root, order.file), 'utf8');
  const modelChecker = {
    engine: 'chc',
    solvers: ['smtlib2'],
    invariants: ['contract', 'reentrancy'],
    showProvedSafe: showAll,
    showUnproved: showAll,
    showUnsupported: showAll,
    timeout: order.timeout,
  };
  if (order.targets.length > 0) modelChecker.targets = order.targets;
  const own = ownContracts(content);
  if (own.length > 0) modelChecker.contracts = { [order.file]: own };
  const input = {
    language: 'Solidity',
    sources: { [order.file]: { content } },
    settings: { modelChecker },
  };
  const output = solc.compile(JSON.stringify(input), { import: imported, smtSolver });
  return JSON.parse(output).errors || [];
}

const errors = compile((query) => ({ contents: decide(query).answer }), true);

// Which violation is which set of clauses about? If all others were unknown, it would be the only
// one that is told.
const violations = [];
for (const [query, answer] of decided) {
  if (answer.verdict !== 'unsat' || violations.length >= order.most) continue;
  const alone = (other) => ({ contents: other === query ? 'unsat\n' : 'unknown\n' });
  const told = compile(alone, false).find((e) => e.message.includes('happens here'));
  if (told) violations.push({ where: told.sourceLocation, code: told.errorCode, transactions: answer.transactions });
}

const count = (verdict) => [...decided.values()].filter((a) => a.verdict === verdict).length;
end({
  version: solc.version(),
  errors,
  violations,
  queries: { sat: count('sat'), unsat: count('unsat'), unknown: count('unknown') },
  reasons: [...decided.values()].map((a) => a.reason).filter((r) => r),
});

#!/usr/bin/env node
// Runs contracts through the model checker of the Solidity compiler (npm package solc) and has every
// set of Horn clauses decided by Sectile, and by z3 on the same text. See README.md beside this file.
//
// node run.js --contracts DIR [--sectile FILE] [--z3 FILE] [--timeout SECONDS] [--sample N]
//             [--packages DIR] [--out FILE.tsv] [--each SECONDS]
'use strict';
const childProcess = require('child_process');
const fs = require('fs');
const path = require('path');

const options = { sectile: 'sectile', z3: '', timeout: '10', sample: '0', packages: '.', out: '', contracts: '' };
for (let k = 2; k + 1 < process.argv.length; k += 2) {
  options[process.argv[k].replace(/^--/, '')] = process.argv[k + 1];
}
const solc = require(require.resolve('solc', { paths: [path.resolve(options.packages)] }));
const seconds = Number(options.timeout);

function contracts(folder) {
  const found = [];
  for (const entry of fs.readdirSync(folder, { withFileTypes: true })) {
    const name = path.join(folder, entry.name);
    if (entry.isDirectory() && entry.name !== 'node_modules') found.push(...contracts(name));
    if (entry.isFile() && entry.name.endsWith('.sol')) found.push(name);
  }
  return found.sort();
}

// A test of the compiler may have several sources, and expectations behind `// ----`.
function sources(file) {
  const text = fs.readFileSync(file, 'utf8').split(/^\/\/ ----/m)[0].split(/^\/\/ ====/m)[0];
  const parts = text.split(/^==== Source: *(.*?) *====$/m);
  if (parts.length < 3) return { [path.relative(root, file)]: { content: text } };
  const all = {};
  for (let k = 1; k + 1 < parts.length; k += 2) all[parts[k]] = { content: parts[k + 1] };
  return all;
}

// Imports are found beside the contracts, and among the packages.
function imported(name) {
  const folders = [root, path.join(path.resolve(options.packages), 'node_modules')];
  const found = folders.map((f) => path.join(f, name)).find((f) => fs.existsSync(f));
  return found ? { contents: fs.readFileSync(found, 'utf8') } : { error: 'the file was not found' };
}

function run(command, args, query) {
  const begun = process.hrtime.bigint();
  const ran = childProcess.spawnSync(command, args, {
    input: query,
    encoding: 'utf8',
    maxBuffer: 1 << 30,
    timeout: (seconds + 10) * 1000,
    killSignal: 'SIGKILL',
  });
  const time = Number(process.hrtime.bigint() - begun) / 1e9;
  const text = ran.stdout || '';
  const first = text.split('\n', 1)[0].trim();
  const verdict = ['sat', 'unsat', 'unknown'].includes(first) ? first : 'error';
  return { verdict, text, time, why: (ran.stderr || '').trim().split('\n')[0] };
}

const root = path.resolve(options.contracts);
let files = contracts(root);
const sample = Number(options.sample);
// Every k-th file, so that a sample has something of every folder.
if (sample > 0) files = files.filter((_, k) => Math.floor((k * sample) / files.length) !== Math.floor(((k - 1) * sample) / files.length));

if (options.only) files = files.filter((f) => path.relative(root, f) === options.only);

const rows = [];
const totals = { contracts: 0, refused: 0, internal: 0, late: 0, queries: 0, sectile: {}, z3: {}, contradictions: 0, time: { sectile: 0, z3: 0 } };
const add = (table, key) => { table[key] = (table[key] || 0) + 1; };
const sum = (into, from) => {
  for (const key of Object.keys(from)) {
    if (typeof from[key] === 'object') into[key] = sum(into[key] || {}, from[key]);
    else into[key] = (into[key] || 0) + from[key];
  }
  return into;
};

// The compiler itself may take long to write its clauses: with `--each`, every contract has a process
// and a limit of its own.
if (options.each) {
  for (const file of files) {
    const own = ['--only', path.relative(root, file), '--each', '', '--sample', '0'];
    const ran = childProcess.spawnSync(process.execPath, [...process.argv.slice(1), ...own], {
      encoding: 'utf8',
      maxBuffer: 1 << 30,
      timeout: Number(options.each) * 1000,
      killSignal: 'SIGKILL',
    });
    const json = (ran.stdout || '').indexOf('{\n');
    if (ran.status === 0 && json >= 0) {
      process.stdout.write(ran.stdout.slice(0, json));
      sum(totals, JSON.parse(ran.stdout.slice(json)));
    } else {
      totals.contracts += 1;
      totals.late += 1;
      console.log(`too late: ${path.relative(root, file)}`);
    }
  }
  files = [];
}
for (const file of files) {
  totals.contracts += 1;
  let number = 0;
  const smtSolver = (query) => {
    if (!/\(set-logic HORN\)/.test(query)) return { contents: 'unknown\n' };
    number += 1;
    totals.queries += 1;
    const ours = run(options.sectile, ['--as', 'eld', '-ssol', `-t:${seconds}`, '-in'], query);
    add(totals.sectile, ours.verdict);
    totals.time.sectile += ours.time;
    const row = [path.relative(root, file), number, query.length, ours.verdict, ours.time.toFixed(2)];
    row.push(ours.text.includes('(define-fun') ? 'model' : '');
    if (options.z3) {
      const other = run(options.z3, ['-in', `-T:${seconds}`], query);
      add(totals.z3, other.verdict);
      totals.time.z3 += other.time;
      const both = [ours.verdict, other.verdict].sort().join(' ');
      if (both === 'sat unsat') totals.contradictions += 1;
      row.push(other.verdict, other.time.toFixed(2));
    }
    row.push(ours.why);
    rows.push(row.join('\t'));
    if (options.out) fs.appendFileSync(options.out, row.join('\t') + '\n');
    if (options.keep) fs.writeFileSync(path.join(options.keep, `${path.relative(root, file).replace(/[\/]/g, '__')}_${number}.smt2`), query);
    return { contents: ours.text };
  };
  const modelChecker = { engine: 'chc', solvers: ['smtlib2'], invariants: ['contract', 'reentrancy'], showProvedSafe: true, timeout: seconds * 1000 };
  if (options.targets) modelChecker.targets = options.targets.split(',');
  if (options.own) {
    const name = path.relative(root, file);
    const code = fs.readFileSync(file, 'utf8').replace(/\/\*[^]*?\*\/|\/\/.*/g, ' ');
    const own = [...code.matchAll(/\b(?:contract|library)\s+([\w$]+)/g)].map((m) => m[1]);
    if (own.length > 0) modelChecker.contracts = { [name]: own };
  }
  const input = { language: 'Solidity', sources: sources(file), settings: { modelChecker } };
  const answer = JSON.parse(solc.compile(JSON.stringify(input), { import: imported, smtSolver }));
  const errors = (answer.errors || []).filter((e) => e.severity === 'error');
  if (errors.some((e) => /Internal|Exception/.test(e.type))) {
    totals.internal += 1;
    console.log(`internal error: ${file}: ${errors[0].message}`);
  } else if (errors.length > 0) totals.refused += 1;
}
console.log(JSON.stringify(totals, null, 2));

#!/usr/bin/env node
// The solc of package.json, with the interface that forge expects of a compiler: `--version`, or
// JSON on standard input.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';

const solc = createRequire(import.meta.url)('solc');
const output = process.argv.includes('--version')
  ? `solc, the solidity compiler commandline interface\nVersion: ${solc.version()}\n`
  : solc.compile(readFileSync(0, 'utf8'));
process.stdout.write(output);

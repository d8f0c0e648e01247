/**
 * Ways to install: with the scripts that package.json allows, and without any, as docs/install.md
 * says.
 */
import { copyFileSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { beforeAll, expect, it } from 'vitest';
import { commandsIn, orNotRun, tryDevnet } from '../support/commands.ts';
import { PROJECT } from '../support/devnet.ts';
import { NODE_VERSIONS, nodeOf } from '../support/node-versions.ts';
import { scratchFolder } from '../support/scratch.ts';

const INSTALL = ['ci', '--no-audit', '--no-fund'];
const folder = scratchFolder('quorate-installation-');
const run = commandsIn(folder);
const START = ['npm', 'start', '--'] as const;
/** Where `npm start` keeps its network. */
const network = join(folder, '.quorate');

/** A copy of the work tree like a clone, with uncommitted changes. */
beforeAll(async () => {
  const list = ['ls-files', '-z', '--cached', '--others', '--exclude-standard', '--deduplicate'];
  const files = (await commandsIn(PROJECT)('git', ...list)).split('\0').filter(Boolean);
  for (const file of files) {
    mkdirSync(dirname(join(folder, file)), { recursive: true });
    copyFileSync(join(PROJECT, file), join(folder, file));
  }
});

it('npm ci builds, and warns of nothing on the oldest Node', async (context) => {
  const oldest = commandsIn(folder, await orNotRun(nodeOf(NODE_VERSIONS[20]!), context));
  const printed = await orNotRun(oldest('npm', ...INSTALL), context);
  expect(printed).not.toContain('install scripts not yet covered');
  expect(printed).not.toContain('EBADENGINE');
  expect(await run('node', 'dist/bundle/cli/main.js', '--version')).toContain('Quorate');
});

it('npm start builds and boots the devnet where no script ran, and the check passes after it', async (context) => {
  for (const made of ['node_modules', 'dist']) rmSync(join(folder, made), { recursive: true });
  await orNotRun(run('npm', ...INSTALL, '--ignore-scripts'), context);
  await tryDevnet(run, { start: START, folder: network });
  await run('npm', 'run', 'check');
});

it('a machine without a compiled secp256k1 runs it in WebAssembly, and says so once', async (context) => {
  await orNotRun(run('npm', ...INSTALL, '--ignore-scripts'), context);
  rmSync(join(folder, 'node_modules/secp256k1/prebuilds'), { recursive: true });
  await tryDevnet(run, { start: START, folder: network });
  for (const log of ['node1.log', 'ptm1.log', 'signer.log', 'staking.log']) {
    const lines = readFileSync(join(network, log), 'utf8').split('\n');
    expect(lines.filter((line) => line.includes('no compiled secp256k1'))).toHaveLength(1);
  }
});

/** The package installed in an empty folder, where its command starts the devnet. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { commandsIn, orNotRun } from '../support/commands.ts';
import { PROJECT } from '../support/devnet.ts';
import { freePorts } from '../support/free-ports.ts';
import { packed } from '../support/packed.ts';
import { scratchFolder } from '../support/scratch.ts';

const folder = scratchFolder('quorate-installed-');
const run = commandsIn(folder);

it('installs in an empty folder, and its devnet takes transactions', async (context) => {
  writeFileSync(join(folder, 'package.json'), '{"private":true}');
  const archive = await packed(folder);
  const quiet = ['--no-audit', '--no-fund', '--prefer-offline'];
  await orNotRun(run('npm', 'install', ...quiet, archive), context);
  expect(await run('npx', 'quorate', '--version')).toContain('Quorate');

  const network = ['--folder', join(folder, 'network')];
  const ports = ['--ports-from', String(await freePorts())];
  await run('npx', 'quorate', 'devnet', '--wait', ...network, ...ports);
  try {
    const example = join(PROJECT, 'examples/ethers.mjs');
    await run('node', example, join(folder, 'network/devnet.json'));
  } finally {
    await run('npx', 'quorate', 'devnet', 'stop', ...network);
  }
});

/** The package installed in an empty folder, where its command starts the devnet. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { commandsIn, orNotRun } from '../support/commands.ts';
import { PROJECT } from '../support/devnet.ts';
import { freePorts } from '../support/free-ports.ts';
import { packed } from '../support/packed.ts';
import { scratchFolder } from '../support/scratch.ts';

const folder = scratchFolder('quorate-installed-');
const run = commandsIn(folder);

it('installs in an empty folder, and its devnet mines transactions', async (context) => {
  writeFileSync(
    join(folder, 'package.json'),
    '{"name":"installed","version":"1.0.0","private":true}',
  );
  const archive = await packed(folder);
  const quiet = ['--no-audit', '--no-fund', '--prefer-offline'];
  await orNotRun(run('npm', 'install', ...quiet, archive), context);
  expect(await run('npx', 'quorate', '--version')).toContain('Quorate');

  // The list of packages that a release publishes.
  const printed = await run('npm', 'sbom', '--sbom-format', 'cyclonedx');
  const { components } = JSON.parse(
    printed.slice(printed.indexOf('{'), printed.lastIndexOf('}') + 1),
  );
  const nameOf = ({ group, name }: any) => (group ? `${group}/${name}` : name);
  const listed = components.map(nameOf);
  const { dependencies } = JSON.parse(readFileSync(join(PROJECT, 'package.json'), 'utf8'));
  const direct = ['quorate', ...Object.keys(dependencies)];
  expect(direct.filter((name) => !listed.includes(name))).toEqual([]);

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

/**
 * The package installed in an empty folder, where its command starts the devnet: by the first
 * commands of docs/start.md, with the packed files in place of the registry's.
 */
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

/** The words of the first two commands of docs/start.md. */
function firstCommands(): [string[], string[]] {
  const page = readFileSync(join(PROJECT, 'docs/start.md'), 'utf8');
  const [, block] = /^```sh needs=registry\n([\s\S]*?)^```$/m.exec(page)!;
  const [first, second] = block!.trim().split('\n');
  return [first!.split(' '), second!.split(' ')];
}

it('installs in an empty folder, and its devnet mines transactions', async (context) => {
  writeFileSync(
    join(folder, 'package.json'),
    '{"name":"installed","version":"1.0.0","private":true}',
  );
  const archive = await packed(folder);
  const [install, start] = firstCommands();
  expect(install).toEqual(['npm', 'install', 'quorate']);
  const quiet = ['--no-audit', '--no-fund', '--prefer-offline'];
  await orNotRun(run('npm', 'install', archive, ...quiet), context);
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
  const [program, ...words] = start;
  await run(program!, ...words, '--wait', ...network, ...ports);
  try {
    const example = join(PROJECT, 'examples/ethers.mjs');
    await run('node', example, join(folder, 'network/devnet.json'));
  } finally {
    await run('npx', 'quorate', 'devnet', 'stop', ...network);
  }
});

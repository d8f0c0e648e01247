/**
 * A snapshot is taken while blocks continue; later a node and its manager are lost, restored from
 * the snapshot, and repaired by their peers.
 */
import { execFile } from 'node:child_process';
import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { until } from '../support/conditions.ts';
import { headOf, MAIN, startTestDevnet, type TestDevnet, untilMined } from '../support/devnet.ts';
import { deployPrivate, readStore, setPrivate } from '../support/private-transactions.ts';
import { word } from '../support/store-contract.ts';

const run = promisify(execFile);
const quorate = (...args: string[]) =>
  run(process.execPath, [MAIN, ...args], { env: { ...process.env, FORCE_COLOR: '0' } });

let net: TestDevnet;
beforeAll(async () => {
  net = await startTestDevnet({ inProcesses: true });
});
afterAll(() => net?.close());

it('restores a party from a snapshot that is older than its last private transactions', async () => {
  const at = (...names: string[]) => join(net.folder, ...names);
  const address = await deployPrivate(net, [1]);
  let value = 0;
  const set = async () => {
    const hash = await setPrivate(net, address, ++value, [1]);
    return untilMined(net.rpc[1]!, hash);
  };
  await set();

  // Blocks and payloads continue while the snapshot is taken.
  let busy = true;
  const sending = (async () => {
    while (busy) await set();
  })();
  const config = at('ptm2', 'config.json');
  const snapshot = at('snapshot');
  const taken = await quorate(
    'backup',
    '--datadir',
    at('node2'),
    '--configfile',
    config,
    '--out',
    snapshot,
  );
  busy = false;
  await sending;
  expect(taken.stdout).toMatch(/^Node: up to block \d+ 0x[0-9a-f]{64}\nManager: \d+ payloads/);
  const again = quorate('backup', '--datadir', at('node2'), '--out', snapshot);
  await expect(again).rejects.toMatchObject({
    stderr: expect.stringContaining('exists already: name a new folder'),
  });

  for (let i = 0; i < 3; i++) await set();
  const stateBefore = await net.rpc[1]!.call('debug_privateStateRoot', 'latest');
  await net.devnet.process('node2').stop();
  await net.devnet.process('ptm2').stop();
  const into = ['--from', snapshot, '--datadir', at('node2'), '--configfile', config];
  await expect(quorate('restore', ...into)).rejects.toMatchObject({
    stderr: expect.stringContaining('node2/'),
  });
  for (const lost of [at('node2'), at('ptm2', 'data')]) rmSync(lost, { recursive: true });
  const restored = await quorate('restore', ...into);
  expect(restored.stdout).toMatch(/^The snapshot of .* is whole: node and ptm$/m);
  expect(existsSync(at('node2', '.restoring'))).toBe(false);

  // Peers have the payloads that are newer than the snapshot.
  const healed = await quorate('ptm', 'recover', '--configfile', config);
  expect(healed.stdout).toMatch(/^Recovery: SUCCESS/);
  await net.devnet.restart('ptm2');
  await net.devnet.restart('node2');
  const head = await headOf(net.rpc[0]!);
  await until('node2 has caught up', async () => (await headOf(net.rpc[1]!)) >= head);
  await until(
    'the private state is as before',
    async () => (await readStore(net, 1, address)) === word(value),
  );
  expect(await net.rpc[1]!.call('debug_privateStateRoot', 'latest')).toBe(stateBefore);
  await set();
  expect(await readStore(net, 1, address)).toBe(word(value));
});

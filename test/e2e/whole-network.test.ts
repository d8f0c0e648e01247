/**
 * A network moved as a whole, all validators at the same time, with the commands that operators
 * use: from GoQuorum, from snapshots, and after all validators have lost their votes. Each time it
 * makes blocks immediately, or says what it waits for.
 */
import { execFile } from 'node:child_process';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { bareHex, fromHex } from '../../src/core/base/hex.ts';
import { until } from '../support/conditions.ts';
import { MAIN } from '../support/devnet.ts';
import { freePorts } from '../support/free-ports.ts';
import { gethDatadir } from '../support/geth-datadir.ts';
import { NodeProcess } from '../support/node-process.ts';
import { scratchFolder } from '../support/scratch.ts';
import { OWN_VECTORS, readJson } from '../vectors/folders.ts';

const PATIENCE_MS = 180_000;
const RECORDING = join(OWN_VECTORS, 'goquorum/consensus/transitions/ibft-to-qbft');
/** The head of the recording. */
const HEAD = 20;
const ABSTAINS = 'This validator abstains until it has seen a block decided';

interface Key {
  readonly priv: string;
  readonly pub: string;
}

const folder = scratchFolder('quorate-whole-');
const place = (node: NodeProcess, ...names: string[]) => join(node.folder, ...names);
let keys: readonly Key[];
let nodes: readonly NodeProcess[];

async function quorate(...args: string[]): Promise<string> {
  const { stdout } = await promisify(execFile)(process.execPath, [MAIN, ...args]);
  return stdout;
}

const each = <T>(work: (node: NodeProcess, at: number) => Promise<T>) =>
  Promise.all(nodes.map(work));
const headOf = async (node: NodeProcess) => Number(await node.rpc.call('eth_blockNumber'));

beforeAll(async () => {
  ({ validators: keys } = readJson(join(RECORDING, 'keys.json')) as { validators: readonly Key[] });
  const firstPort = await freePorts();
  nodes = keys.map((_, at) => {
    const rpcPort = firstPort + 2 * at + 1;
    const args = [
      ...[MAIN, 'node', '--datadir', join(folder, `node${at + 1}`), '--networkid', '1337'],
      ...['--mine', '--nodiscover', '--ipcdisable', '--p2p.addr', '127.0.0.1'],
      ...['--port', String(rpcPort - 1), '--http', '--http.port', String(rpcPort)],
    ];
    const environment = { PRIVATE_CONFIG: 'ignore' };
    const place = join(folder, `node${at + 1}`);
    mkdirSync(place);
    return new NodeProcess({
      ...{ number: at + 1, folder: place, rpcPort, file: process.execPath, args, environment },
    });
  });
  const enodes = keys.map(
    ({ pub }, at) => `enode://${pub}@127.0.0.1:${firstPort + 2 * at}?discport=0`,
  );
  await each(async (node, at) => {
    const source = gethDatadir(join(folder, `source${at + 1}`), 'transitions/ibft-to-qbft');
    writeFileSync(join(source, 'geth/nodekey'), bareHex(fromHex(keys[at]!.priv)));
    writeFileSync(join(source, 'static-nodes.json'), JSON.stringify(enodes));
    const said = await quorate('migrate', 'datadir', source, '--datadir', node.folder);
    expect(said).toContain(`If it is a validator, it votes from block ${HEAD + 1} on.`);
  });
}, PATIENCE_MS);

afterAll(async () => {
  await each((node) => node.stop('SIGKILL'));
});

/** Starts all, and resolves once all have the same new blocks. No node has abstained. */
async function goesOn(): Promise<number> {
  await each((node) => node.start());
  const head = Math.max(...(await each(headOf))) + 2;
  const hashes = await each((node) =>
    until(`${node.name} has block ${head}`, async () => {
      const tag = `0x${head.toString(16)}`;
      const block = await node.rpc.call<{ hash: string } | null>(
        'eth_getBlockByNumber',
        tag,
        false,
      );
      return block?.hash;
    }),
  );
  expect(new Set(hashes).size).toBe(1);
  return head;
}

const stopAll = () => each((node) => node.stop());

it('migrated from GoQuorum, it makes blocks immediately', { timeout: PATIENCE_MS }, async () => {
  expect(await goesOn()).toBeGreaterThan(HEAD);
  for (const node of nodes) expect(node.log()).not.toContain(ABSTAINS);
});

it('restored from snapshots, it makes blocks immediately', { timeout: PATIENCE_MS }, async () => {
  // A validator whose snapshot lacks a block that it has sealed would abstain: all have to be of
  // the same block.
  let tries = 0;
  const snapshot = (at: number) => join(folder, `snapshot${at + 1}-${tries}`);
  const head = await until('all snapshots are of the same block', async () => {
    tries++;
    const heads = await each(async (node, at) => {
      const said = await quorate('backup', '--datadir', node.folder, '--out', snapshot(at));
      return Number(/up to block (\d+)/.exec(said)![1]);
    });
    return new Set(heads).size === 1 ? heads[0] : undefined;
  });
  await stopAll();
  await each(async (node, at) => {
    rmSync(node.folder, { recursive: true });
    mkdirSync(node.folder);
    await quorate('restore', '--from', snapshot(at), '--datadir', node.folder);
  });
  expect(await goesOn()).toBeGreaterThan(head);
  for (const node of nodes) expect(node.log()).not.toContain(ABSTAINS);
});

it('without votes it reports that, and makes blocks once its operators have set the height', {
  timeout: PATIENCE_MS,
}, async () => {
  await stopAll();
  await each(async (node) => {
    for (const name of ['votes', 'votes-written']) rmSync(place(node, 'quorate', name));
    await node.start();
  });
  await each((node) =>
    until(`${node.name} abstains`, async () => node.log().includes(ABSTAINS) || undefined),
  );
  const heads = await each(headOf);
  const next = Math.max(...heads) + 1;
  for (const node of nodes) expect(node.log()).toContain(`quorate db reset-votes --height`);
  await stopAll();
  await each(async (node) => {
    const reset = ['db', 'reset-votes', '--datadir', node.folder, '--height', String(next)];
    expect(await quorate(...reset)).toBe(`This validator votes from block ${next} on\n`);
  });
  expect(await goesOn()).toBeGreaterThan(next);
  for (const node of nodes) expect(node.log().split(ABSTAINS)).toHaveLength(2);
});

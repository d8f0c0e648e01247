/**
 * Upgrade from one private state to several, on a recorded chain; the expected result is that of a
 * node that always had several.
 */
import { existsSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { importRecorded } from '../../../../test/support/recorded-chain.ts';
import { OWN_VECTORS, readJson } from '../../../../test/vectors/folders.ts';
import { readBlocks } from '../../../../test/vectors/goquorum-blocks.ts';
import { fromHex, toHex } from '../../../core/base/hex.ts';
import { EMPTY_PSI } from '../../../core/privacy/inputs.ts';
import {
  type PrivateStates,
  residentPrivateStates,
  SINGLE_PRIVATE_STATE,
} from '../../../core/privacy/private-states.ts';
import { openChain } from '../store/data.ts';
import { upgradeToMps } from './mps-upgrade.ts';

const RECORDING = join(OWN_VECTORS, 'goquorum/private-chain');
const BLOCKS = readBlocks(join(RECORDING, 'chain/blocks.jsonl.gz')).filter(
  ({ number }) => number > 0,
);
const HEAD = BLOCKS.at(-1)!.number;
const KEY = readJson(join(RECORDING, 'keys.json')).nodes[0].ptm.pub;

let scratch: string;
let genesis: string;
let blocks: string;
/** Expected private roots and receipts of each state after each block. */
let wanted: Map<string, string>;

beforeAll(async () => {
  scratch = mkdtempSync(join(tmpdir(), 'quorate-mps-'));
  genesis = join(RECORDING, 'genesis.json');
  blocks = join(scratch, 'blocks.rlp');
  writeFileSync(blocks, Buffer.concat(BLOCKS.map(({ rlp }) => fromHex(rlp))));
  const several = JSON.parse(readFileSync(genesis, 'utf8'));
  several.config.isMPS = true;
  const file = join(scratch, 'several.json');
  writeFileSync(file, JSON.stringify(several));
  await imported('several', file, residentPrivateStates([{ name: 'private', members: [KEY] }]));
  wanted = await contents('several');
}, 60_000);
afterAll(() => rmSync(scratch, { recursive: true, force: true }));

async function imported(name: string, genesisFile: string, privateStates: PrivateStates) {
  const opened = await openChain(join(scratch, name), { genesisFile });
  await importRecorded(opened, blocks, privateStates);
  await opened.close();
  writeFileSync(join(scratch, name, 'quorate/nodekey'), 'a key');
}

async function contents(name: string): Promise<Map<string, string>> {
  const opened = await openChain(join(scratch, name));
  const { store } = opened;
  const all = new Map<string, string>();
  expect(store.head()?.number).toBe(HEAD);
  for (const psi of ['private', EMPTY_PSI]) {
    for (let number = 1; number <= HEAD; number++) {
      const result = store.privateResult(psi, number);
      if (!result) continue;
      const receipts = [...result.receipts].map(([index, { status, logs, contractAddress }]) => [
        index,
        status,
        logs.length,
        contractAddress ? toHex(contractAddress) : null,
      ]);
      all.set(`${psi} ${number}`, JSON.stringify([toHex(result.root), receipts]));
    }
    const space = { kind: 'private', psi } as const;
    all.set(psi, toHex(store.trieAt(space, HEAD).root()));
    const accounts = [...store.stateAt(space, HEAD).accounts(new Uint8Array(32))];
    all.set(`${psi} accounts`, String(accounts.length));
  }
  await opened.close();
  return all;
}

it('gives each state the roots and receipts that it has where there were several from the start', async () => {
  await imported('plain', genesis, SINGLE_PRIVATE_STATE);
  const told: number[] = [];
  const { kept } = await upgradeToMps(join(scratch, 'plain'), (number) => told.push(number));
  expect(told).toEqual([...Array(HEAD + 1).keys()]);
  expect(await contents('plain')).toEqual(wanted);
  expect(wanted.size).toBeGreaterThan(100);
  expect(Number(wanted.get('empty accounts'))).toBeGreaterThan(10);
  const { config } = JSON.parse(readFileSync(join(scratch, 'plain/quorate/genesis.json'), 'utf8'));
  expect(config.isMPS).toBe(true);
  expect(readFileSync(join(scratch, 'plain/quorate/nodekey'), 'utf8')).toBe('a key');
  expect(existsSync(join(kept, 'blocks'))).toBe(true);
  await expect(upgradeToMps(join(scratch, 'plain'), () => {})).rejects.toThrow(
    /^The database is already upgraded to support multiple private states.$/,
  );
});

it('continues where it was interrupted, between its last two steps too', async () => {
  await imported('stopped', genesis, SINGLE_PRIVATE_STATE);
  const folder = join(scratch, 'stopped');
  const before = readFileSync(join(folder, 'quorate/genesis.json'), 'utf8');
  for (const stop of [0, 120, HEAD]) {
    const run = upgradeToMps(folder, (number) => {
      if (number === stop) throw new Error('interrupted');
    });
    await expect(run).rejects.toThrow('interrupted');
    expect(readFileSync(join(folder, 'quorate/genesis.json'), 'utf8')).toBe(before);
  }
  const told: number[] = [];
  await upgradeToMps(folder, (number) => told.push(number));
  expect(told).toEqual([]);
  renameSync(join(folder, 'quorate'), join(folder, 'quorate.mps'));
  await upgradeToMps(folder, () => {});
  expect(await contents('stopped')).toEqual(wanted);
});

it('refuses a chain without private state', async () => {
  const plain = JSON.parse(readFileSync(genesis, 'utf8'));
  plain.config.isQuorum = false;
  delete plain.config.privacyEnhancementsBlock;
  const file = join(scratch, 'public.json');
  writeFileSync(file, JSON.stringify(plain));
  await (await openChain(join(scratch, 'public'), { genesisFile: file })).close();
  await expect(upgradeToMps(join(scratch, 'public'), () => {})).rejects.toThrow(
    'the chain has no private state: nothing to upgrade',
  );
});

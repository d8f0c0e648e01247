/**
 * The index of accounts in a data folder: an import writes it, `quorate db reindex` rebuilds the
 * same from the blocks, and it is rewound with the chain.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, it } from 'vitest';
import { importRecorded } from '../../../../test/support/recorded-chain.ts';
import { recordedManager } from '../../../../test/support/recorded-connected.ts';
import { scratchFolder } from '../../../../test/support/scratch.ts';
import { OWN_VECTORS } from '../../../../test/vectors/folders.ts';
import { readBlocks } from '../../../../test/vectors/goquorum-blocks.ts';
import { bytesOfKey } from '../../../core/base/bytes.ts';
import { fromHex, toHex } from '../../../core/base/hex.ts';
import { SINGLE_PRIVATE_STATE } from '../../../core/privacy/private-states.ts';
import type { AccountIndex } from '../../../core/store/accounts/account-index.ts';
import type { BlockAccounts } from '../../../core/store/accounts/block-accounts.ts';
import { PUBLIC_SPACE } from '../../../core/store/interface.ts';
import { systemClock } from '../../../io/host/clock.ts';
import { systemEffort } from '../../../io/host/effort.ts';
import { systemTimers } from '../../../io/host/timers.ts';
import { managerNotInUse } from '../../../io/ptm-client/no-manager.ts';
import { type OpenChain, openChain } from '../store/data.ts';
import { indexAccounts } from './index-accounts.ts';

const RECORDING = join(OWN_VECTORS, 'goquorum/private-chain');
const PRIVATE = { kind: 'private', psi: 'private' } as const;
const folder = join(scratchFolder('quorate-accounts-'), 'data');
const host = { clock: systemClock, timers: systemTimers, effort: systemEffort, log: () => {} };
const addresses = new Set<string>();
let imported: ReturnType<typeof contentOf>;
let height: number;

/** The content of the index for all accounts that were ever added. */
function contentOf(index: AccountIndex) {
  const of = (space: typeof PUBLIC_SPACE | typeof PRIVATE) =>
    [...addresses].map((key) => {
      const address = bytesOfKey(key);
      const creation = index.creation(space, address, 1_000);
      return [toHex(address), [...index.before(space, address, 1_000)], creation?.block];
    });
  return {
    cursors: [index.cursor(PUBLIC_SPACE), index.cursor(PRIVATE)],
    all: of(PUBLIC_SPACE),
    own: of(PRIVATE),
  };
}

function listen(index: AccountIndex): void {
  const { add, addPrivate } = index;
  const note = (accounts: BlockAccounts | undefined) => {
    for (const key of accounts?.places.keys() ?? []) addresses.add(key);
  };
  index.add = (...args) => {
    note(args[2]);
    add.apply(index, args);
  };
  index.addPrivate = (...args) => {
    note(args[2]);
    addPrivate.apply(index, args);
  };
}

function reindex(opened: OpenChain, manager: Awaited<ReturnType<typeof recordedManager>>) {
  return indexAccounts({ opened, manager, privateStates: SINGLE_PRIVATE_STATE, ...host });
}

beforeAll(async () => {
  const blocks = readBlocks(join(RECORDING, 'chain/blocks.jsonl.gz')).filter(
    (each) => each.number > 0,
  );
  height = blocks.length;
  const file = `${folder}.rlp`;
  writeFileSync(file, Buffer.concat(blocks.map(({ rlp }) => fromHex(rlp))));
  const opened = await openChain(folder, {
    ...{ genesisFile: join(RECORDING, 'genesis.json'), accounts: 'kept' },
  });
  listen(opened.accounts!);
  await importRecorded(opened, file);
  imported = contentOf(opened.accounts!);
  await opened.close();
}, 60_000);

it('has what the import told it, after it was closed', async () => {
  expect(imported.cursors).toEqual([height, height]);
  expect(addresses.size).toBeGreaterThan(20);
  const opened = await openChain(folder, { accounts: 'kept' });
  expect(contentOf(opened.accounts!)).toEqual(imported);
  await opened.close();
});

it('is made again from the blocks: the same, with the payloads of the manager', async () => {
  const opened = await openChain(folder, { accounts: 'new' });
  expect(opened.accounts!.cursor(PUBLIC_SPACE)).toBe(-1);
  await reindex(opened, await recordedManager(RECORDING, 'node1'));
  expect(contentOf(opened.accounts!)).toEqual(imported);
  expect(opened.accounts!.callsFrom).toBeLessThanOrEqual(1);
  await opened.close();
}, 60_000);

it('leaves private states to the node where no manager is named', async () => {
  const opened = await openChain(folder, { accounts: 'new' });
  await reindex(opened, managerNotInUse());
  expect(contentOf(opened.accounts!)).toMatchObject({ cursors: [height, -1], all: imported.all });
  await reindex(opened, await recordedManager(RECORDING, 'node1'));
  expect(contentOf(opened.accounts!)).toEqual(imported);
  await opened.close();
}, 60_000);

it('a damaged one is dropped with a line in the log, and made again', async () => {
  const file = join(folder, 'quorate/accounts/index/data.mdb');
  const bytes = readFileSync(file);
  writeFileSync(file, bytes.subarray(0, bytes.length / 2));
  const lines: string[] = [];
  const opened = await openChain(folder, {
    ...{ accounts: 'kept', log: (_: string, line: string) => void lines.push(line) },
  });
  expect(lines).toContain('The index of accounts is made again');
  await reindex(opened, await recordedManager(RECORDING, 'node1'));
  expect(contentOf(opened.accounts!)).toEqual(imported);
  await opened.close();
}, 60_000);

it('goes back with a private state, also where nobody asked for the index', async () => {
  const to = Math.floor(height / 2);
  const without = await openChain(folder);
  await without.store.rewind('private', to);
  await without.close();
  const opened = await openChain(folder, { accounts: 'kept' });
  const left = contentOf(opened.accounts!);
  expect(left.cursors).toEqual([height, to]);
  expect(left.all).toEqual(imported.all);
  expect(JSON.stringify(left.own)).not.toBe(JSON.stringify(imported.own));
  await opened.close();
});

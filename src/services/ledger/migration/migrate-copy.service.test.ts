/**
 * A recorded data folder of GoQuorum, copied: it has all that an execution of its blocks would
 * give, except old states.
 */
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ClassicLevel } from 'classic-level';
import { describe, expect, it } from 'vitest';
import {
  datadirManager,
  expectedDatadir,
  folderHash,
} from '../../../../test/support/geth-datadir.ts';
import { migrationWorld } from '../../../../test/support/migration.ts';
import { OWN_VECTORS, plainOrPacked, readJson } from '../../../../test/vectors/folders.ts';
import { concatBytes, ZERO_HASH } from '../../../core/base/bytes.ts';
import { fromHex, toHex } from '../../../core/base/hex.ts';
import { decodeHeader } from '../../../core/chain/header.ts';
import type { Receipt } from '../../../core/chain/receipt.ts';
import { DEFAULT_PSI } from '../../../core/privacy/inputs.ts';
import { bytesOfRlp } from '../../../core/state/node-bytes.ts';
import { childOf, decodeNode } from '../../../core/state/trie-node.ts';
import { PUBLIC_SPACE } from '../../../core/store/interface.ts';
import { SnapshotReader } from '../../../io/snapshot/reader.ts';
import { SnapshotWriter } from '../../../io/snapshot/writer.ts';
import { backupNode, checkNodeTarget, restoreNode } from '../offline/backup.ts';
import { verifyData } from '../offline/verify.ts';
import { openChain, storeFolder } from '../store/data.ts';

const EXPECTED = expectedDatadir();
const PRIVATE = { kind: 'private', psi: DEFAULT_PSI } as const;

describe('a data folder of GoQuorum, copied', () => {
  it('is migrated whole without its manager, and the original is unchanged', async () => {
    const world = migrationWorld();
    const before = folderHash(world.source);
    const report = await world.copy();
    expect(folderHash(world.source)).toBe(before);
    expect(report).toMatchObject({
      head: { number: EXPECTED.head, hash: EXPECTED.hash.slice(2) },
      base: EXPECTED.head,
      isWhole: true,
      imported: { blocks: 0 },
      copied: { blocks: EXPECTED.head, states: { unnamed: 0 } },
      copyCheck: {
        blocks: EXPECTED.head + 1,
        privateStates: 1,
        privateContracts: 3,
        difference: undefined,
      },
    });
    const verified = await verifyData(world.target, { progress: () => {} });
    expect(verified.findings).toEqual([]);
    expect(verified.checked.head).toBe(EXPECTED.head);
  });

  it('counts the payloads that its transactions name, and those that its manager has', async () => {
    const alone = await migrationWorld().copy();
    expect(alone.payloads?.held).toBeUndefined();
    const named = alone.payloads!.named;
    expect(named).toBeGreaterThanOrEqual(Object.keys(EXPECTED.payloads).length);
    const held = Object.keys(EXPECTED.payloads).length;
    const { payloads } = await migrationWorld().copy({ manager: datadirManager() });
    expect(payloads).toEqual({ named, held });
  });

  it('is copied by a backup, under the format that it has, and restored', async () => {
    const world = migrationWorld();
    await world.copy();
    const [folder, restored] = [`${world.target}.snapshot`, `${world.target}.restored`];
    const writer = new SnapshotWriter(folder, () => {});
    await backupNode(world.target, writer);
    writer.finish('test', 0);
    const noted = JSON.parse(readFileSync(join(folder, 'snapshot.json'), 'utf8'));
    expect(JSON.stringify(noted)).toContain('"dataFormat":6');
    const snapshot = new SnapshotReader(folder);
    checkNodeTarget(snapshot, restored);
    await restoreNode(snapshot, restored, () => {});
    const { store, close } = await openChain(restored);
    expect(toHex(store.head()!.hash)).toBe(EXPECTED.hash);
    expect(toHex(store.trieAt(PRIVATE, EXPECTED.head).root())).toBe(EXPECTED.privateStateRoot);
    await close();
  });

  it('answers what one that was executed answers, at the head and of all blocks', async () => {
    const world = migrationWorld();
    await world.copy();
    const executed = migrationWorld();
    await executed.execute();
    const [copied, full] = await Promise.all(
      [world, executed].map(({ target }) => openChain(target)),
    );
    const { store } = copied!;
    const { head } = EXPECTED;
    for (let number = 0; number <= head; number++) {
      expect(store.block(number)).toEqual(full!.store.block(number));
      const [receipts, all] = [store, full!.store].map((each) => each.receipts(number)!);
      expect(receipts).toEqual(all!.map(withoutReason));
      const [record, whole] = [store, full!.store].map((each) =>
        each.privateRecord(DEFAULT_PSI, number),
      );
      const kept = [...(whole?.receipts ?? [])].map(([at, each]) => [at, withoutReason(each)]);
      expect(record).toEqual(whole && { ...whole, receipts: new Map(kept as [number, Receipt][]) });
      for (const space of [PUBLIC_SPACE, PRIVATE])
        expect(store.bloom(space, number)).toEqual(full!.store.bloom(space, number));
      for (const { hash } of store.block(number)!.transactions)
        expect(store.transactionByHash(hash)).toEqual(full!.store.transactionByHash(hash));
    }
    for (const space of [PUBLIC_SPACE, PRIVATE]) {
      expect(store.cursor(space)).toBe(head);
      expect(listed(copied!.store, space)).toEqual(listed(full!.store, space));
      expect(store.trieAt(space, head).root()).toEqual(full!.store.trieAt(space, head).root());
    }
    await copied!.close();
    await full!.close();
  });

  it('says of older states that they were not migrated', async () => {
    const world = migrationWorld();
    await world.copy();
    const { store, close } = await openChain(world.target);
    for (const space of [PUBLIC_SPACE, PRIVATE]) {
      expect(() => store.stateAt(space, EXPECTED.head - 1)).toThrow(
        expect.objectContaining({ code: 'STORE_STATE_NOT_MIGRATED' }),
      );
      expect(() => store.trieAt(space, 0)).toThrow(/--execute/);
    }
    await expect(store.rewind('all', 3)).rejects.toMatchObject({
      code: 'STORE_STATE_NOT_MIGRATED',
    });
    await close();
  });

  it('loses nothing with its index', async () => {
    const world = migrationWorld();
    await world.copy();
    rmSync(join(storeFolder(world.target), 'index'), { recursive: true });
    const { store, close } = await openChain(world.target);
    expect(toHex(store.head()!.hash)).toBe(EXPECTED.hash);
    const [[address, contract]] = Object.entries(EXPECTED.contracts).filter(
      ([, each]) => each.private,
    ) as [[string, (typeof EXPECTED.contracts)[string]]];
    const state = store.stateAt(PRIVATE, EXPECTED.head);
    const account = state.account(fromHex(address))!;
    expect(toHex(state.code(account.codeHash))).toBe(contract.code);
    expect(state.slot(fromHex(address), account, 0n)).toBe(BigInt(contract.slot0));
    await close();
    const { findings } = await verifyData(world.target, { progress: () => {} });
    expect(findings).toEqual([]);
  });

  it('continues wherever it was interrupted', async () => {
    const world = migrationWorld();
    let asked = 0;
    let rounds = 0;
    for (;;) {
      const limit = ++rounds;
      asked = 0;
      const { isWhole } = await world.copy({ shouldStop: () => ++asked >= limit });
      if (isWhole) break;
      await expect(openChain(world.target)).rejects.toMatchObject({
        code: 'MIGRATION_UNFINISHED',
      });
    }
    expect(rounds).toBeGreaterThan(5);
    expect(existsSync(join(storeFolder(world.target), 'migrate-scratch'))).toBe(false);
    const { findings } = await verifyData(world.target, { progress: () => {} });
    expect(findings).toEqual([]);
  });

  it('is not gone on with in the other way', async () => {
    const world = migrationWorld();
    await world.copy({ shouldStop: () => true });
    await expect(world.execute()).rejects.toThrow(/without --execute/);
    const other = migrationWorld();
    await other.execute({ shouldStop: () => true });
    await expect(other.copy()).rejects.toThrow(/with --execute/);
  });
});

/** The recorded node ran without --revertreason. */
function withoutReason({ revertReason: _left, ...receipt }: Receipt): Receipt {
  return receipt;
}

describe('a source whose states are not whole', () => {
  it('killed before its newest states were on disk: the blocks above the newest that is there are executed', async () => {
    const world = migrationWorld();
    await withoutNode(world.source, (root) => root);
    const report = await world.copy({ manager: datadirManager() });
    expect(report.base).toBeLessThan(EXPECTED.head);
    expect(report).toMatchObject({
      isWhole: true,
      imported: { blocks: EXPECTED.head - report.base! },
      head: { number: EXPECTED.head },
    });
    const { store, close } = await openChain(world.target);
    const state = store.stateAt(PRIVATE, EXPECTED.head);
    for (const [address, contract] of Object.entries(EXPECTED.contracts)) {
      if (!contract.private) continue;
      const account = state.account(fromHex(address))!;
      expect(state.slot(fromHex(address), account, 0n)).toBe(BigInt(contract.slot0));
    }
    expect(toHex(store.trieAt(PRIVATE, EXPECTED.head).root())).toBe(EXPECTED.privateStateRoot);
    await close();
    const { findings } = await verifyData(world.target, { progress: () => {} });
    expect(findings).toEqual([]);
  });

  it('a node of a trie is missing: it is named, with the cure, and the target does not count', async () => {
    const world = migrationWorld();
    await withoutNode(world.source, (_root, rlp) => {
      const node = decodeNode(bytesOfRlp(rlp));
      if (node.kind !== 'branch') throw new Error('the root is a branch');
      const children = [...Array(16).keys()].map((nibble) => childOf(node, nibble));
      return children.find((child) => child?.kind === 'hashed')!.bytes;
    });
    await expect(world.copy()).rejects.toThrow(
      /chaindata lacks a part of its state .*the node at path \[\d+\] is missing.*--execute/,
    );
    await expect(openChain(world.target)).rejects.toMatchObject({ code: 'MIGRATION_UNFINISHED' });
  });
});

async function withoutPreimages(source: string): Promise<void> {
  const level = new ClassicLevel(join(source, 'geth/chaindata'), { keyEncoding: 'utf8' });
  await level.clear({ gte: 'secure-key-', lt: 'secure-key.' });
  await level.close();
}

/** Deletes one node of the newest public trie from the source. */
async function withoutNode(
  source: string,
  choose: (root: Uint8Array, rlp: Uint8Array) => Uint8Array,
): Promise<void> {
  const level = new ClassicLevel<Uint8Array, Uint8Array>(join(source, 'geth/chaindata'), {
    ...{ keyEncoding: 'view', valueEncoding: 'view' },
  });
  await level.open();
  const text = (value: string) => new TextEncoder().encode(value);
  const hash = (await level.get(text('LastBlock')))!;
  const number = (await level.get(concatBytes(text('H'), hash)))!;
  const header = decodeHeader((await level.get(concatBytes(text('h'), number, hash)))!);
  const rlp = (await level.get(header.stateRoot))!;
  await level.del(choose(header.stateRoot, rlp));
  await level.close();
}

describe('a Raft member with several private states', () => {
  const recorded: Recorded = readJson(
    plainOrPacked(join(OWN_VECTORS, 'goquorum/raft-mps/marker.json')),
  );

  it('is migrated with the inner receipts of its markers, and its place in the cluster', async () => {
    const world = migrationWorld('raft-mps/marker');
    const before = folderHash(world.source);
    const report = await world.copy();
    expect(folderHash(world.source)).toBe(before);
    expect(report).toMatchObject({
      head: { number: recorded.head, hash: recorded.hash.slice(2) },
      raft: { term: 2, commit: 15, entries: 14 },
      votesFrom: undefined,
      copyCheck: { privateStates: 3, difference: undefined },
    });
    const { store, close } = await openChain(world.target);
    let compared = 0;
    for (const [psi, receipts] of Object.entries(recorded.receipts)) {
      for (const { own, private: inner } of receipts) {
        const number = Number(own.blockNumber);
        const found = store.privateRecord(psi, number)?.receipts.get(Number(own.transactionIndex));
        if (!inner) continue;
        compared++;
        expect(found?.status).toBe(Number(inner.status));
        expect(found?.contractAddress && toHex(found.contractAddress)).toBe(
          inner.contractAddress ?? undefined,
        );
        expect(found?.logs.map(({ data }) => toHex(data))).toEqual(
          inner.logs.map(({ data }) => data),
        );
      }
    }
    expect(compared).toBe(8);
    const state = store.stateAt(PUBLIC_SPACE, recorded.head);
    expect(state.account(fromHex(`0x${'10'.repeat(20)}`))?.balance).toBe(1n);
    await close();
    const { findings } = await verifyData(world.target, { progress: () => {} });
    expect(findings).toEqual([]);
  });

  it('can be read and not listed where the source kept only hashes (--cache.preimages=false)', async () => {
    const world = migrationWorld('raft-mps/plain');
    await withoutPreimages(world.source);
    const report = await world.copy();
    expect(report.copied!.states!.unnamed).toBeGreaterThan(0);
    const { store, close } = await openChain(world.target);
    const state = store.stateAt(PUBLIC_SPACE, store.head()!.number);
    expect(state.account(fromHex(`0x${'10'.repeat(20)}`))?.balance).toBe(1n);
    expect(() => [...state.accounts(ZERO_HASH)]).toThrow(
      expect.objectContaining({ code: 'STORE_KEY_UNKNOWN' }),
    );
    await close();
  });

  it('is refused with a damaged log of Raft, by name', async () => {
    const world = migrationWorld('raft-mps/marker');
    const path = join(world.source, 'raft-wal/0000000000000000-0000000000000000.wal');
    const bytes = readFileSync(path);
    bytes[400]! ^= 1;
    writeFileSync(path, bytes);
    await expect(world.copy()).rejects.toThrow(/raft-wal.*\.wal has a record without its checksum/);
  });
});

interface Recorded {
  readonly head: number;
  readonly hash: string;
  readonly receipts: Readonly<
    Record<
      string,
      readonly { readonly own: RecordedReceipt; readonly private: RecordedReceipt | null }[]
    >
  >;
}

interface RecordedReceipt {
  readonly blockNumber: string;
  readonly transactionIndex: string;
  readonly status: string;
  readonly contractAddress: string | null;
  readonly logs: readonly { readonly data: string }[];
}

type Store = Awaited<ReturnType<typeof openChain>>['store'];

/**
 * All accounts and slots of a state, without the block in which a storage was created, and without
 * `managedParties`, which the test's manager reports, but the recorded one did not.
 */
function listed(store: Store, space: typeof PUBLIC_SPACE | typeof PRIVATE) {
  const state = store.stateAt(space, EXPECTED.head);
  return [...state.accounts(ZERO_HASH)].map(({ address, account }) => ({
    address,
    account: { ...account, born: 0 },
    metadata: { ...state.metadata(address), managedParties: undefined },
    slots: [...state.slots(address, account, ZERO_HASH)],
    code: state.code(account.codeHash),
  }));
}

/** A recorded data folder of GoQuorum, copied: what an execution of all its blocks finds is there, but for states of old. */
import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { expectedDatadir, folderHash } from '../../../../test/support/geth-datadir.ts';
import { migrationWorld } from '../../../../test/support/migration.ts';
import { ZERO_HASH } from '../../../core/base/bytes.ts';
import { fromHex, toHex } from '../../../core/base/hex.ts';
import type { Receipt } from '../../../core/chain/receipt.ts';
import { DEFAULT_PSI } from '../../../core/privacy/inputs.ts';
import { PUBLIC_SPACE } from '../../../core/store/interface.ts';
import { verifyData } from '../offline/verify.ts';
import { openChain, storeFolder } from '../store/data.ts';

const EXPECTED = expectedDatadir();
const PRIVATE = { kind: 'private', psi: DEFAULT_PSI } as const;

describe('a data folder of GoQuorum, copied', () => {
  it('comes over whole without its manager, and stays as it was', async () => {
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

  it('goes on wherever it was interrupted', async () => {
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

/** The source ran without --revertreason. */
function withoutReason({ revertReason: _left, ...receipt }: Receipt): Receipt {
  return receipt;
}

type Store = Awaited<ReturnType<typeof openChain>>['store'];

/**
 * All accounts and slots of a state, without the block in which a storage began, and without what the manager of the test says
 * and the recorded one did not.
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

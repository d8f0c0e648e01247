/**
 * Members of one network, each with the private state of its transactions, written as GoQuorum
 * stores it and migrated: contracts, their metadata, and a pending extension.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import { writeGethFolder } from '../../../../test/support/geth-writer.ts';
import { migrated } from '../../../../test/support/migration.ts';
import { type Party, PrivateNetwork, PSI } from '../../../../test/support/private-parties.ts';
import { scratchFolder } from '../../../../test/support/scratch.ts';
import { toHex } from '../../../core/base/hex.ts';
import { rulesAt } from '../../../core/chain/rules.ts';
import { ChainStore } from '../../../core/store/chain-store.ts';
import type { Chain } from '../node/chain/chain.ts';
import { ExtensionIndex } from '../node/extension/extension-index.ts';
import { type OpenChain, openChain } from '../store/data.ts';

const root = scratchFolder('quorate-migrate-private-');
const network = new PrivateNetwork();
afterEach(() => network.stop());

/** The extensions that a node lists, read with a new index. */
async function listed({ store, genesis, folder }: OpenChain) {
  const index = new ExtensionIndex({
    chain: {
      store,
      rulesOf: ({ number, timestamp }) => rulesAt(genesis.config, number, timestamp),
    } as Chain,
    payloads: undefined as never,
    kv: folder.kv,
    timers: undefined as never,
    log: () => {},
  });
  return (await index.active(PSI)).list();
}

it('contracts, their metadata and a pending extension are migrated, to each party its own', async () => {
  await network.start();
  const [one, two, three, four] = network.parties as [Party, Party, Party, Party];
  const contract = await network.contract(one, [two], 3);
  const manager = await network.extend(one, three, contract);
  // Adds later blocks, so that the extension began below the head.
  await network.contract(four, [one], 0);
  const before = await Promise.all(
    network.parties.map(async (party) => ({
      slot: party.slot(contract),
      metadata: party.metadata(contract),
      active: await party.requests.active(PSI),
    })),
  );
  expect(before.map(({ active }) => active.length)).toEqual([1, 1, 1, 0]);
  const { parties } = network;
  const nodes = parties.map(({ node }) => node);
  await network.stop();
  for (const [at, { disk }] of nodes.entries()) {
    const folder = join(root, String(at));
    mkdirSync(folder, { recursive: true });
    const kv = disk.kv('index');
    const store = await ChainStore.open({ log: disk.log('blocks'), kv, clock: network.time });
    const genesisFile = join(folder, 'genesis.json');
    writeFileSync(genesisFile, JSON.stringify(network.genesisFile));
    const config = JSON.stringify((network.genesisFile as { config: object }).config);
    await writeGethFolder(folder, { store, kv, config, frozen: 3 });
    const target = join(root, `target${at}`);
    const report = await migrated(folder, target);
    expect(report).toMatchObject({ isWhole: true, copyCheck: { difference: undefined } });
    const space = { kind: 'private', psi: PSI } as const;
    const head = store.head()!.number;
    const opened = await openChain(target);
    expect(toHex(opened.store.head()!.hash)).toBe(toHex(store.head()!.hash));
    expect(opened.store.trieAt(space, head).root()).toEqual(store.trieAt(space, head).root());
    const state = opened.store.stateAt(space, head);
    const account = state.account(contract);
    // For a node that is not a party, the account exists without code and storage.
    const slot = state.slot(contract, account!, 0n);
    expect(slot).toBe(before[at]!.slot ?? 0n);
    expect(state.metadata(contract)).toEqual(before[at]!.metadata);
    expect(await listed(opened)).toEqual(before[at]!.active);
    if (at === 0) expect(toHex(before[at]!.active[0]!.manager)).toBe(toHex(manager));
    await opened.close();
    await store.close();
  }
});

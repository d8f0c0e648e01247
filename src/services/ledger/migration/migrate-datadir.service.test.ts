/**
 * A recorded data folder of GoQuorum, migrated: the folder is not changed, and the result does not
 * differ.
 */
import { existsSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import {
  datadirManager,
  expectedDatadir,
  folderHash,
  gethDatadir,
} from '../../../../test/support/geth-datadir.ts';
import { scratchFolder } from '../../../../test/support/scratch.ts';
import { fromHex, toHex } from '../../../core/base/hex.ts';
import { DEFAULT_PSI } from '../../../core/privacy/inputs.ts';
import { SINGLE_PRIVATE_STATE } from '../../../core/privacy/private-states.ts';
import { PUBLIC_SPACE } from '../../../core/store/interface.ts';
import { systemClock } from '../../../io/host/clock.ts';
import { systemEffort } from '../../../io/host/effort.ts';
import { systemTimers } from '../../../io/host/timers.ts';
import type { ConnectedManager } from '../../../io/ptm-client/connected-manager.ts';
import { MIGRATING, openChain, storeFolder } from '../store/data.ts';
import { lookAtSource } from './look.ts';
import { migrateDatadir, openSource } from './migrate-datadir.ts';
import { findSource } from './source.ts';

const root = scratchFolder('quorate-migrate-');
const EXPECTED = expectedDatadir();
let count = 0;

function world() {
  const folder = join(root, String(count++));
  return { source: gethDatadir(folder), target: join(folder, 'target') };
}

function migrate(
  { source, target }: ReturnType<typeof world>,
  {
    manager = datadirManager(),
    shouldStop = () => false,
    isExecuted = true,
  }: { manager?: ConnectedManager; shouldStop?: () => boolean; isExecuted?: boolean } = {},
) {
  return migrateDatadir({
    source: findSource(source, { genesisFile: undefined, ancient: undefined }),
    target,
    isVerified: true,
    isExecuted,
    importParts: async () => ({
      manager,
      privateStates: SINGLE_PRIVATE_STATE,
      consensusDefaults: {},
      ...{ clock: systemClock, timers: systemTimers, effort: systemEffort },
      ...{ log: () => {}, recovery: undefined, shouldStop },
    }),
  });
}

describe('a data folder of GoQuorum', () => {
  it('is migrated whole, and the original is unchanged', async () => {
    const folders = world();
    const before = folderHash(folders.source);
    const report = await migrate(folders);
    expect(folderHash(folders.source)).toBe(before);
    expect(report.head).toEqual({ number: EXPECTED.head, hash: EXPECTED.hash.slice(2) });
    expect(report.isWhole).toBe(true);
    expect(report.genesis.isFileOlder).toBe(false);
    expect(report.comparison).toMatchObject({
      blocks: EXPECTED.head + 1,
      privateTransactions: Object.keys(EXPECTED.payloads).length,
      privateContracts: 3,
      difference: undefined,
    });
    expect(report.comparison!.privateRoots).toBeGreaterThan(EXPECTED.head / 2);
    const { store, votes, close } = await openChain(folders.target);
    // All members may migrate at the same time: none of them abstains.
    expect(votes.loss).toBeUndefined();
    expect(votes.memory()?.height).toBe(EXPECTED.head + 1);
    expect(report.votesFrom).toBe(EXPECTED.head + 1);
    const { root: privateRoot } = [...Array(EXPECTED.head + 1).keys()]
      .map((number) => store.privateRecord(DEFAULT_PSI, number))
      .findLast((record) => record !== undefined)!;
    expect(toHex(privateRoot)).toBe(EXPECTED.privateStateRoot);
    for (const [address, contract] of Object.entries(EXPECTED.contracts)) {
      const space = contract.private
        ? ({ kind: 'private', psi: DEFAULT_PSI } as const)
        : PUBLIC_SPACE;
      const state = store.stateAt(space, EXPECTED.head);
      const account = state.account(fromHex(address))!;
      expect(toHex(state.code(account.codeHash))).toBe(contract.code);
      expect(state.slot(fromHex(address), account, 0n)).toBe(BigInt(contract.slot0));
    }
    await close();
  });

  it('brings node key, accounts, lists of peers and permissions, as --dry-run says', async () => {
    const folders = world();
    const lists = ['permissioned-nodes', 'disallowed-nodes', 'permission-config'].map(
      (name) => `${name}.json`,
    );
    for (const name of lists) writeFileSync(join(folders.source, name), `["${name}"]`);
    writeFileSync(join(folders.source, 'activeExtensions.json'), '{}');
    const source = findSource(folders.source, { genesisFile: undefined, ancient: undefined });
    const said = await lookAtSource(source);
    const { files } = await migrate(folders);
    expect(said).toEqual(expect.arrayContaining(files.copied.map((name) => `Comes over: ${name}`)));
    expect(said).toContain(
      'Stays: activeExtensions.json (extensions that wait are read from the chain)',
    );
    for (const name of lists) {
      expect(readFileSync(join(folders.target, name), 'utf8')).toBe(`["${name}"]`);
    }
    expect(files.copied).toEqual([
      'quorate/nodekey',
      'static-nodes.json',
      ...lists,
      expect.stringMatching(/^keystore\/UTC--.*659adb905f89e0c63af69ad7241192792f4cb60f$/),
    ]);
    expect(readFileSync(join(folders.target, 'quorate/nodekey'))).toEqual(
      readFileSync(join(folders.source, 'geth/nodekey')),
    );
  });

  it('answers the same after its memory was given back', async () => {
    const { source, target } = world();
    const found = findSource(source, { genesisFile: undefined, ancient: undefined });
    const database = await openSource(found, join(target, 'scratch'));
    const read = () => database.stored(EXPECTED.head);
    const before = read();
    await database.release();
    expect(read()).toEqual(before);
    await database.close();
    expect(existsSync(join(target, 'scratch'))).toBe(false);
  });

  it('keeps the configuration that the node ran with, where the genesis file is an older one', async () => {
    const folders = world();
    const path = join(folders.source, 'genesis.json');
    const genesis = JSON.parse(readFileSync(path, 'utf8'));
    genesis.config.txnSizeLimit = 32;
    writeFileSync(path, JSON.stringify(genesis));
    const report = await migrate(folders);
    expect(report.genesis.isFileOlder).toBe(true);
    const { genesis: kept, close } = await openChain(folders.target);
    expect(kept.config.transactionKilobytesMax).toBe(64);
    await close();
  });

  it('continues where it was interrupted, and does not start before it is whole', async () => {
    const folders = world();
    let asked = 0;
    const { isWhole, head } = await migrate(folders, { shouldStop: () => ++asked > 10 });
    expect(isWhole).toBe(false);
    expect(head.number).toBeLessThan(EXPECTED.head);
    await expect(openChain(folders.target)).rejects.toMatchObject({ code: 'MIGRATION_UNFINISHED' });
    // The same source by another path.
    const source = `${folders.source}-linked`;
    symlinkSync(folders.source, source);
    const second = await migrate({ ...folders, source });
    expect(second.isWhole).toBe(true);
    expect(second.imported.blocks).toBe(EXPECTED.head - head.number);
    await expect(migrate(folders)).rejects.toMatchObject({ code: 'MIGRATION_TARGET' });
  });

  it('names the block where the private state differs, and is not started then', async () => {
    const folders = world();
    const [, lost] = Object.values(EXPECTED.payloads);
    const { comparison, isWhole } = await migrate(folders, { manager: datadirManager(lost!.hex) });
    expect(isWhole).toBe(false);
    expect(comparison!.difference!.text).toMatch(
      /^private state private has the root [0-9a-f]{64} there/,
    );
    expect(existsSync(join(storeFolder(folders.target), MIGRATING))).toBe(true);
  });
});

/**
 * `quorate mpsdbupgrade`: from one private state to several (GoQuorum core/mps/multiple_psr.go),
 * without the manager and without execution. The chain is rewritten next to the old one, which
 * stays unchanged until the new one is complete; after an interruption the same command continues.
 */
import { cpSync, existsSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { equalBytes, keyOf } from '../../../core/base/bytes.ts';
import { fail } from '../../../core/base/errors.ts';
import type { Block } from '../../../core/chain/block.ts';
import { EMPTY_BLOOM } from '../../../core/chain/bloom.ts';
import type { Receipt } from '../../../core/chain/receipt.ts';
import { createAddress } from '../../../core/evm/create-address.ts';
import type { SpaceResult } from '../../../core/execution/result.ts';
import { DEFAULT_PSI, EMPTY_PSI, type Psi } from '../../../core/privacy/inputs.ts';
import { EMPTY_ACCOUNT } from '../../../core/state/account.ts';
import type { StateTrie } from '../../../core/state/state-trie.ts';
import type { AccountWrite } from '../../../core/state/write-set.ts';
import { ChainStore } from '../../../core/store/chain-store.ts';
import { steadyClock } from '../../../io/host/clock.ts';
import { makeFolder } from '../../../io/host/make-folder.ts';
import { type DataFolder, openDataFolder } from '../../../io/storage/data-folder.ts';
import { LOCK_NAME } from '../../../io/storage/directory-lock.ts';
import { type OpenChain, openChain, storeFolder } from '../store/data.ts';
import { keepGenesis } from '../store/kept-genesis.ts';

const PRIVATE = { kind: 'private', psi: DEFAULT_PSI } as const;
const EMPTY = { kind: 'private', psi: EMPTY_PSI } as const;
/** Names rebuilt from the old chain; everything else in the store's folder is copied. */
const MADE_ANEW = new Set([
  'blocks',
  'index',
  'index-state',
  'format',
  LOCK_NAME,
  'genesis.json',
  'genesis.json.sha256',
]);

export interface UpgradeReport {
  /** Folder where the old chain is now. */
  readonly kept: string;
}

/**
 * Resolves when the chain of `dataDirectory` has several private states: the former only one is now
 * `private`, next to `empty`. `tell` is called for each block. Rejects with MPS_UPGRADE_REFUSED,
 * and then changes nothing.
 */
export async function upgradeToMps(
  dataDirectory: string,
  tell: (number: number, hash: Uint8Array) => void,
): Promise<UpgradeReport> {
  const place = placesOf(dataDirectory);
  if (isWhole(place.fresh) && !existsSync(place.store)) return finish(place);
  const old = await openChain(dataDirectory);
  try {
    check(old, dataDirectory);
    await copy(old, place.fresh, tell);
    takeOver(place.store, place.fresh);
  } finally {
    await old.close();
  }
  return finish(place);
}

interface Places {
  readonly store: string;
  /** Folder of the new chain until it is complete. */
  readonly fresh: string;
  readonly kept: string;
}

function placesOf(dataDirectory: string): Places {
  const store = storeFolder(dataDirectory);
  return { store, fresh: `${store}.mps`, kept: `${store}.before-mps` };
}

/** Whether the new chain is complete: its genesis file is written last. */
function isWhole(folder: string): boolean {
  return existsSync(join(folder, 'genesis.json'));
}

/** Renames both folders; after a crash between the two renames the next run finishes. */
function finish({ store, fresh, kept }: Places): UpgradeReport {
  if (existsSync(store)) renameSync(store, kept);
  renameSync(fresh, store);
  return { kept };
}

function check({ genesis, store }: OpenChain, dataDirectory: string): void {
  const { config } = genesis;
  const refused = (why: string) => fail('MPS_UPGRADE_REFUSED', why);
  if (!config.isQuorum) throw refused('the chain has no private state: nothing to upgrade');
  if (config.isMps)
    throw refused('The database is already upgraded to support multiple private states.');
  const head = store.head()!.number;
  const cursor = store.cursor(PRIVATE);
  if (cursor === head) return;
  throw refused(
    `the private state is at block ${cursor} of ${head}: let the node of ${dataDirectory} catch up with its private transaction manager first`,
  );
}

async function copy(
  { store: old }: OpenChain,
  folder: string,
  tell: (number: number, hash: Uint8Array) => void,
): Promise<void> {
  const fresh = await openFresh(old, folder);
  try {
    const { store } = fresh;
    const head = old.head()!.number;
    for (let number = (store.head()?.number ?? -1) + 1; number <= head; number++) {
      const block = old.block(number)!;
      const own = old.privateResult(DEFAULT_PSI, number);
      const spaces = own && withEmpty(own, block, store.trieAt(EMPTY, Math.max(number - 1, 0)));
      await store.append(
        {
          block,
          receipts: old.receipts(number)!,
          writes: old.writes(number)!,
          hasPrivateWork: own !== undefined,
          ...(spaces ? { spaces } : {}),
        },
        'group',
      );
      tell(number, block.hash);
    }
    checkRoots(old, store);
  } finally {
    await fresh.store.close();
    fresh.data.close();
  }
}

/**
 * Throws if the old chain has changed between two runs, such as by the repair of a private state.
 */
function checkRoots(old: ChainStore, fresh: ChainStore): void {
  const { number } = old.head()!;
  const [before, after] = [old, fresh].map((store) => store.trieAt(PRIVATE, number).root());
  if (equalBytes(before!, after!)) return;
  throw fail(
    'MPS_UPGRADE_REFUSED',
    'the private state was repaired since an interrupted upgrade: delete the folder "quorate.mps" and run this again',
  );
}

/** Continues an interrupted run, unless its folder belongs to another chain. */
async function openFresh(
  old: ChainStore,
  folder: string,
): Promise<{ store: ChainStore; data: DataFolder }> {
  makeFolder(folder, 0o700);
  const data = await openDataFolder(folder);
  const store = await ChainStore.open({ log: data.log, kv: data.kv, clock: steadyClock });
  const head = store.head();
  const known = head && old.hashOf(head.number);
  if (!head || (known && equalBytes(known, head.hash))) return { store, data };
  await store.close();
  data.close();
  rmSync(folder, { recursive: true });
  return openFresh(old, folder);
}

/**
 * The result of the state `empty`, which is not a party to any transaction: a private creation is
 * an account without code, and every private transaction succeeds.
 */
function withEmpty(
  own: SpaceResult,
  { header, transactions }: Block,
  before: StateTrie,
): ReadonlyMap<Psi, SpaceResult> {
  const accounts = new Map<string, AccountWrite>();
  const receipts = new Map<number, Receipt>();
  for (const [index, receipt] of own.receipts) {
    const { isPrivate, to, sender, nonce } = transactions[index]!;
    // A transaction inside a marker, which is never run without its payload.
    if (!isPrivate) continue;
    const { status, postState, logs, revertReason, ...rest } = receipt;
    const quiet = { ...rest, logs: [], bloom: EMPTY_BLOOM };
    receipts.set(
      index,
      status === undefined ? { ...quiet, status, postState: postState! } : { ...quiet, status: 1 },
    );
    if (to !== undefined) continue;
    const address = createAddress(sender, nonce);
    const account = { ...EMPTY_ACCOUNT, nonce: 1n, born: header.number };
    accounts.set(keyOf(address), { address, account, storageReset: false, slots: new Map() });
  }
  const writes = { accounts, codes: [] };
  const root = before.update(writes).root();
  return new Map([
    [DEFAULT_PSI, own],
    [EMPTY_PSI, { writes, root, receipts, bloom: EMPTY_BLOOM }],
  ]);
}

/** Copies keys, votes and journal unchanged; the genesis file, with `isMPS`, last. */
function takeOver(store: string, fresh: string): void {
  for (const name of readdirSync(store)) {
    if (MADE_ANEW.has(name)) continue;
    cpSync(join(store, name), join(fresh, name), { recursive: true, preserveTimestamps: true });
  }
  const genesis = JSON.parse(readFileSync(join(store, 'genesis.json'), 'utf8'));
  const text = JSON.stringify({ ...genesis, config: { ...genesis.config, isMPS: true } }, null, 2);
  keepGenesis(fresh, `${text}\n`);
}

/**
 * Compares the migrated chain with GoQuorum's data. The import has already proved headers, public
 * state and receipts by their roots; this compares the private states after each block, and each
 * private contract at the head.
 */
import { EMPTY_BYTES, equalBytes, type Hash32 } from '../../../core/base/bytes.ts';
import { bareHex } from '../../../core/base/hex.ts';
import { EMPTY_CODE_HASH, EMPTY_ROOT, keccak256 } from '../../../core/base/keccak.ts';
import { DEFAULT_PSI, type Psi } from '../../../core/privacy/inputs.ts';
import type { PrivateStates } from '../../../core/privacy/private-states.ts';
import { decodeAccountLeaf } from '../../../core/state/account-codec.ts';
import { walkTrie } from '../../../core/state/trie-walk.ts';
import type { ChainReader } from '../../../core/store/interface.ts';
import type { ChainDatabase } from '../../../io/geth/chain-database.ts';
import type { ResidentMemory } from '../../../io/host/resident-memory.ts';

/** Yields to the event loop after this many blocks. */
const BLOCKS_A_TURN = 1_024;

export interface Comparison {
  readonly blocks: number;
  readonly transactions: number;
  readonly privateTransactions: number;
  /** Number of compared private roots, over all private states. */
  readonly privateRoots: number;
  /** Number of private contracts in the source's tries at the head. */
  readonly privateContracts: number;
  readonly privateSlots: number;
  /** The first difference; undefined: nothing differs. */
  readonly difference: { readonly block: number; readonly text: string } | undefined;
}

export interface ComparisonParts {
  readonly database: ChainDatabase;
  readonly store: ChainReader;
  readonly privateStates: PrivateStates;
  readonly memory: ResidentMemory;
}

export async function compareWithSource(parts: ComparisonParts): Promise<Comparison> {
  const { store, privateStates, memory } = parts;
  const counts = {
    ...{ blocks: 0, transactions: 0, privateTransactions: 0 },
    ...{ privateRoots: 0, privateContracts: 0, privateSlots: 0 },
  };
  const head = store.head()!.number;
  const roots = new Map<Psi, Hash32>(privateStates.psis.map((psi) => [psi, EMPTY_ROOT]));
  for (let number = 0; number <= head; number++) {
    const { header, transactions } = store.block(number)!;
    counts.blocks++;
    counts.transactions += transactions.length;
    counts.privateTransactions += transactions.filter(({ isPrivate }) => isPrivate).length;
    for (const psi of roots.keys()) {
      const record = store.privateRecord(psi, number);
      if (record) roots.set(psi, record.root);
    }
    const theirs = rootsOf(parts, header.stateRoot);
    for (const [psi, root] of theirs) {
      counts.privateRoots++;
      const ours = roots.get(psi) ?? EMPTY_ROOT;
      if (equalBytes(ours, root)) continue;
      const text = `private state ${psi} has the root ${bareHex(root)} there and ${bareHex(ours)} here`;
      return { ...counts, difference: { block: number, text } };
    }
    if (number % BLOCKS_A_TURN === 0) {
      await new Promise(setImmediate);
      await memory.bound();
    }
  }
  for (const root of rootsOf(parts, store.header(head)!.stateRoot).values()) {
    const text = countContracts(parts, root, counts);
    if (text !== undefined) return { ...counts, difference: { block: head, text } };
  }
  return { ...counts, difference: undefined };
}

/** Private roots of the source by PSI, after the block with this public root. */
function rootsOf({ database, privateStates }: ComparisonParts, publicRoot: Hash32) {
  const roots = new Map<Psi, Hash32>();
  const single = database.privateRoot(publicRoot);
  if (single?.length === 32) roots.set(DEFAULT_PSI, single);
  const tenants = database.privateStatesRoot(publicRoot);
  if (tenants?.length !== 32) return roots;
  const names = new Map(
    privateStates.psis.map((psi) => [bareHex(keccak256(new TextEncoder().encode(psi))), psi]),
  );
  for (const { key, value } of walkTrie(tenants, (_path, hash) => database.node(hash), rethrow)) {
    const psi = names.get(bareHex(key));
    if (psi !== undefined) roots.set(psi, value);
  }
  return roots;
}

/**
 * Reads the source's private trie leaf by leaf: it must be complete, and the target must have every
 * code.
 */
function countContracts(
  { database, store }: ComparisonParts,
  root: Hash32,
  counts: { privateContracts: number; privateSlots: number },
): string | undefined {
  let fault: string | undefined;
  const load = (_path: Uint8Array, hash: Uint8Array) => database.node(hash);
  const onFault = (error: Error) => {
    fault ??= `the source lacks part of its private state (${error.message})`;
  };
  for (const { key, value } of walkTrie(root, load, onFault)) {
    const { codeHash, storageRoot } = decodeAccountLeaf(value);
    for (const _slot of walkTrie(storageRoot, load, onFault)) counts.privateSlots++;
    if (equalBytes(codeHash, EMPTY_CODE_HASH)) continue;
    counts.privateContracts++;
    if (equalBytes(store.code(codeHash) ?? EMPTY_BYTES, database.code(codeHash) ?? EMPTY_BYTES))
      continue;
    fault ??= `the code ${bareHex(codeHash)} of the private contract with the hashed address ${bareHex(key)} differs`;
  }
  return fault;
}

function rethrow(error: Error): never {
  throw error;
}

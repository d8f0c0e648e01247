/**
 * Compares a copied chain with its source: the hash of every block, by its number and by the index,
 * and every node, account, slot and code of every state of the target with the source's root.
 * Receipts and transactions were already compared with their headers during the copy.
 */
import { equalBytes } from '../../../core/base/bytes.ts';
import { bareHex } from '../../../core/base/hex.ts';
import { EMPTY_ROOT } from '../../../core/base/keccak.ts';
import type { Kv } from '../../../core/base/ports.ts';
import type { Psi } from '../../../core/privacy/inputs.ts';
import type { ChainStore } from '../../../core/store/chain-store.ts';
import { readMark } from '../../../core/store/checkpoint.ts';
import { verifyStateSteps } from '../../../core/store/verify/state.ts';
import type { ChainDatabase } from '../../../io/geth/chain-database.ts';
import type { ResidentMemory } from '../../../io/host/resident-memory.ts';
import { privateRootsAfter } from './copy-states.ts';

/** Number of blocks between two checks of the memory in use. */
const BLOCKS_A_TURN = 4_096;

export interface CopyCheck {
  readonly blocks: number;
  /** Number of the block whose states were copied. */
  readonly base: number;
  readonly accounts: number;
  readonly slots: number;
  readonly privateStates: number;
  readonly privateContracts: number;
  readonly privateSlots: number;
  /** The first difference; undefined: nothing differs. */
  readonly difference: { readonly block: number; readonly text: string } | undefined;
}

export interface CopyCheckParts {
  readonly database: ChainDatabase;
  readonly store: ChainStore;
  readonly kv: Kv;
  readonly isMps: boolean;
  readonly psis: readonly Psi[];
  readonly memory: ResidentMemory;
}

/** Call it after the copy, before any block above its base. */
export async function checkCopy(parts: CopyCheckParts): Promise<CopyCheck> {
  const { database, store, kv, memory } = parts;
  const base = store.base!.number;
  const none = { accounts: 0, slots: 0, privateStates: 0, privateContracts: 0, privateSlots: 0 };
  const differs = (block: number, text: string): CopyCheck => ({
    ...none,
    ...{ blocks: block, base, difference: { block, text } },
  });
  for (let number = 0; number <= base; number++) {
    const theirs = database.hashOf(number);
    const ours = store.hashOf(number);
    if (!ours || !equalBytes(ours, theirs) || store.numberOf(theirs) !== number) {
      return differs(
        number,
        `it has the hash ${bareHex(theirs)} in the source, and is missing here`,
      );
    }
    if (number % BLOCKS_A_TURN === 0) await memory.bound();
  }
  const mark = readMark(kv)!;
  const { stateRoot } = store.header(base)!;
  const psis = [...store.spaces(), ...parts.psis];
  const roots = privateRootsAfter({ ...parts, psis }, stateRoot);
  if (!equalBytes(mark.root, stateRoot)) return differs(base, 'the state root differs');
  for (const { psi, root } of mark.spaces) {
    if (equalBytes(roots.get(psi) ?? EMPTY_ROOT, root)) continue;
    return differs(base, `the root of private state ${psi} differs`);
  }
  let fault: string | undefined;
  const found = ({ what }: { readonly what: string }) => {
    fault ??= what;
  };
  const look = verifyStateSteps(kv, mark, { found, progress: () => {} });
  let step = look.next();
  for (; !step.done; step = look.next()) await memory.bound();
  const counts = step.value;
  if (fault !== undefined) return differs(base, fault);
  return { ...counts, blocks: base + 1, base, privateStates: roots.size, difference: undefined };
}

/**
 * Checks that the index's state at its checkpoint has the right root: every trie node, account and
 * slot.
 */
import { equalBytes, type Hash32 } from '../../base/bytes.ts';
import { QuorateError } from '../../base/errors.ts';
import { EMPTY_CODE_HASH, keccak256 } from '../../base/keccak.ts';
import type { Kv } from '../../base/ports.ts';
import { encodeAccountLeaf, encodeSlotLeaf } from '../../state/account-codec.ts';
import { walkTrie } from '../../state/trie-walk.ts';
import type { CheckpointMark } from '../checkpoint.ts';
import { accountKey, accountNodeKey, PUBLIC_ID, slotKey, storageNodeKey, TABLE } from '../keys.ts';
import { decodeAccount, decodeSlot } from '../rows.ts';
import { CURE, type Teller } from './finding.ts';

const FILE = 'index/data.mdb';
/** Accounts between two progress reports. */
const PROGRESS_ACCOUNTS = 1_000;
/** Slots between two pauses. */
const STEP_SLOTS = 1_000;

export interface StateCounts {
  readonly accounts: number;
  readonly slots: number;
  /** Contracts in private states only. */
  readonly privateContracts: number;
  readonly privateSlots: number;
}

export function verifyState(kv: Kv, mark: CheckpointMark, teller: Teller): StateCounts {
  const steps = verifyStateSteps(kv, mark, teller);
  let step = steps.next();
  while (!step.done) step = steps.next();
  return step.value;
}

/** Yields after every thousand accounts or slots, so that its caller can do something else. */
export function* verifyStateSteps(
  kv: Kv,
  mark: CheckpointMark,
  teller: Teller,
): Generator<void, StateCounts> {
  const look = new StateLook(kv, teller, mark.number);
  yield* look.space(PUBLIC_ID, 'the public state', mark.root);
  const open = { contracts: look.contracts, slots: look.slots };
  for (const { id, psi, root } of mark.spaces) {
    yield* look.space(id, `private state ${psi}`, root);
  }
  const { accounts, slots, contracts } = look;
  const privateContracts = contracts - open.contracts;
  return { accounts, slots, privateContracts, privateSlots: slots - open.slots };
}

class StateLook {
  private readonly kv: Kv;
  private readonly teller: Teller;
  private readonly height: number;
  accounts = 0;
  slots = 0;
  contracts = 0;

  constructor(kv: Kv, teller: Teller, height: number) {
    this.kv = kv;
    this.teller = teller;
    this.height = height;
  }

  *space(id: number, name: string, root: Hash32): Generator<void> {
    const load = (path: Uint8Array) => this.kv.get(TABLE.state, accountNodeKey(id, path));
    const found = (what: string) => this.found(`${name}: ${what}`);
    for (const { key, value } of walkTrie(root, load, ({ message }) => found(message))) {
      yield* this.guarded(found, this.account(id, key, value, found));
      if (++this.accounts % PROGRESS_ACCOUNTS === 0) {
        // Keys are hashes, so the first bytes show the progress.
        this.teller.progress(name, key[0]! * 256 + key[1]!, 65_536);
        yield;
      }
    }
  }

  private *account(
    id: number,
    hash: Hash32,
    leaf: Uint8Array,
    found: (what: string) => void,
  ): Generator<void> {
    const row = this.kv.get(TABLE.state, accountKey(id, hash));
    if (!row) {
      found('an account in its trie is missing');
      return;
    }
    const account = decodeAccount(row);
    if (!equalBytes(encodeAccountLeaf(account), leaf)) {
      found('an account differs from its trie');
      return;
    }
    if (!equalBytes(account.codeHash, EMPTY_CODE_HASH)) {
      this.contracts++;
      const code = this.kv.get(TABLE.code, account.codeHash);
      if (!code || !equalBytes(keccak256(code), account.codeHash)) {
        found('the code of a contract is missing or wrong');
      }
    }
    const load = (path: Uint8Array) =>
      this.kv.get(TABLE.state, storageNodeKey(id, hash, account.born, path));
    for (const slot of walkTrie(account.storageRoot, load, ({ message }) => found(message))) {
      const held = this.kv.get(TABLE.state, slotKey(id, hash, account.born, slot.key));
      const isSame = held && equalBytes(encodeSlotLeaf(decodeSlot(held)), slot.value);
      if (!isSame) found('a slot is missing or differs from its trie');
      if (++this.slots % STEP_SLOTS === 0) yield;
    }
  }

  private *guarded(found: (what: string) => void, work: Generator<void>): Generator<void> {
    try {
      yield* work;
    } catch (error) {
      if (!(error instanceof QuorateError)) throw error;
      found(error.message);
    }
  }

  private found(what: string): void {
    this.teller.found({ file: FILE, height: this.height, what, cure: CURE.index });
  }
}

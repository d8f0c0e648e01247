/** Collects entries that become one part of a state in the block log. */
import type { Address, Hash32 } from '../../../core/base/bytes.ts';
import type { Psi } from '../../../core/privacy/inputs.ts';
import type { Account, PrivacyMetadata } from '../../../core/state/account.ts';
import type { StatePart } from '../../../core/store/base-records.ts';

const PART_BYTES = 1024 * 1024;
/** An upper estimate of the size of an account. */
const ACCOUNT_BYTES = 160;
const SLOT_BYTES = 140;
const NODE_BYTES = 48;

type Writable<T> = { -readonly [K in keyof T]: T[K] extends readonly (infer I)[] ? I[] : T[K] };

export class StateBatch {
  private readonly psi: Psi | undefined;
  private part: Writable<StatePart>;
  private bytes = 0;

  constructor(psi: Psi | undefined) {
    this.psi = psi;
    this.part = empty(psi);
  }

  get isFull(): boolean {
    return this.bytes >= PART_BYTES;
  }

  /** Returns the entries since the last call. */
  take(): StatePart {
    const { part } = this;
    this.part = empty(this.psi);
    this.bytes = 0;
    return part;
  }

  node(owner: Hash32 | undefined, path: Uint8Array, rlp: Uint8Array): void {
    this.part.nodes.push({ owner, path, rlp });
    this.bytes += NODE_BYTES + path.length + rlp.length;
  }

  account(hash: Hash32, address: Address | undefined, account: Account): void {
    this.part.accounts.push({ hash, address, account });
    this.bytes += ACCOUNT_BYTES;
  }

  slot(owner: Hash32, hash: Hash32, slot: bigint | undefined, value: bigint): void {
    this.part.slots.push({ owner, hash, slot, value });
    this.bytes += SLOT_BYTES;
  }

  metadata(hash: Hash32, metadata: PrivacyMetadata): void {
    this.part.metadata.push({ hash, metadata });
    this.bytes += ACCOUNT_BYTES;
  }

  code(hash: Hash32, code: Uint8Array): void {
    this.part.codes.push({ hash, code });
    this.bytes += 32 + code.length;
  }
}

function empty(psi: Psi | undefined): Writable<StatePart> {
  return { psi, nodes: [], accounts: [], slots: [], metadata: [], codes: [] };
}

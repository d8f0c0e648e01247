/** Condition of a stored payload: whether it matches its hash, is ours, and opens. */
import { equalBytes } from '../../../core/base/bytes.ts';
import { type EncodedPayload, hasKey, type RawPayload } from '../../../core/payload/payload.ts';
import type { PayloadHash } from '../../../core/privacy/marker.ts';
import { Arrivals } from './arrivals.ts';
import type { Enclave } from './enclave.ts';

/**
 * `disordered`: it opens, but other boxes do not, or they are out of order. `unopened`: it names
 * one of our keys, but no box opens. `foreign`: it names none. `damaged`: it was changed since it
 * was written.
 */
export const CONDITIONS = ['whole', 'disordered', 'unopened', 'foreign', 'damaged'] as const;
export type Condition = (typeof CONDITIONS)[number];

export class Inspection {
  private readonly enclave: Enclave;
  private readonly arrivals: Arrivals;

  constructor(enclave: Enclave) {
    this.enclave = enclave;
    this.arrivals = new Arrivals(enclave);
  }

  /** `payload` undefined: its record could not be read. */
  conditionOf(hash: PayloadHash, payload: EncodedPayload | undefined): Condition {
    const { enclave } = this;
    if (!payload || !equalBytes(enclave.hash(payload), hash)) return 'damaged';
    const opened = enclave.open(payload);
    if (!opened) return this.isNamed(payload) ? 'unopened' : 'foreign';
    const { masterKey } = opened;
    return this.arrivals.inOrder(payload, masterKey) === payload ? 'whole' : 'disordered';
  }

  conditionOfRaw(hash: PayloadHash, raw: RawPayload | undefined): Condition {
    const { enclave } = this;
    if (!raw || !equalBytes(enclave.hash(raw), hash)) return 'damaged';
    if (!enclave.owns(raw.senderKey)) return 'foreign';
    return enclave.canOpenRaw(raw) ? 'whole' : 'unopened';
  }

  /** Whether it names one of our keys as sender or recipient. */
  isNamed({ senderKey, recipientKeys }: EncodedPayload): boolean {
    const { enclave } = this;
    return enclave.owns(senderKey) || enclave.publicKeys.some((key) => hasKey(recipientKeys, key));
  }
}

/**
 * Signers of the seals of coming headers, recovered on another thread: with many validators, the
 * seals of a block cost more than its transactions.
 */
import { type Address, keyOf } from '../base/bytes.ts';
import { Lru } from '../base/lru.ts';
import type { Signed } from '../base/ports.ts';
import { recoverAddress } from '../base/secp256k1.ts';
import type { Header } from '../chain/header.ts';
import type { BftEngine } from '../chain/rules.ts';
import { signaturesOf } from './check-seals.ts';

/** The check of a header with more seals recovers them itself, unless it refuses their number. */
const SEALS_MAX = 1_024;
/**
 * More than an import looks ahead; nothing asks for those of a block that turns out to be known.
 */
const SIGNERS_MAX = 8_192;

export class RecoveredSeals {
  private readonly signers = new Lru<string, Address>(SIGNERS_MAX);
  private readonly recoverHere: typeof recoverAddress;

  constructor(recoverHere: typeof recoverAddress = recoverAddress) {
    this.recoverHere = recoverHere;
  }

  /** To be recovered elsewhere; none of a header that is malformed. */
  of(header: Header, engine: BftEngine): readonly Signed[] {
    const signatures = signaturesOf(header, engine);
    if (signatures.length > SEALS_MAX) return [];
    return signatures.map(({ hash, seal }) => ({
      writeSigned(row) {
        if (seal.length !== 65) return false;
        row.set(hash);
        row.set(seal, hash.length);
        return true;
      },
      keepSender: (signer) => this.signers.set(keyOf(hash) + keyOf(seal), signer),
    }));
  }

  /** As `recoverAddress`; what was recovered elsewhere is forgotten once it is asked for. */
  readonly recover: typeof recoverAddress = (hash, seal) => {
    const key = keyOf(hash) + keyOf(seal);
    const signer = this.signers.get(key);
    if (!signer) return this.recoverHere(hash, seal);
    this.signers.delete(key);
    return signer;
  };
}

/**
 * The public keys of all accounts, including locked keystores: those are decrypted a few at a time,
 * after all pending signatures.
 */
import { toHex } from '../../../core/base/hex.ts';
import type { KeySigner } from '../../../io/keys/key-signer.ts';

const WAIT_MS = 20_000;

export interface KnownPublicKeys {
  /** 0x, sorted by address. */
  readonly publicKeys: readonly string[];
  /** Number of accounts whose public key is not yet known, or cannot be determined. */
  readonly missing: number;
}

/** A request waits a limited time for unknown keys; the search then continues in the background. */
export class PublicKeys {
  private readonly signers: () => Iterable<KeySigner>;
  private readonly waitMs: number;
  private searching: Promise<void> | undefined;

  constructor(signers: () => Iterable<KeySigner>, waitMs = WAIT_MS) {
    this.signers = signers;
    this.waitMs = waitMs;
  }

  async list(mayUse: (account: string) => boolean): Promise<KnownPublicKeys> {
    if (this.missing() > 0) await this.search();
    const usable: [string, KeySigner][] = [];
    for (const signer of this.signers()) {
      const account = toHex(signer.address);
      if (mayUse(account)) usable.push([account, signer]);
    }
    usable.sort(([a], [b]) => (a < b ? -1 : 1));
    const known = usable.flatMap(([, { knownPublicKey }]) => knownPublicKey ?? []);
    return { publicKeys: known.map(toHex), missing: usable.length - known.length };
  }

  private missing(): number {
    let count = 0;
    for (const { knownPublicKey } of this.signers()) if (!knownPublicKey) count += 1;
    return count;
  }

  private async search(): Promise<void> {
    this.searching ??= this.openEach().finally(() => {
      this.searching = undefined;
    });
    let timer: NodeJS.Timeout | undefined;
    const enough = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, this.waitMs);
      timer.unref();
    });
    await Promise.race([this.searching, enough]);
    clearTimeout(timer);
  }

  /** One after another, so that signatures take precedence at the gate. */
  private async openEach(): Promise<void> {
    for (const signer of [...this.signers()]) {
      if (signer.knownPublicKey) continue;
      // Failures are logged where the key is loaded.
      await signer.publicKey().catch(() => undefined);
    }
  }
}

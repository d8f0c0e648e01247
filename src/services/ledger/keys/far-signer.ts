/**
 * Signatures of consensus by a node key that a signing proxy keeps. Agreement never waits for them:
 * it continues without its own message, and sends that when the signature is there. While the proxy
 * is silent this validator is, too; the watch of the node key logs that.
 */
import { type Address, type Hash32, keyOf } from '../../../core/base/bytes.ts';
import { fail } from '../../../core/base/errors.ts';
import type { NodeKey } from '../../../core/base/node-key.ts';
import type { Timer, Timers } from '../../../core/base/ports.ts';
import { recoverAddress } from '../../../core/base/secp256k1.ts';
import type { ConsensusSigner } from '../../../core/consensus/bft/interface.ts';

/** Messages of one round need at most five; older ones are forgotten. */
export const HASHES_MAX = 16;
export const RETRY_MS = 500;

export interface FarSignerParts {
  readonly key: Pick<NodeKey, 'sign'>;
  readonly address: Address;
  readonly timers: Timers;
  /** A signature is there that `sign` did not have. */
  arrived(): void;
}

export class FarSigner implements ConsensusSigner {
  readonly address: Address;
  readonly recover = recoverAddress;
  private readonly parts: FarSignerParts;
  /** By hash, oldest first. */
  private readonly awaited = new Map<string, Hash32>();
  private readonly signed = new Map<string, Uint8Array>();
  private isSilent = false;
  private timer: Timer | undefined;

  constructor(parts: FarSignerParts) {
    this.parts = parts;
    this.address = parts.address;
  }

  sign(hash: Hash32): Uint8Array {
    const name = keyOf(hash);
    const signature = this.signed.get(name);
    if (signature) return signature;
    if (!this.awaited.has(name)) {
      keep(this.awaited, name, hash);
      if (!this.isSilent) void this.ask(name, hash);
    }
    throw fail('SIGNATURE_AWAITED', 'the proxy of the node key has not signed yet');
  }

  private async ask(name: string, hash: Hash32): Promise<void> {
    let signature: Uint8Array;
    try {
      signature = await this.parts.key.sign(hash);
    } catch {
      this.failed();
      return;
    }
    const isAwaited = this.awaited.delete(name);
    this.answered();
    if (!isAwaited) return;
    keep(this.signed, name, signature);
    this.parts.arrived();
  }

  private failed(): void {
    this.isSilent = true;
    this.timer ??= this.parts.timers.set(RETRY_MS, () => {
      this.timer = undefined;
      const newest = [...this.awaited].at(-1);
      if (newest) void this.ask(...newest);
      else this.isSilent = false;
    });
  }

  private answered(): void {
    if (!this.isSilent) return;
    this.isSilent = false;
    for (const each of this.awaited) void this.ask(...each);
  }
}

function keep<V>(map: Map<string, V>, name: string, value: V): void {
  if (map.size >= HASHES_MAX) map.delete(map.keys().next().value!);
  map.set(name, value);
}

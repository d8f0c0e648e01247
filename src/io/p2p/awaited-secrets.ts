/**
 * The node key for one handshake. A key in another process is asked once for each secret; until it
 * answers, the handshake waits.
 */
import { bareHex } from '../../core/base/hex.ts';
import type { NodeKey } from '../../core/base/node-key.ts';
import type { HandshakeKey } from './ecies.ts';

export class AwaitedSecrets implements HandshakeKey {
  readonly publicKey: Uint8Array;
  private readonly key: NodeKey;
  private readonly told: { arrived(): void; failed(error: unknown): void };
  /** By public key; undefined: asked for. A handshake asks for at most three. */
  private readonly secrets = new Map<string, Uint8Array | undefined>();

  constructor(key: NodeKey, told: { arrived(): void; failed(error: unknown): void }) {
    this.publicKey = key.publicKey;
    this.key = key;
    this.told = told;
  }

  sharedX(publicKey: Uint8Array): Uint8Array | undefined {
    const name = this.secrets.size > 0 ? bareHex(publicKey) : '';
    if (this.secrets.has(name)) return this.secrets.get(name);
    const secret = this.key.sharedX(publicKey);
    if (!(secret instanceof Promise)) return secret;
    void this.keep(bareHex(publicKey), secret);
    return undefined;
  }

  private async keep(name: string, secret: Promise<Uint8Array>): Promise<void> {
    this.secrets.set(name, undefined);
    try {
      this.secrets.set(name, await secret);
      this.told.arrived();
    } catch (error) {
      this.told.failed(error);
    }
  }
}

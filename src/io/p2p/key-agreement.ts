/** One side of the key agreement of a connection; waits where the node key is elsewhere. */
import { randomBytes } from 'node:crypto';
import type { NodeKey } from '../../core/base/node-key.ts';
import { AwaitedSecrets } from './awaited-secrets.ts';
import type { HandshakeKey } from './ecies.ts';
import { type Agreed, answerAuth, InitiatorHandshake } from './handshake.ts';

export interface KeyAgreementParts {
  /** The node key of a peer that we dialled; undefined: it dialled us. */
  readonly target: Uint8Array | undefined;
  write(packet: Uint8Array): unknown;
  /** A secret of the node key has arrived: `read` may continue. */
  arrived(): void;
  failed(error: unknown): void;
}

export class KeyAgreement {
  private readonly parts: KeyAgreementParts;
  private readonly key: HandshakeKey;
  private initiator: InitiatorHandshake | undefined;

  constructor(key: NodeKey, parts: KeyAgreementParts) {
    this.parts = parts;
    this.key = new AwaitedSecrets(key, parts);
    this.initiate();
  }

  /** undefined: more bytes, or a secret of the key, are needed. Throws as `answerAuth`. */
  read(early: Uint8Array): Agreed | undefined {
    if (this.parts.target) {
      this.initiate();
      return this.initiator?.read(early);
    }
    const agreed = answerAuth(this.key, early, randomBytes);
    if (agreed) this.parts.write(agreed.ack);
    return agreed;
  }

  /** Sends the first packet to a peer that we dialled, once the secret for it is there. */
  private initiate(): void {
    const { target, write } = this.parts;
    if (!target || this.initiator || !this.key.sharedX(target)) return;
    this.initiator = new InitiatorHandshake(this.key, target, randomBytes);
    write(this.initiator.auth);
  }
}

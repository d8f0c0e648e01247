/**
 * The Status exchange with every peer that shares `eth`: no other message is accepted earlier
 * (GoQuorum eth/protocols/eth).
 */
import type { Machine } from '../base/machine.ts';
import type { PeerId } from '../base/ports.ts';
import type { ForkId } from '../chain/fork-id.ts';
import { DISCONNECT } from '../wire/disconnect.ts';
import { ETH_MESSAGE } from '../wire/eth.ts';
import { decodeStatus, type Status, statusFault } from '../wire/eth-status.ts';

const STATUS_TIMEOUT_MS = 5_000;

export type HandshakeInput =
  /** The peer shares `eth` in this version. */
  | { readonly kind: 'joined'; readonly peer: PeerId; readonly version: number }
  | { readonly kind: 'left'; readonly peer: PeerId }
  /** Any eth message of a peer that is not ready. */
  | {
      readonly kind: 'message';
      readonly peer: PeerId;
      readonly code: number;
      readonly bytes: Uint8Array;
    }
  | { readonly kind: 'tick' };

export type HandshakeEffect =
  | { readonly kind: 'sendStatus'; readonly peer: PeerId; readonly status: Status }
  | {
      readonly kind: 'ready';
      readonly peer: PeerId;
      readonly version: number;
      readonly status: Status;
    }
  | {
      readonly kind: 'misbehaved';
      readonly peer: PeerId;
      readonly reason: number;
      readonly fault: string;
    };

export interface HandshakeChain {
  /** Our Status; the handshake sets its version. */
  status(): Omit<Status, 'version'>;
  /** Why a fork id is refused, or undefined. */
  forkFault(id: ForkId): string | undefined;
}

export class EthHandshake implements Machine<HandshakeInput, HandshakeEffect> {
  private readonly waiting = new Map<PeerId, { version: number; sinceMs: number }>();
  private readonly chain: HandshakeChain;

  constructor(chain: HandshakeChain) {
    this.chain = chain;
  }

  isWaiting(peer: PeerId): boolean {
    return this.waiting.has(peer);
  }

  step(input: HandshakeInput, nowMs: number): readonly HandshakeEffect[] {
    switch (input.kind) {
      case 'joined': {
        this.waiting.set(input.peer, { version: input.version, sinceMs: nowMs });
        const status = { ...this.chain.status(), version: input.version };
        return [{ kind: 'sendStatus', peer: input.peer, status }];
      }
      case 'left':
        this.waiting.delete(input.peer);
        return [];
      case 'message':
        return this.receive(input.peer, input.code, input.bytes);
      case 'tick':
        return this.expire(nowMs);
    }
  }

  private receive(peer: PeerId, code: number, bytes: Uint8Array): readonly HandshakeEffect[] {
    const held = this.waiting.get(peer);
    // GoQuorum uses this reason for a second Status, too.
    if (!held) return [refuse(peer, 'unexpected Status')];
    this.waiting.delete(peer);
    if (code !== ETH_MESSAGE.status) {
      return [refuse(peer, `no status message: first msg has code ${code.toString(16)} (!= 0)`)];
    }
    let status: Status;
    try {
      status = decodeStatus(bytes);
    } catch (error) {
      return [refuse(peer, `invalid message: ${(error as Error).message}`)];
    }
    const ours = { ...this.chain.status(), version: held.version };
    const fault = statusFault(ours, status, (id) => this.chain.forkFault(id));
    if (fault !== undefined) return [refuse(peer, fault)];
    return [{ kind: 'ready', peer, version: held.version, status }];
  }

  private expire(nowMs: number): readonly HandshakeEffect[] {
    const effects: HandshakeEffect[] = [];
    for (const [peer, held] of this.waiting) {
      if (nowMs - held.sinceMs < STATUS_TIMEOUT_MS) continue;
      this.waiting.delete(peer);
      effects.push({
        kind: 'misbehaved',
        peer,
        reason: DISCONNECT.readTimeout,
        fault: 'no status message in time',
      });
    }
    return effects;
  }
}

function refuse(peer: PeerId, fault: string): HandshakeEffect {
  return { kind: 'misbehaved', peer, reason: DISCONNECT.subprotocolError, fault };
}

/** What a connection needs from its server. */
import type { Slices } from '../../core/base/pace.ts';
import type { ProtocolSpec, SharedProtocol } from '../../core/wire/capabilities.ts';
import type { Hello } from '../../core/wire/hello.ts';
import type { Timings } from './limits.ts';
import type { PeerTurns } from './peer-turns.ts';

/** How a connection ended. `remote`: the peer said so itself. */
export interface Ending {
  readonly reason: number;
  readonly remote: boolean;
  readonly detail: string;
}

/** What the server decides about a connection; `Peer`: the connection itself. */
export interface PeerHost<Peer> {
  readonly secretKey: Uint8Array;
  readonly hello: Hello;
  readonly protocols: readonly ProtocolSpec[];
  readonly timings: Timings;
  readonly turns: PeerTurns;
  /**
   * After the key agreement: undefined admits, a number refuses with that reason, 'silent' closes
   * without a word.
   */
  identified(peer: Peer): number | 'silent' | undefined;
  /** After Hello: as `identified`. Admitted peers are joined when it returns. */
  greeted(peer: Peer): number | undefined;
  /** What it returns is work that continues in turns: the peer's next message waits for its end. */
  message(
    peer: Peer,
    protocol: SharedProtocol,
    code: number,
    bytes: Uint8Array,
  ): Slices<void> | undefined;
  /** Bytes of its messages that were handed on and wait. */
  backlog(peer: Peer): number;
  /** The peer holds much memory of ours. */
  burdened(): void;
  /** A fault of ours while a message was handled. */
  failed(peer: Peer, error: unknown): void;
  /** Once, whatever happens. */
  ended(peer: Peer, ending: Ending): void;
}

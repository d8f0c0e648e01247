/** The server's side, as a connection sees it. */
import type { NodeKey } from '../../core/base/node-key.ts';
import type { Slices } from '../../core/base/pace.ts';
import type { ProtocolSpec, SharedProtocol } from '../../core/wire/capabilities.ts';
import type { Hello } from '../../core/wire/hello.ts';
import type { Timings } from './limits.ts';
import type { PeerTurns } from './peer-turns.ts';

/** How a connection ended. `remote`: the peer itself sent this reason. */
export interface Ending {
  readonly reason: number;
  readonly remote: boolean;
  readonly detail: string;
}

/** The server's decisions about a connection; `Peer` is the connection itself. */
export interface PeerHost<Peer> {
  readonly key: NodeKey;
  readonly hello: Hello;
  readonly protocols: readonly ProtocolSpec[];
  readonly timings: Timings;
  readonly turns: PeerTurns;
  /**
   * Called after the key agreement: undefined admits, a number refuses with that reason, 'silent'
   * closes without a message.
   */
  identified(peer: Peer): number | 'silent' | undefined;
  /** Called after Hello; results as of `identified`. An admitted peer has joined at its return. */
  greeted(peer: Peer): number | undefined;
  /**
   * Returns work that continues in later turns, if there is any: the peer's next message waits for
   * its end.
   */
  message(
    peer: Peer,
    protocol: SharedProtocol,
    code: number,
    bytes: Uint8Array,
  ): Slices<void> | undefined;
  /** Bytes of the peer's messages that were passed on and wait to be handled. */
  backlog(peer: Peer): number;
  /** Called when the peer occupies much of our memory. */
  burdened(): void;
  /** Called when our code failed while it handled a message. */
  failed(peer: Peer, error: unknown): void;
  /** Called once, however the connection ends. */
  ended(peer: Peer, ending: Ending): void;
}

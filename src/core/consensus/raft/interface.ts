/** How members reach each other: implemented by the HTTP transport, the simulator and tests. */
import type { MemberAddress } from './address.ts';
import type { RaftMessage } from './messages.ts';

export type RaftLinkEvent =
  | { readonly kind: 'message'; readonly message: RaftMessage }
  | { readonly kind: 'unreachable'; readonly id: number }
  | { readonly kind: 'snapshotSent'; readonly id: number; readonly isDelivered: boolean };

export interface RaftLinks {
  /**
   * Resolves when it accepts connections. `isRemoved`: whether a caller is to be told that it is no
   * longer a member.
   */
  start(sink: (event: RaftLinkEvent) => void, isRemoved: (id: number) => boolean): Promise<void>;
  stop(): Promise<void>;
  /** Never blocks, may drop messages: losses are reported as `unreachable`. */
  send(message: RaftMessage): void;
  /** Connects to a member, in both directions. */
  addMember(address: MemberAddress): void;
  removeMember(id: number): void;
  /** The address that this member announces. */
  setOwnAddress(address: MemberAddress): void;
  isActive(id: number): boolean;
}

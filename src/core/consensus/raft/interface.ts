/** How members reach each other: what the HTTP transport offers to the node, and the simulator's or a test's stand-in. */
import type { MemberAddress } from './address.ts';
import type { RaftMessage } from './messages.ts';

export type RaftLinkEvent =
  | { readonly kind: 'message'; readonly message: RaftMessage }
  | { readonly kind: 'unreachable'; readonly id: number }
  | { readonly kind: 'snapshotSent'; readonly id: number; readonly isDelivered: boolean };

export interface RaftLinks {
  /** Resolves when it listens. `isRemoved`: whom to tell that it is not a member any more. */
  start(sink: (event: RaftLinkEvent) => void, isRemoved: (id: number) => boolean): Promise<void>;
  stop(): Promise<void>;
  /** Never blocks, may drop: what is lost is reported as `unreachable`. */
  send(message: RaftMessage): void;
  /** Connects to a member, in both directions. */
  addMember(address: MemberAddress): void;
  removeMember(id: number): void;
  /** What this member tells others to reach it by. */
  setOwnAddress(address: MemberAddress): void;
  isActive(id: number): boolean;
}

/**
 * Links between members of a Raft cluster in memory: messages arrive in a later turn of the event
 * loop or after a delay, unless the members are isolated.
 */
import type { MemberAddress } from '../../src/core/consensus/raft/address.ts';
import type { RaftLinkEvent, RaftLinks } from '../../src/core/consensus/raft/interface.ts';
import {
  decodeMessage,
  encodeMessage,
  MESSAGE_TYPE,
  type RaftMessage,
} from '../../src/core/consensus/raft/messages.ts';
import type { VirtualTime } from './virtual-time.ts';

interface End {
  sink: ((event: RaftLinkEvent) => void) | undefined;
  isRemoved: (id: number) => boolean;
  readonly known: Set<number>;
}

export class MemoryRaftHub {
  private readonly time: VirtualTime;
  private readonly ends = new Map<number, End>();
  private readonly cut = new Set<number>();
  /** How long messages take. */
  delayMs = 0;
  /** The number of snapshots sent. */
  snapshots = 0;

  constructor(time: VirtualTime) {
    this.time = time;
  }

  /** Cuts all connections of the member. */
  isolate(id: number): void {
    this.cut.add(id);
  }

  heal(): void {
    this.cut.clear();
  }

  links(id: number): RaftLinks {
    const end: End = { sink: undefined, isRemoved: () => false, known: new Set() };
    this.ends.set(id, end);
    return {
      start: async (sink, isRemoved) => {
        end.sink = sink;
        end.isRemoved = isRemoved;
      },
      stop: async () => {
        end.sink = undefined;
      },
      send: (message) => this.send(id, message),
      addMember: ({ raftId }: MemberAddress) => void end.known.add(raftId),
      removeMember: (raftId) => void end.known.delete(raftId),
      setOwnAddress: () => {},
      isActive: (raftId) => this.ends.get(raftId)?.sink !== undefined,
    };
  }

  private send(from: number, message: RaftMessage): void {
    const bytes = encodeMessage(message).slice();
    const target = this.ends.get(message.to);
    const isLost = this.cut.has(from) || this.cut.has(message.to);
    const isTaken = !isLost && target?.sink !== undefined && !target.isRemoved(from);
    const isSnapshot = message.type === MESSAGE_TYPE.snapshot;
    if (isSnapshot && isTaken) this.snapshots++;
    const tell = (event: RaftLinkEvent) => this.ends.get(from)?.sink?.(event);
    this.later(() => {
      if (isTaken) target.sink?.({ kind: 'message', message: decodeMessage(bytes) });
      if (isSnapshot) tell({ kind: 'snapshotSent', id: message.to, isDelivered: isTaken });
      if (!isTaken) tell({ kind: 'unreachable', id: message.to });
    });
  }

  private later(deliver: () => void): void {
    if (this.delayMs > 0) this.time.set(this.delayMs, deliver);
    else this.time.soon(deliver);
  }
}

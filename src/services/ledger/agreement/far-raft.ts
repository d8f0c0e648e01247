/** The main thread's handle of the Raft protocol, which runs in the agreement thread. */
import type { Entry } from '../../../core/consensus/raft/messages.ts';
import type { RaftChainSide, RaftMembers, RaftProtocol } from '../node/consensus/raft-member.ts';
import { errorOf, type FromRaft, type ToRaft } from './messages.ts';
import { alone, copyOf } from './outbox.ts';

export class FarRaft implements RaftProtocol {
  private readonly say: (message: ToRaft, ...bytes: readonly Uint8Array<ArrayBuffer>[]) => void;
  private side: RaftChainSide | undefined;
  private begun: { resolve(): void; reject(error: Error): void } | undefined;

  constructor(say: (message: ToRaft, ...bytes: readonly Uint8Array<ArrayBuffer>[]) => void) {
    this.say = say;
  }

  start(side: RaftChainSide): Promise<void> {
    this.side = side;
    this.say({ what: 'start' });
    return new Promise((resolve, reject) => {
      this.begun = { resolve, reject };
    });
  }

  /** Ends the protocol after its pending writes; the thread continues with the peer sessions. */
  async stop(): Promise<void> {
    this.side = undefined;
    this.say({ what: 'stop' });
  }

  propose({ type, data }: Pick<Entry, 'type' | 'data'>): void {
    const bytes = copyOf(data);
    this.say({ what: 'propose', entry: { type, data: bytes } }, bytes);
  }

  change(...args: Parameters<RaftProtocol['change']>): void {
    this.say({ what: 'change', args });
  }

  applied(index: number): void {
    this.say({ what: 'applied', index });
  }

  compact(
    index: number,
    { members, removedIds }: RaftMembers,
    headHash: Uint8Array,
    keepsTail: boolean,
  ): void {
    const args = [index, own({ members, removedIds }), alone(headHash), keepsTail] as const;
    this.say({ what: 'compact', args: [...args] });
  }

  connect(members: RaftMembers): void {
    this.say({ what: 'connect', members: own(members) });
  }

  /** Handles a message from the thread. */
  hear(message: FromRaft): void {
    switch (message.what) {
      case 'started':
        this.begun?.resolve();
        break;
      case 'refused':
        this.begun?.reject(errorOf(message.error));
        break;
      case 'committed':
        this.side?.committed(message.entries);
        break;
      case 'install':
        this.side?.install(message.snapshot);
        break;
      case 'standing':
        this.side?.standing(message.standing);
        break;
    }
  }

  /** The thread has ended. */
  fail(error: Error): void {
    this.begun?.reject(error);
  }
}

/** Copies: transferring a view into a log entry would transfer the whole entry. */
function own({ members, removedIds }: RaftMembers): RaftMembers {
  return {
    members: members.map((member) => ({ ...member, nodeId: copyOf(member.nodeId) })),
    removedIds,
  };
}

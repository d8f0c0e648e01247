/**
 * The thread's side of Raft: passes the main thread's messages to the protocol, and reports what
 * the cluster has committed.
 */
import type { RaftMember } from '../node/consensus/raft-member.ts';
import { type FromRaft, failureOf, type ToRaft } from './messages.ts';
import { copyOf } from './outbox.ts';

export type RaftTeller = (message: FromRaft, ...bytes: readonly Uint8Array<ArrayBuffer>[]) => void;

export class NearRaft {
  private readonly member: RaftMember;
  private readonly say: RaftTeller;

  constructor(member: RaftMember, say: RaftTeller) {
    this.member = member;
    this.say = say;
  }

  take(message: ToRaft): void {
    const { member } = this;
    switch (message.what) {
      case 'start':
        void this.start();
        break;
      case 'stop':
        void member.stop();
        break;
      case 'propose':
        member.propose(message.entry);
        break;
      case 'change':
        member.change(...message.args);
        break;
      case 'applied':
        member.applied(message.index);
        break;
      case 'compact':
        member.compact(...message.args);
        break;
      case 'connect':
        member.connect(message.members);
        break;
    }
  }

  /** Resolves when pending writes are on disk. */
  stop(): Promise<void> {
    return this.member.stop();
  }

  private async start(): Promise<void> {
    const { member, say } = this;
    try {
      await member.start({
        committed(given) {
          const entries = given.map((entry) => ({ ...entry, data: copyOf(entry.data) }));
          say({ what: 'committed', entries }, ...entries.map(({ data }) => data));
        },
        install(snapshot) {
          const data = copyOf(snapshot.data);
          say({ what: 'install', snapshot: { ...snapshot, data } }, data);
        },
        standing: (standing) => say({ what: 'standing', standing }),
      });
      say({ what: 'started' });
    } catch (error) {
      say({ what: 'refused', error: failureOf(error) });
    }
  }
}

/**
 * One member of a scenario's cluster: the protocol, and a driver that stores, sends and applies as
 * a node does.
 */
import { Prng } from '../../src/core/base/prng.ts';
import {
  decodeConfChange,
  ENTRY_TYPE,
  type Entry,
  type HardState,
  NO_SNAPSHOT,
  type RaftMessage,
  type Snapshot,
} from '../../src/core/consensus/raft/messages.ts';
import { Raft, type RaftInput, type Ready } from '../../src/core/consensus/raft/raft.ts';
import { entriesText, entryText, textOf } from './raft-text.ts';

/** An election timeout is at most twice 10 ticks. */
const TICKS_MAX = 20;
const ROLE_NAMES = {
  follower: 'a follower',
  preCandidate: 'asking for pre-votes',
  candidate: 'a candidate',
  leader: 'the leader',
} as const;

interface Disk {
  hardState: HardState;
  snapshot: Snapshot;
  entries: readonly Entry[];
}

export class ScenarioMember {
  readonly id: number;
  private readonly post: (message: RaftMessage) => void;
  private readonly disk: Disk;
  private raft: Raft | undefined;
  private toldRole: string | undefined;

  constructor(
    id: number,
    first: Pick<Disk, 'hardState' | 'entries'>,
    post: (message: RaftMessage) => void,
  ) {
    this.id = id;
    this.disk = { ...first, snapshot: NO_SNAPSHOT };
    this.post = post;
  }

  get isRunning(): boolean {
    return this.raft !== undefined;
  }

  /** Starts it with the state on its disk. */
  start(): string[] {
    this.raft = new Raft({ id: this.id, ...this.disk, chance: new Prng(this.id) });
    return this.settle();
  }

  stop(): void {
    this.raft = undefined;
    this.toldRole = undefined;
  }

  /** Lets time pass until it asks for votes. */
  campaign(): string[] {
    const lines: string[] = [];
    for (let tick = 0; tick < TICKS_MAX && this.running.role === 'follower'; tick++) {
      lines.push(...this.step({ kind: 'tick' }));
    }
    return lines;
  }

  step(input: RaftInput): string[] {
    const { raft } = this;
    if (!raft) return [];
    raft.step(input);
    return this.settle();
  }

  /** Takes a snapshot of everything that it has applied. */
  compact(): string[] {
    const { log } = this.running;
    const { snapshot, firstKept } = this.running.compact(log.applied, new Uint8Array(0));
    this.disk.snapshot = snapshot;
    this.disk.entries = this.disk.entries.filter(({ index }) => index >= firstKept);
    return [`${this.id} has a snapshot up to ${snapshot.index}, and its log from ${firstKept}`];
  }

  stateText(): string {
    if (!this.raft) return `${this.id} is stopped`;
    const { nodes, learners } = this.raft.confState();
    const { log } = this.raft;
    const list = [
      this.roleText(),
      `log ends at ${log.lastTerm}/${log.lastIndex}`,
      `committed ${log.committed}`,
      `voters ${nodes.join(' ') || 'none'}`,
    ];
    return [...list, ...(learners.length > 0 ? [`learners ${learners.join(' ')}`] : [])].join(', ');
  }

  logText(): string[] {
    return this.disk.entries.map((entry) => `${this.id} has ${entryText(entry)}`);
  }

  private get running(): Raft {
    if (!this.raft) throw new Error(`member ${this.id} does not run`);
    return this.raft;
  }

  private roleText(): string {
    const { role, term } = this.running;
    return `${this.id} is ${ROLE_NAMES[role]} in term ${term}`;
  }

  private settle(): string[] {
    const lines: string[] = [];
    for (;;) {
      const role = this.roleText();
      if (role !== this.toldRole) lines.push(role);
      this.toldRole = role;
      const ready = this.running.ready();
      if (!ready) return lines;
      lines.push(...this.carryOut(ready));
    }
  }

  /** Carries out the parts of `Ready` in the order that it requires. */
  private carryOut(ready: Ready): string[] {
    const lines = [...this.store(ready)];
    for (const message of ready.messages) {
      lines.push(textOf(message));
      this.post(message);
    }
    if (ready.fault !== undefined) lines.push(`${this.id} finds a fault: ${ready.fault}`);
    this.running.advance(ready);
    if (ready.committed.length > 0) lines.push(this.apply(ready.committed));
    return lines;
  }

  private store({ hardState, entries, snapshot }: Ready): string[] {
    const lines: string[] = [];
    const { disk } = this;
    if (snapshot) {
      disk.snapshot = snapshot;
      disk.entries = [];
      lines.push(`${this.id} stores the snapshot up to ${snapshot.index}`);
    }
    if (hardState) {
      const { term, vote } = disk.hardState;
      if (hardState.term !== term || hardState.vote !== vote) {
        const voted = hardState.vote === 0 ? 'no vote' : `its vote for ${hardState.vote}`;
        lines.push(`${this.id} stores term ${hardState.term}, ${voted}`);
      }
      disk.hardState = hardState;
    }
    const [first] = entries;
    if (first) {
      disk.entries = [...disk.entries.filter(({ index }) => index < first.index), ...entries];
      lines.push(`${this.id} stores ${entriesText(entries)}`);
    }
    return lines;
  }

  private apply(committed: readonly Entry[]): string {
    const raft = this.running;
    for (const { type, data, index } of committed) {
      if (type === ENTRY_TYPE.confChange) raft.applyConfChange(decodeConfChange(data));
      raft.applied(index);
    }
    return `${this.id} applies ${entriesText(committed)}`;
  }
}

/**
 * A cluster in a virtual world, all drawn from one seed: delay, loss, reordering, partitions, torn
 * writes and changing members.
 */
import { Prng } from '../../../src/core/base/prng.ts';
import {
  CONF_CHANGE,
  ENTRY_TYPE,
  encodeConfChange,
  MESSAGE_TYPE,
  type RaftMessage,
} from '../../../src/core/consensus/raft/messages.ts';
import { type Raft, TICK_MS } from '../../../src/core/consensus/raft/raft.ts';
import { RaftCheckers } from './checkers.ts';
import { Member } from './member.ts';

/** Faults happen until this time; then everything is repaired. */
const FAULTY_MS = 25_000;
/** A repaired cluster must commit something new within this time. */
const HEALED_MS = 30_000;
const MEMBERS_MIN = 4;
const MEMBERS_MAX = 7;

export interface RaftCanary {
  readonly name: string;
  plant?(raft: Raft): void;
  /** The disk reports a write as complete before it is. */
  readonly isUnsynced?: boolean;
}

export interface RaftOutcome {
  readonly seed: number;
  readonly failure: string | undefined;
  readonly events: number;
  readonly entries: number;
  readonly faults: number;
  readonly digest: string;
}

interface Event {
  readonly at: number;
  readonly order: number;
  readonly run: () => Promise<void>;
}

export async function runRaftSeed(
  seed: number,
  options: { canary?: RaftCanary; trace?: (line: string) => void } = {},
): Promise<RaftOutcome> {
  const world = new RaftWorld(seed, options);
  const failure = await world.run().then(
    () => undefined,
    (error: Error) => error.message,
  );
  return { seed, failure, ...world.figures() };
}

class RaftWorld {
  private readonly seed: number;
  private readonly chance: Prng;
  private readonly canary: RaftCanary | undefined;
  private readonly say: ((line: string) => void) | undefined;
  private readonly checkers = new RaftCheckers();
  private readonly members = new Map<number, Member>();
  private readonly cut = new Set<string>();
  private readonly lossRate: number;
  private readonly delayMsMax: number;
  private queue: Event[] = [];
  private order = 0;
  private nowMs = 0;
  private events = 0;
  private faults = 0;
  private isHealed = false;
  private proposals = 0;

  constructor(
    seed: number,
    { canary, trace }: { canary?: RaftCanary; trace?: (line: string) => void },
  ) {
    this.seed = seed;
    this.chance = new Prng(seed);
    this.canary = canary;
    this.say = trace;
    this.lossRate = this.chance.below(3) * 0.08;
    this.delayMsMax = [5, 60, 300][this.chance.below(3)]!;
  }

  figures() {
    const sound = [...this.members.values()].find(({ isUp, isRemoved }) => isUp && !isRemoved);
    return {
      events: this.events,
      entries: this.checkers.appliedCount,
      faults: this.faults,
      digest: sound ? `${sound.applied}:${sound.digest.slice(0, 4).join('.')}` : '',
    };
  }

  async run(): Promise<void> {
    const count = MEMBERS_MIN + this.chance.below(3);
    const snapshotPeriod = 3 + this.chance.below(40);
    const bootstrap = Array.from({ length: count }, (_, at) =>
      encodeConfChange({
        id: 0,
        type: CONF_CHANGE.addNode,
        nodeId: at + 1,
        context: Uint8Array.of(at + 1),
      }),
    );
    for (let id = 1; id <= count; id++) this.addMember(id, bootstrap, snapshotPeriod);
    this.every(
      () => 20 + this.chance.below(150),
      () => this.propose(),
    );
    this.every(
      () => 200 + this.chance.below(1_500),
      () => this.disturb(snapshotPeriod),
    );
    await this.until(FAULTY_MS);
    await this.heal();
    await this.until(FAULTY_MS + HEALED_MS);
    this.checkLiveness();
  }

  private addMember(id: number, bootstrap: readonly Uint8Array[], snapshotPeriod: number): Member {
    const member = new Member(id, this.seed * 131 + id, {
      checkers: this.checkers,
      bootstrap,
      snapshotPeriod,
      diskMsMax: 1 + this.chance.below(30),
      plant: (raft) => this.canary?.plant?.(raft),
      isUnsynced: this.canary?.isUnsynced ?? false,
      after: (delayMs, run) => this.after(delayMs, run),
      send: (from, to, bytes, message) => this.send(from, to, bytes, message),
      crashed: (crashed) => this.restartLater(crashed),
      trace: (line) => this.trace(line),
    });
    this.members.set(id, member);
    this.after(0, () => member.start());
    // Clocks drift by up to a tenth.
    const tickMs = TICK_MS * (0.9 + this.chance.below(200) / 1_000);
    this.every(
      () => tickMs,
      () => member.input({ kind: 'tick' }),
    );
    return member;
  }

  private restartLater(member: Member): void {
    if (member.isRemoved) return;
    const delayMs = this.isHealed ? 10 : 50 + this.chance.below(4_000);
    this.after(delayMs, () => member.start());
  }

  private async propose(): Promise<void> {
    const member = this.pick();
    if (!member?.isUp) return;
    const data = new Uint8Array(4);
    new DataView(data.buffer).setUint32(0, ++this.proposals);
    const entries = [{ type: ENTRY_TYPE.normal, data }];
    await member.input({ kind: 'propose', entries });
  }

  private async disturb(snapshotPeriod: number): Promise<void> {
    if (this.isHealed) return;
    const member = this.pick();
    if (!member) return;
    this.faults++;
    const kind = this.chance.below(7);
    if (kind === 0) member.crash();
    else if (kind === 1) member.crashInNextWrite();
    else if (kind === 2) this.partition();
    else if (kind === 3) this.cut.clear();
    else if (kind === 4) this.cut.add(`${member.id}>${this.pick()?.id}`);
    else await this.changeMembers(snapshotPeriod);
  }

  private partition(): void {
    this.cut.clear();
    const ids = [...this.members.keys()];
    const side = new Set(ids.filter(() => this.chance.chance(0.5)));
    for (const a of ids) {
      for (const b of ids) if (side.has(a) !== side.has(b)) this.cut.add(`${a}>${b}`);
    }
    this.trace(`partition: ${[...side].join(' ')} from the others`);
  }

  private async changeMembers(snapshotPeriod: number): Promise<void> {
    const asked = this.pick();
    const state = asked?.raft?.confState();
    if (!asked || !state) return;
    const propose = (type: number, nodeId: number) => {
      const context = Uint8Array.of(nodeId);
      const data = encodeConfChange({ id: 1, type, nodeId, context });
      this.trace(`${asked.id} is asked for change ${type} of ${nodeId}`);
      return asked.input({
        kind: 'propose',
        entries: [{ type: ENTRY_TYPE.confChange, data }],
      });
    };
    const kind = this.chance.below(3);
    const [learner] = state.learners;
    if (kind === 0 && learner !== undefined) await propose(CONF_CHANGE.addNode, learner);
    else if (kind === 1 && state.nodes.length > 3) {
      const id = state.nodes[this.chance.below(state.nodes.length)]!;
      await propose(CONF_CHANGE.removeNode, id);
    } else if (this.members.size < MEMBERS_MAX) {
      const id = this.members.size + 1;
      this.addMember(id, [], snapshotPeriod);
      await propose(this.chance.chance(0.5) ? CONF_CHANGE.addLearner : CONF_CHANGE.addNode, id);
    }
  }

  private send(from: number, to: number, bytes: Uint8Array, message: RaftMessage): void {
    const isLost =
      !this.isHealed && (this.cut.has(`${from}>${to}`) || this.chance.chance(this.lossRate));
    const delayMs = 1 + this.chance.below(this.isHealed ? 5 : this.delayMsMax);
    const isSnapshot = message.type === MESSAGE_TYPE.snapshot;
    if (isSnapshot || (isLost && this.chance.chance(0.3))) {
      const report = isSnapshot
        ? ({ kind: 'snapshotSent', id: to, isDelivered: !isLost } as const)
        : ({ kind: 'unreachable', id: to } as const);
      this.after(delayMs * 2, async () => this.members.get(from)?.input(report));
    }
    if (isLost) return;
    const copies = !this.isHealed && this.chance.chance(0.03) ? 2 : 1;
    for (let copy = 0; copy < copies; copy++) {
      this.after(delayMs + copy * this.chance.below(2_000), async () =>
        this.members.get(to)?.receive(bytes),
      );
    }
  }

  private async heal(): Promise<void> {
    this.trace('all is healed');
    this.isHealed = true;
    this.cut.clear();
    for (const member of this.members.values()) await member.start();
  }

  private checkLiveness(): void {
    const live = [...this.members.values()].filter(({ isRemoved }) => !isRemoved);
    const leaders = live.filter(({ raft }) => raft?.role === 'leader');
    if (leaders.length !== 1) throw new Error(`liveness: ${leaders.length} leaders after healing`);
    const leader = leaders[0]!;
    const { nodes, learners } = leader.raft!.confState();
    const laggards = [...nodes, ...learners].filter((id) => {
      const member = this.members.get(id)!;
      return leader.applied - member.applied > 20;
    });
    if (laggards.length > 0) throw new Error(`liveness: ${laggards.join(', ')} lag behind`);
  }

  private pick(): Member | undefined {
    const ids = [...this.members.keys()];
    return this.members.get(ids[this.chance.below(ids.length)]!);
  }

  private every(delayMs: () => number, run: () => Promise<void>): void {
    this.after(delayMs(), async () => {
      await run();
      this.every(delayMs, run);
    });
  }

  private after(delayMs: number, run: () => Promise<void>): void {
    push(this.queue, { at: this.nowMs + delayMs, order: this.order++, run });
  }

  private async until(endMs: number): Promise<void> {
    while (this.queue.length > 0 && this.queue[0]!.at <= endMs) {
      const event = pop(this.queue);
      this.nowMs = event.at;
      this.events++;
      await event.run();
    }
    this.nowMs = endMs;
  }

  private trace(line: string): void {
    this.say?.(`${(this.nowMs / 1000).toFixed(3)} ${line}`);
  }
}

function isBefore(a: Event, b: Event): boolean {
  return a.at < b.at || (a.at === b.at && a.order < b.order);
}

function push(heap: Event[], event: Event): void {
  let at = heap.length;
  heap.push(event);
  while (at > 0) {
    const parent = (at - 1) >> 1;
    if (isBefore(heap[parent]!, event)) break;
    heap[at] = heap[parent]!;
    at = parent;
  }
  heap[at] = event;
}

function pop(heap: Event[]): Event {
  const top = heap[0]!;
  const last = heap.pop()!;
  if (heap.length === 0) return top;
  let at = 0;
  for (;;) {
    let child = at * 2 + 1;
    if (child >= heap.length) break;
    if (child + 1 < heap.length && isBefore(heap[child + 1]!, heap[child]!)) child++;
    if (isBefore(last, heap[child]!)) break;
    heap[at] = heap[child]!;
    at = child;
  }
  heap[at] = last;
  return top;
}

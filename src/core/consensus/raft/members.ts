/**
 * The members as of the last applied entry: voters and learners, and what a leader knows about
 * each.
 */
import type { ConfState } from './messages.ts';
import { Progress } from './progress.ts';

export class Members {
  private voters = new Map<number, Progress>();
  private learners = new Map<number, Progress>();

  constructor(state: ConfState, self: number, lastIndex: number) {
    const fresh = (id: number): [number, Progress] => [
      id,
      new Progress(id === self ? lastIndex : 0, lastIndex + 1),
    ];
    this.voters = new Map(state.nodes.map(fresh));
    this.learners = new Map(state.learners.map(fresh));
  }

  get quorum(): number {
    return Math.floor(this.voters.size / 2) + 1;
  }

  get voterIds(): readonly number[] {
    return [...this.voters.keys()];
  }

  isVoter(id: number): boolean {
    return this.voters.has(id);
  }

  progressOf(id: number): Progress | undefined {
    return this.voters.get(id) ?? this.learners.get(id);
  }

  /** Voters and learners except `self`. */
  othersThan(self: number): [number, Progress][] {
    return [...this.voters, ...this.learners].filter(([id]) => id !== self);
  }

  confState(): ConfState {
    const sorted = (members: ReadonlyMap<number, Progress>) =>
      [...members.keys()].sort((a, b) => a - b);
    return { nodes: sorted(this.voters), learners: sorted(this.learners) };
  }

  /** A new leader knows nothing about the others' logs, only that it can hear them. */
  startOver(self: number, lastIndex: number): void {
    for (const members of [this.voters, this.learners]) {
      for (const id of members.keys()) {
        const progress = new Progress(id === self ? lastIndex : 0, lastIndex + 1);
        progress.isRecentlyActive = true;
        members.set(id, progress);
      }
    }
  }

  /** Whether a quorum has sent messages since the last call. */
  hadActiveQuorum(self: number): boolean {
    let active = 0;
    for (const [id, progress] of this.voters) {
      if (id === self || progress.isRecentlyActive) active++;
      progress.isRecentlyActive = false;
    }
    return active >= this.quorum;
  }

  /** Highest index that a quorum has stored. */
  quorumIndex(): number {
    const matches = [...this.voters.values()].map(({ match }) => match).sort((a, b) => b - a);
    return matches[this.quorum - 1] ?? 0;
  }

  /** Adding a learner as a voter promotes it; a voter stays a voter. */
  add(id: number, isLearner: boolean, lastIndex: number): void {
    if (this.voters.has(id)) return;
    const known = this.learners.get(id);
    if (known && isLearner) return;
    const progress = known ?? new Progress(0, lastIndex + 1);
    progress.isRecentlyActive = true;
    this.learners.delete(id);
    (isLearner ? this.learners : this.voters).set(id, progress);
  }

  remove(id: number): void {
    this.voters.delete(id);
    this.learners.delete(id);
  }
}

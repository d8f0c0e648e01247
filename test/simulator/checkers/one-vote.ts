/**
 * An honest validator never supports two proposals in one round, however often it restarts, never
 * goes back a round, and never hides a block that it has sealed.
 */
import { bareHex } from '../../../src/core/base/hex.ts';
import { type Heard, readHeard } from '../reading.ts';
import { type Checker, CheckFailed } from './checker.ts';

export class OneVote implements Checker {
  private readonly votes = new Map<string, string>();
  /** By node and height: the highest round that the node asked for. */
  private readonly rounds = new Map<string, number>();

  /** By node and height: the rounds in which the node sealed. */
  private readonly sealed = new Map<string, number[]>();
  /** The block that a node has sealed at an IBFT height. */
  private readonly locks = new Map<string, string>();

  onSend(node: number, code: number, bytes: Uint8Array): void {
    const message = readHeard(code, bytes);
    const { height, round } = message.view;
    if (message.kind === 'roundChange') {
      this.expectOne(node, 'ROUND-CHANGE', `${height}/${round}`, bareHex(message.signed));
      const key = `${node}/${height}`;
      if (round > (this.rounds.get(key) ?? 0)) this.rounds.set(key, round);
      if (message.engine === 'ibft') return;
      const sealed = (this.sealed.get(key) ?? []).filter((earlier) => earlier < round);
      if ((message.preparedRound ?? -1) < Math.max(-1, ...sealed)) {
        throw new CheckFailed(`node ${node} hides in ${height}/${round} what it has sealed`);
      }
      return;
    }
    const reached = this.rounds.get(`${node}/${height}`) ?? 0;
    if (round < reached) {
      throw new CheckFailed(
        `node ${node} voted in round ${height}/${round} after it asked for round ${reached}`,
      );
    }
    if (message.kind === 'commit') this.noteSeal(`${node}/${height}`, round);
    this.expectOne(node, 'vote', `${height}/${round}`, bareHex(message.digest!));
    if (message.engine === 'ibft') this.expectLock(node, message);
  }

  /**
   * IBFT seals do not name a round: a validator that has sealed a block votes for no other block at
   * that height, in any round.
   */
  private expectLock(node: number, { kind, view, digest }: Heard): void {
    const key = `${node}/${view.height}`;
    const locked = this.locks.get(key);
    if (locked !== undefined && locked !== bareHex(digest!)) {
      throw new CheckFailed(`node ${node} votes in ${view.height}/${view.round} against its lock`);
    }
    if (kind === 'commit') this.locks.set(key, bareHex(digest!));
  }

  private noteSeal(key: string, round: number): void {
    const rounds = this.sealed.get(key) ?? [];
    this.sealed.set(key, rounds);
    rounds.push(round);
  }

  private expectOne(node: number, what: string, view: string, value: string): void {
    const key = `${node} ${what} ${view}`;
    const earlier = this.votes.get(key);
    if (earlier !== undefined && earlier !== value) {
      throw new CheckFailed(`node ${node} sent two different ${what}s in ${view}`);
    }
    this.votes.set(key, value);
  }
}

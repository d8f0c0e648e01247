/**
 * What may have been decided stays: once so many honest validators have sealed a block in one round that the liars' seals would
 * complete a quorum, no honest validator prepares another block in a later round.
 */
import { bareHex } from '../../../src/core/base/hex.ts';
import { decodeMessage } from '../../../src/core/consensus/qbft/messages.ts';
import { type Checker, CheckFailed } from './checker.ts';

interface Value {
  readonly round: number;
  readonly digest: string;
}

export class OneValue implements Checker {
  /** Honest seals that may decide. */
  private readonly sealsNeeded: number;
  private readonly sealers = new Map<string, Set<number>>();
  private readonly values = new Map<number, Value>();

  constructor(sealsNeeded: number) {
    this.sealsNeeded = sealsNeeded;
  }

  onSend(node: number, code: number, bytes: Uint8Array): void {
    const message = decodeMessage(code, bytes);
    const { height, round } = message.view;
    if (message.kind === 'prepare') {
      const value = this.values.get(height);
      const digest = bareHex(message.digest);
      if (value && round > value.round && digest !== value.digest) {
        throw new CheckFailed(
          `node ${node} prepares in ${height}/${round} against a quorum of round ${value.round}`,
        );
      }
    }
    if (message.kind === 'commit')
      this.seal(node, height, { round, digest: bareHex(message.digest) });
  }

  private seal(node: number, height: number, value: Value): void {
    const key = `${height}/${value.round}/${value.digest}`;
    const sealers = this.sealers.get(key) ?? new Set();
    this.sealers.set(key, sealers.add(node));
    const known = this.values.get(height);
    if (sealers.size < this.sealsNeeded || (known && known.round <= value.round)) return;
    this.values.set(height, value);
  }
}

/**
 * A block that may be decided stays decided: once honest validators have sealed a block in one
 * round, so many that the liars' seals would complete a quorum, no honest validator prepares
 * another block in a later round (QBFT), and no second block gets so many seals (IBFT).
 */
import { bareHex } from '../../../src/core/base/hex.ts';
import { readHeard } from '../reading.ts';
import { type Checker, CheckFailed } from './checker.ts';

interface Value {
  readonly round: number;
  readonly digest: string;
}

export class OneValue implements Checker {
  /** The number of honest seals that may decide a height. */
  private readonly sealsNeeded: (height: number) => number;
  private readonly sealers = new Map<string, Set<number>>();
  private readonly values = new Map<number, Value>();

  constructor(sealsNeeded: (height: number) => number) {
    this.sealsNeeded = sealsNeeded;
  }

  onSend(node: number, code: number, bytes: Uint8Array): void {
    const message = readHeard(code, bytes);
    const { height, round } = message.view;
    if (message.kind === 'preprepare' || message.digest === undefined) return;
    const digest = bareHex(message.digest);
    if (message.engine === 'ibft') {
      if (message.kind === 'commit') this.sealIbft(node, height, digest);
      return;
    }
    if (message.kind === 'prepare') {
      const value = this.values.get(height);
      if (value && round > value.round && digest !== value.digest) {
        throw new CheckFailed(
          `node ${node} prepares another block in ${height}/${round} than the quorum of round ${value.round}`,
        );
      }
    }
    if (message.kind === 'commit') this.seal(node, height, { round, digest });
  }

  /**
   * The seals of all rounds count together, because they do not name a round. A single validator
   * may seal another block than the quorum, when it receives votes of an earlier round late.
   */
  private sealIbft(node: number, height: number, digest: string): void {
    this.seal(node, height, { round: 0, digest });
    const decided = [...this.sealers].filter(
      ([key, { size }]) => key.startsWith(`${height}/`) && size >= this.sealsNeeded(height),
    );
    if (decided.length > 1) {
      throw new CheckFailed(`node ${node} completes a second quorum of seals at ${height}`);
    }
  }

  /**
   * Whether honest validators have sealed different blocks at a height: IBFT may stall there
   * forever.
   */
  isSplit(height: number): boolean {
    const sealed = [...this.sealers.keys()].filter((key) => key.startsWith(`${height}/`));
    return sealed.length > 1;
  }

  private seal(node: number, height: number, value: Value): void {
    const key = `${height}/${value.round}/${value.digest}`;
    const sealers = this.sealers.get(key) ?? new Set();
    this.sealers.set(key, sealers.add(node));
    const known = this.values.get(height);
    if (sealers.size < this.sealsNeeded(height) || (known && known.round <= value.round)) return;
    this.values.set(height, value);
  }
}

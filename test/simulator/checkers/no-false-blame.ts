/** An honest node never blames another honest node. */
import { type Checker, CheckFailed } from './checker.ts';

export class NoFalseBlame implements Checker {
  onBlame(node: number, blamed: { index: number; isHonest: boolean }, fault: string): void {
    if (blamed.isHonest) {
      throw new CheckFailed(`node ${node} blames honest node ${blamed.index}: ${fault}`);
    }
  }
}

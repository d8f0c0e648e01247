/** No honest node is ever blamed by an honest node. */
import { type Checker, CheckFailed } from './checker.ts';

export class NoSlander implements Checker {
  onBlame(node: number, blamed: { index: number; isHonest: boolean }, fault: string): void {
    if (blamed.isHonest) {
      throw new CheckFailed(`node ${node} blames honest node ${blamed.index}: ${fault}`);
    }
  }
}

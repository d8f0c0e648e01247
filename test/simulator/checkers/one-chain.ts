/** Safety: one block per height, each built on its parent, with valid seals. */
import { equalBytes } from '../../../src/core/base/bytes.ts';
import type { Block } from '../../../src/core/chain/block.ts';
import type { ConsensusSigner } from '../../../src/core/consensus/bft/interface.ts';
import { type HeaderContext, sealedHeaderFault } from '../../../src/core/consensus/check-seals.ts';
import { type Checker, CheckFailed, short } from './checker.ts';

export class OneChain implements Checker {
  private readonly chain: Block[];

  constructor(genesis: Block) {
    this.chain = [genesis];
  }

  get height(): number {
    return this.chain.length - 1;
  }

  onCommit(node: number, block: Block, context: HeaderContext, signer: ConsensusSigner): void {
    const { number, parentHash } = block.header;
    const known = this.chain[number];
    if (known) {
      if (equalBytes(known.hash, block.hash)) return;
      throw new CheckFailed(
        `two blocks at height ${number}: ${short(known.hash)}, and ${short(block.hash)} of node ${node}`,
      );
    }
    const parent = this.chain[number - 1];
    if (!parent || !equalBytes(parent.hash, parentHash)) {
      throw new CheckFailed(`block ${number} of node ${node} is not built on the block before it`);
    }
    const nowMs = Number.MAX_SAFE_INTEGER;
    const fault = sealedHeaderFault(block.header, { ...context, nowMs }, signer.recover);
    if (fault) throw new CheckFailed(`block ${number} of node ${node}: ${fault}`);
    this.chain.push(block);
  }
}

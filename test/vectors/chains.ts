/**
 * Recorded GoQuorum chains, replayed by executing every block without any private transaction
 * manager: state roots, receipt roots, blooms and public receipts must be the recorded ones.
 */
import { fromHex, toHex } from '../../src/core/base/hex.ts';
import { decodeBlock } from '../../src/core/chain/block.ts';
import { type ChainNode, MemoryChain } from '../support/memory-chain.ts';
import { filesBelow } from './folders.ts';
import {
  BLOCKS_FILE,
  genesisOf,
  type RecordedBlock,
  readBlocks,
  recordingOf,
} from './goquorum-blocks.ts';
import type { Report, VectorKind } from './kind.ts';
import { receiptFault } from './receipts.ts';

export const chains: VectorKind = {
  name: 'chains',
  find: (root) => filesBelow(root, (path) => /\/goquorum\//.test(path) && BLOCKS_FILE.test(path)),
  run(file, report) {
    const recording = recordingOf(file);
    const chain = new MemoryChain(genesisOf(recording));
    for (const recorded of readBlocks(file)) {
      const name = `${recording} block ${recorded.number}`;
      if (recorded.number === 0) continue;
      try {
        const node = chain.import(decodeBlock(fromHex(recorded.rlp)));
        reportBlock(name, recorded, node, report);
      } catch (error) {
        report.fail(name, (error as Error).message);
        return;
      }
    }
  },
};

function reportBlock(name: string, recorded: RecordedBlock, node: ChainNode, report: Report): void {
  const fault = blockFault(recorded, node);
  if (fault === undefined) report.pass(name);
  else report.fail(name, fault);
}

function blockFault(recorded: RecordedBlock, { block, executed }: ChainNode): string | undefined {
  const hash = toHex(block.hash);
  if (hash !== recorded.hash) return `hash ${hash}, recorded ${recorded.hash}`;
  const { stateRoot } = recorded;
  if (stateRoot !== undefined && toHex(executed!.stateRoot) !== stateRoot) return 'state root';
  for (const [index, receipt] of (recorded.receipts ?? []).entries()) {
    // For a private transaction, a party recorded the private receipt.
    if (block.transactions[index]!.isPrivate) continue;
    const fault = receiptFault(executed!.receipts[index]!, receipt);
    if (fault !== undefined) return `receipt ${index}: ${fault}`;
  }
  return undefined;
}

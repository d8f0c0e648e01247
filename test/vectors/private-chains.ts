/**
 * Recorded chains with private transactions, replayed as each of their nodes with the payloads of
 * that node's manager: every private state root and the receipts that each node returned must
 * match, and the public roots must be the same on every node.
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fromHex, toHex } from '../../src/core/base/hex.ts';
import { type Block, decodeBlock } from '../../src/core/chain/block.ts';
import type { Genesis } from '../../src/core/chain/genesis.ts';
import { type ChainNode, MemoryChain } from '../support/memory-chain.ts';
import { recordedNode } from '../support/recorded-manager.ts';
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

const NODES = ['node1', 'node2', 'node3', 'node4'];

export const privateChains: VectorKind = {
  name: 'private-chains',
  find: (root) =>
    filesBelow(root, (path) => /\/goquorum\//.test(path) && BLOCKS_FILE.test(path)).filter((file) =>
      hasManager(recordingOf(file)),
    ),
  async run(file, report) {
    const recording = recordingOf(file);
    const genesis = genesisOf(recording);
    const recorded = readBlocks(file).filter(({ number }) => number > 0);
    for (const node of NODES) await replay(recording, genesis, recorded, node, report);
  },
};

function hasManager(recording: string): boolean {
  const file = join(recording, 'private/manager-contents.json');
  return existsSync(file) || existsSync(`${file}.gz`);
}

async function replay(
  recording: string,
  genesis: Genesis,
  recorded: readonly RecordedBlock[],
  node: string,
  report: Report,
): Promise<void> {
  const chain = new MemoryChain(genesis, await recordedNode(recording, node, genesis.config.isMps));
  for (const expected of recorded) {
    const name = `${recording} ${node} block ${expected.number}`;
    try {
      const fault = blockFault(expected, chain.import(decodeBlock(fromHex(expected.rlp))), node);
      if (fault === undefined) report.pass(name);
      else report.fail(name, fault);
    } catch (error) {
      report.fail(name, (error as Error).message);
      return;
    }
  }
}

function blockFault(expected: RecordedBlock, found: ChainNode, node: string): string | undefined {
  const outcome = found.executed!.private;
  if (outcome.kind === 'waiting') return `waits at transaction ${outcome.at}`;
  for (const [psi, root] of rootsOf(expected, node)) {
    const ours = toHex(found.spaces.get(psi)!.trie.root());
    if (ours !== root) return `root of ${psi} is ${ours}, recorded ${root}`;
  }
  return receiptsFault(expected, found, node);
}

/** The recorded roots of this node, by PSI; a node without groups has one state, `private`. */
function rootsOf(expected: RecordedBlock, node: string): [string, string][] {
  const byPsi = Object.entries(expected.privateStateRootsByPSI ?? {})
    .filter(([name]) => name.startsWith(`${node}/`))
    .map(([name, root]): [string, string] => [name.slice(node.length + 1), root]);
  if (byPsi.length > 0) return byPsi;
  const root = expected.privateStateRoots?.[node];
  return root === undefined ? [] : [['private', root]];
}

function receiptsFault(
  expected: RecordedBlock,
  found: ChainNode,
  node: string,
): string | undefined {
  const { receiptsAtOthers, receipts } = expected;
  const view = receiptsAtOthers?.[node] ? node : 'node1';
  if (view !== node) return undefined;
  const recorded = receiptsAtOthers?.[node] ?? receipts ?? [];
  for (const [index, receipt] of recorded.entries()) {
    const ours = receiptAt(found, found.block, index);
    const fault = receiptFault(ours, receipt);
    if (fault !== undefined) return `receipt ${index}: ${fault}`;
  }
  return undefined;
}

/**
 * A private transaction has the receipt of the node's first private state, a marker its public one.
 */
function receiptAt({ executed }: ChainNode, block: Block, index: number) {
  const { private: outcome, receipts } = executed!;
  if (!block.transactions[index]!.isPrivate || outcome.kind !== 'done') return receipts[index]!;
  const [first] = outcome.spaces.values();
  return first!.receipts.get(index)!;
}

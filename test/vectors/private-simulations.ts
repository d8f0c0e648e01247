/**
 * Private transactions with a privacy flag, simulated on their sender's node before their block:
 * the affected contract transactions and the execution hash must be those that the recorded node
 * sent to its manager.
 */

import { join } from 'node:path';
import { toBase64 } from '../../src/core/base/base64.ts';
import { fromHex, toHex } from '../../src/core/base/hex.ts';
import { finish } from '../../src/core/base/pace.ts';
import { decodeBlock } from '../../src/core/chain/block.ts';
import type { Transaction } from '../../src/core/chain/transaction.ts';
import { simulatePrivate } from '../../src/core/execution/simulate-private.ts';
import { DEFAULT_PSI, type HeldPayload, payloadAnswer } from '../../src/core/privacy/inputs.ts';
import { openInner, payloadHashOf } from '../../src/core/privacy/marker.ts';
import { MemoryChain, type PrivateNode } from '../support/memory-chain.ts';
import { contentsOf, recordedNode } from '../support/recorded-manager.ts';
import { readJson } from './folders.ts';
import { genesisOf, readBlocks, recordingOf } from './goquorum-blocks.ts';
import type { Report, VectorKind } from './kind.ts';
import { privateChains } from './private-chains.ts';

export const privateSimulations: VectorKind = {
  name: 'private-simulations',
  find: (root) => privateChains.find(root).filter((file) => !isMps(file)),
  async run(file, report) {
    for (const node of ['node1', 'node2', 'node3', 'node4']) await simulateAs(node, file, report);
  },
};

function isMps(file: string): boolean {
  return genesisOf(recordingOf(file)).config.isMps;
}

async function simulateAs(name: string, file: string, report: Report): Promise<void> {
  const recording = recordingOf(file);
  const key = readJson(join(recording, 'keys.json')).nodes.find((node: any) => node.name === name)
    .ptm.pub;
  const contents = contentsOf(recording);
  const node = await recordedNode(recording, name, false);
  const chain = new MemoryChain(genesisOf(recording), node);
  for (const { number, rlp } of readBlocks(file)) {
    if (number === 0) continue;
    const block = decodeBlock(fromHex(rlp));
    for (const outer of block.transactions) {
      const draft = draftOf(outer, node);
      if (!draft || draft.held.flag === 0 || draft.held.senderKey !== key) continue;
      const recorded = contents[toHex(payloadHashOf(draft.tx.data))]!;
      const fault = simulationFault(draft.tx, draft.held, chain, recorded);
      const label = `${recording} ${name} block ${number}`;
      if (fault === undefined) report.pass(label);
      else report.fail(label, fault);
    }
    chain.import(block);
  }
}

/** The private transaction with its payload, taken out of its marker if it is in one. */
function draftOf(
  outer: Transaction,
  { inputs }: PrivateNode,
): { tx: Transaction; held: HeldPayload } | undefined {
  const first = payloadAnswer(inputs, payloadHashOf(outer.data));
  if (first?.kind !== 'held') return undefined;
  if (outer.isPrivate) return { tx: outer, held: first };
  const inner = openInner(outer, first.payload);
  if (typeof inner === 'string') return undefined;
  const held = payloadAnswer(inputs, payloadHashOf(inner.data));
  return held?.kind === 'held' ? { tx: inner, held } : undefined;
}

function simulationFault(
  tx: Transaction,
  held: HeldPayload,
  chain: MemoryChain,
  recorded: { readonly affectedContractTransactions: readonly string[]; readonly execHash: string },
): string | undefined {
  const { block, base, spaces } = chain.head;
  const { sender: from, to, nonce, gasLimit, gasPrice, value } = tx;
  const work = simulatePrivate(
    { from, to, nonce, gasLimit, gasPrice, value, payload: held.payload, flag: held.flag },
    {
      rules: chain.rules(block.header),
      header: block.header,
      hashes: (number) => chain.nodes[number]?.block.hash,
      publicBase: base,
      privateBase: spaces.get(DEFAULT_PSI)!,
    },
  );
  const found = finish(work);
  const affected = found.affected.map(toHex).sort().join();
  const expected = [...recorded.affectedContractTransactions].sort().join();
  if (affected !== expected) return `affected ${affected}, recorded ${expected}`;
  const hash = found.execHash === undefined ? '' : toBase64(found.execHash);
  return hash === recorded.execHash ? undefined : `execHash ${hash}, recorded ${recorded.execHash}`;
}

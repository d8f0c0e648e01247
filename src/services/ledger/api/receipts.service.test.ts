/**
 * Receipts show why a transaction reverted only if `--revertreason` is set, and only to parties.
 */
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { until } from '../../../../test/support/ptm.ts';
import { recordedManager } from '../../../../test/support/recorded-connected.ts';
import { rpcNode } from '../../../../test/support/rpc-node.ts';
import { OWN_VECTORS, readJson } from '../../../../test/vectors/folders.ts';
import { genesisOf, readBlocks } from '../../../../test/vectors/goquorum-blocks.ts';
import { fromHex } from '../../../core/base/hex.ts';
import { decodeBlock } from '../../../core/chain/block.ts';

const RECORDING = join(OWN_VECTORS, 'goquorum/private-chain');
const BLOCKS = readBlocks(join(RECORDING, 'chain/blocks.jsonl.gz')).filter(
  ({ number }) => number > 0,
);

/** Revert reasons of private transactions in receipts that a recorded node shows. */
async function reasonsAt(name: string, argv: readonly string[]): Promise<readonly string[]> {
  const { nodes } = readJson(join(RECORDING, 'keys.json'));
  const node = await rpcNode({
    genesis: genesisOf(RECORDING),
    secretKey: fromHex(nodes.find((each: { name: string }) => each.name === name).nodeKey),
    manager: await recordedManager(RECORDING, name),
    blocks: BLOCKS.map(({ rlp }) => decodeBlock(fromHex(rlp))),
    argv,
  });
  await until(() => node.node.follower!.cursor() === BLOCKS.at(-1)!.number, 'it follows');
  const reasons: string[] = [];
  for (const { number } of BLOCKS) {
    const receipts = await node.call('eth_getBlockReceipts', `0x${number.toString(16)}`);
    for (const { revertReason, gasUsed } of receipts)
      if (gasUsed === '0x0' && revertReason !== undefined) reasons.push(revertReason);
  }
  await node.close();
  return reasons;
}

it('parties learn it with the flag, and nobody learns it without', async () => {
  expect((await reasonsAt('node1', ['--revertreason'])).length).toBeGreaterThan(0);
  expect(await reasonsAt('node1', [])).toEqual([]);
});

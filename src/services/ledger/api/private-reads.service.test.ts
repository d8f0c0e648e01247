/**
 * Reads of the content of privacy markers, at a party and at a node without a manager, and for
 * transactions that are not markers.
 */
import { join } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import { until } from '../../../../test/support/ptm.ts';
import { recordedManager } from '../../../../test/support/recorded-connected.ts';
import { type RpcNode, rpcNode } from '../../../../test/support/rpc-node.ts';
import { OWN_VECTORS } from '../../../../test/vectors/folders.ts';
import { genesisOf, readBlocks } from '../../../../test/vectors/goquorum-blocks.ts';
import { fromHex, toHex } from '../../../core/base/hex.ts';
import { decodeBlock } from '../../../core/chain/block.ts';
import type { ConnectedManager } from '../../../io/ptm-client/connected-manager.ts';

const RECORDING = join(OWN_VECTORS, 'goquorum/gas-price-chain');
const BLOCKS = readBlocks(join(RECORDING, 'chain/blocks.jsonl.gz'))
  .filter(({ number }) => number > 0)
  .map(({ rlp }) => decodeBlock(fromHex(rlp)));
const TRANSACTIONS = BLOCKS.flatMap(({ transactions }) => transactions);
const PRECOMPILE = '0x000000000000000000000000000000000000007a';
const MARKERS = TRANSACTIONS.filter(({ to }) => to && toHex(to) === PRECOMPILE);
const PLAIN = TRANSACTIONS.filter(({ isPrivate }) => isPrivate);
const READS = ['eth_getPrivateTransactionByHash', 'eth_getPrivateTransactionReceipt'] as const;

let node: RpcNode;
afterEach(() => node.close());

async function nodeWith(manager?: ConnectedManager): Promise<void> {
  node = await rpcNode({
    genesis: genesisOf(RECORDING),
    secretKey: new Uint8Array(32).fill(7),
    blocks: BLOCKS,
    ...(manager ? { manager } : {}),
  });
  await until(() => node.node.follower!.cursor() === BLOCKS.length, 'the private state follows');
}

it('a party has the transaction and the receipt, and null for a private transaction in no marker', async () => {
  await nodeWith(await recordedManager(RECORDING, 'node1'));
  for (const read of READS) {
    for (const { hash, sender } of MARKERS) {
      const from = toHex(sender);
      expect(await node.call(read, toHex(hash))).toMatchObject({
        from,
        blockHash: expect.stringMatching(/^0x/),
      });
    }
    for (const { hash } of PLAIN) expect(await node.call(read, toHex(hash))).toBeNull();
  }
  expect(MARKERS.length).toBe(2);
  expect(PLAIN.length).toBeGreaterThan(1);
});

it('a node without a manager is a stranger to all of them', async () => {
  await nodeWith();
  for (const read of READS) {
    for (const { hash } of [...MARKERS, ...PLAIN])
      expect(await node.call(read, toHex(hash))).toBeNull();
  }
  await expect(node.call('eth_getQuorumPayload', toHex(MARKERS[0]!.data))).rejects.toThrow(
    'PrivateTransactionManager is not enabled',
  );
});

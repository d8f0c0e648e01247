/**
 * A node whose private state was built with a manager that is now gone: clients get answers, not
 * crashes.
 */
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { until } from '../../../../test/support/ptm.ts';
import { recordedManager } from '../../../../test/support/recorded-connected.ts';
import { type RpcNode, rpcNode } from '../../../../test/support/rpc-node.ts';
import { OWN_VECTORS } from '../../../../test/vectors/folders.ts';
import { genesisOf, readBlocks } from '../../../../test/vectors/goquorum-blocks.ts';
import { fromHex, toHex } from '../../../core/base/hex.ts';
import { decodeBlock } from '../../../core/chain/block.ts';
import { managerNotInUse } from '../../../io/ptm-client/no-manager.ts';

const RECORDING = join(OWN_VECTORS, 'goquorum/private-chain');
const BLOCKS = readBlocks(join(RECORDING, 'chain/blocks.jsonl.gz'))
  .filter(({ number }) => number > 0)
  .map(({ rlp }) => decodeBlock(fromHex(rlp)));

let node: RpcNode;
let contracts: string[];
beforeAll(async () => {
  let isLost = false;
  const recorded = await recordedManager(RECORDING, 'node1');
  const manager = new Proxy(recorded, {
    get: (target, name) => Reflect.get(isLost ? managerNotInUse() : target, name),
  });
  node = await rpcNode({
    genesis: genesisOf(RECORDING),
    secretKey: new Uint8Array(32).fill(7),
    manager,
  });
  for (const block of BLOCKS) await node.node.chain.commit(block, 'group');
  await until(() => node.node.follower!.cursor() === BLOCKS.length, 'the private state follows');
  const { store } = node.node.chain;
  contracts = BLOCKS.flatMap(({ header }) => [
    ...(store.privateRecord('private', header.number)?.receipts.values() ?? []),
  ]).flatMap(({ contractAddress }) => (contractAddress ? [toHex(contractAddress)] : []));
  isLost = true;
});
afterAll(() => node.close());

const ask = async (method: string, ...params: readonly unknown[]) =>
  node.call(method, ...params).catch((error: Error) => error.message);

describe('without its manager', () => {
  it('tells the privacy of contracts of every flag, and what it cannot know', async () => {
    const all = await Promise.all(
      contracts.map((each) => ask('eth_getContractPrivacyMetadata', each)),
    );
    const flags = new Set(all.map((each: any) => each?.privacyFlag));
    for (const flag of [1, 3]) expect(flags).toContain(flag);
    for (const each of all) {
      const text = JSON.stringify(each);
      expect(text).not.toMatch(/crash|internal|undefined|TypeError/i);
    }
    const refusals = new Set(all.filter((each) => typeof each === 'string'));
    const known = /no account extra data found|is not a private contract|is not in use|not enabled/;
    for (const each of refusals) expect(each).toMatch(known);
  });

  it('answers questions for payloads, markers, extensions and groups', async () => {
    const hash = `0x${'11'.repeat(64)}`;
    const known = toHex(
      BLOCKS.find(({ transactions }) => transactions[0]?.isPrivate)!.transactions[0]!.hash,
    );
    const sends = { from: contracts[0], gas: '0x10000', data: '0x01', privateFor: [] };
    const answers = {
      payload: await ask('eth_getQuorumPayload', hash),
      extra: await ask('eth_getQuorumPayloadExtra', hash),
      byHash: await ask('eth_getPrivateTransactionByHash', known),
      receipt: await ask('eth_getPrivateTransactionReceipt', known),
      groups: await ask('priv_findPrivacyGroup', []),
      active: await ask('quorumExtension_activeExtensionContracts'),
      send: await ask('eth_sendTransaction', sends),
      receiptOfPrivate: typeof (await ask('eth_getTransactionReceipt', known)),
    };
    expect(JSON.stringify(answers)).not.toMatch(/crash|internal|undefined|TypeError/i);
    expect(answers).toMatchObject({
      payload: 'PrivateTransactionManager is not enabled',
      extra: 'PrivateTransactionManager is not enabled',
      byHash: null,
      receipt: null,
      groups: 'Privacy is not enabled',
      receiptOfPrivate: 'object',
    });
  });
});

/**
 * Answers as strict clients parse them: web3j's quorum module refuses unknown members, and null
 * instead of a list (docs/client-shapes.md).
 */
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { until } from '../../../../test/support/ptm.ts';
import { recordedManager } from '../../../../test/support/recorded-connected.ts';
import { type RpcNode, rpcNode } from '../../../../test/support/rpc-node.ts';
import { OWN_VECTORS, readJson } from '../../../../test/vectors/folders.ts';
import { genesisOf, readBlocks } from '../../../../test/vectors/goquorum-blocks.ts';
import { fromHex } from '../../../core/base/hex.ts';
import { decodeBlock } from '../../../core/chain/block.ts';
import { OPEN } from '../../../io/rpc/access.ts';
import { Dispatcher } from '../../../io/rpc/dispatcher.ts';
import type { ClusterMember } from '../view/node-admin.ts';
import type { Context } from './context.ts';
import { raftMethods } from './raft.ts';

const RECORDING = join(OWN_VECTORS, 'goquorum/private-chain');
const BLOCKS = readBlocks(join(RECORDING, 'chain/blocks.jsonl.gz'));
const NODE_1 = readJson(join(RECORDING, 'keys.json')).nodes[0];

async function recordedNode(...argv: string[]): Promise<RpcNode> {
  const node = await rpcNode({
    genesis: genesisOf(RECORDING),
    secretKey: fromHex(NODE_1.nodeKey),
    manager: await recordedManager(RECORDING, 'node1'),
    blocks: BLOCKS.slice(1).map(({ rlp }) => decodeBlock(fromHex(rlp))),
    argv,
  });
  await until(() => node.node.follower!.cursor() === BLOCKS.length - 1, 'private state follows');
  return node;
}

let plain: RpcNode;
let extended: RpcNode;
beforeAll(async () => {
  plain = await recordedNode();
  extended = await recordedNode('--rpc.extra-fields', '--rpc.goquorum-casing=false');
}, 60_000);
afterAll(async () => {
  await plain?.close();
  await extended?.close();
});

describe('istanbul_getSignersFromBlock', () => {
  it.each(['0x0', '0x5', 'latest'])('has both spellings, of block %s', async (block) => {
    const { number, hash, author, committers, ...rest } = await plain.call(
      'istanbul_getSignersFromBlock',
      block,
    );
    expect(rest).toEqual({ Number: number, Hash: hash, Author: author, Committers: committers });
    expect(committers.length > 0).toBe(block !== '0x0');
    expect(await plain.call('istanbul_getSignersFromBlockByHash', hash)).toEqual({
      ...{ number, hash, author, committers },
      ...rest,
    });
  });

  it('has only that of the ledger API where it is configured so', async () => {
    const signers = await extended.call('istanbul_getSignersFromBlock', '0x5');
    expect(Object.keys(signers)).toEqual(['number', 'hash', 'author', 'committers']);
  });
});

it('istanbul_getSnapshot has a list of votes at genesis too', async () => {
  const { hash, votes } = await plain.call('istanbul_getSnapshot', '0x0');
  expect(votes).toEqual([]);
  expect(await plain.call('istanbul_getSnapshotAtHash', hash)).toMatchObject({ votes: [] });
});

it('eth_getContractPrivacyMetadata names mandatory parties only where there are any', async () => {
  const created = BLOCKS.flatMap(({ receipts }) => receipts ?? [])
    .filter(({ contractAddress }) => contractAddress)
    .map(({ contractAddress }) => contractAddress);
  const flags = new Set<number>();
  for (const contract of created) {
    const found = await plain.call('eth_getContractPrivacyMetadata', contract).catch(() => null);
    if (found === null) continue;
    flags.add(found.privacyFlag);
    const isMandatory = found.privacyFlag === 2;
    const names = ['creationTxHash', 'privacyFlag', ...(isMandatory ? ['mandatoryFor'] : [])];
    expect(Object.keys(found)).toEqual(names);
    expect(found.mandatoryFor?.length > 0).toBe(isMandatory);
    expect(await extended.call('eth_getContractPrivacyMetadata', contract)).toEqual({
      ...found,
      creationTxHashHex: `0x${Buffer.from(found.creationTxHash, 'base64').toString('hex')}`,
    });
  }
  expect(flags).toEqual(new Set([1, 2, 3]));
});

it('raft_cluster has the members of a Raft peer, and its URL where it is asked for', async () => {
  const member: ClusterMember = {
    ...{ raftId: 1, nodeId: 'ab', p2pPort: 21_000, raftPort: 50_400, hostname: '127.0.0.1' },
    ...{ role: 'minter', nodeActive: true, enode: 'enode://ab@127.0.0.1:21000' },
  };
  const { enode, ...known } = member;
  expect(await clusterOf(member, false)).toEqual([known]);
  expect(await clusterOf(member, true)).toEqual([{ ...known, enode }]);
});

async function clusterOf(member: ClusterMember, hasExtraFields: boolean): Promise<object[]> {
  const context = { admin: { raft: { cluster: () => [member] } }, hasExtraFields };
  const dispatcher = new Dispatcher<Context>(
    { methods: raftMethods, subscriptions: [] },
    {
      contextOf: () => context as unknown as Context,
      isEnabled: () => true,
      newId: () => '0x1',
      log: () => {},
      isMultitenant: false,
      nowMs: () => 0,
    },
  );
  const request = '{"jsonrpc":"2.0","id":1,"method":"raft_cluster"}';
  const caller = { transport: 'ipc', psi: undefined, access: OPEN, remote: 'test' } as const;
  return JSON.parse(await dispatcher.handle(request, caller)).result;
}

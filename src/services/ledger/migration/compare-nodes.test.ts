/**
 * Two nodes that answer from one chain: which requests both get, and what counts as a difference.
 */
import { describe, expect, it } from 'vitest';
import { genesisFile } from '../../../../test/support/genesis-file.ts';
import { toHex } from '../../../core/base/hex.ts';
import { blockOf, encodeBlock } from '../../../core/chain/block.ts';
import { withCommitSeals } from '../../../core/chain/extra-data.ts';
import { genesisFromJson } from '../../../core/chain/genesis.ts';
import type { RpcAnswer, RpcCall } from '../../../io/ledger-client/rpc-batch.ts';
import { firstBlockOf } from '../node/chain/first-block.ts';
import { type ComparedNode, compareAnswers, compareNodes } from './compare-nodes.ts';
import { ASKED_METHODS } from './questions.ts';

const HEAD = 40;
const hash = (kind: number, number: number) =>
  `0x${`${kind}${String(number).padStart(5, '0')}`.padStart(64, '0')}`;
const TO = `0x${'42'.repeat(20)}`;

/**
 * Answers everything about a chain of blocks with one transaction each; `change` may replace an
 * answer.
 */
function node(change: (call: RpcCall) => RpcAnswer | undefined = () => undefined) {
  const asked: RpcCall[] = [];
  const answer = (call: RpcCall): RpcAnswer => {
    const number = Number(call.params[0]);
    if (call.method === 'eth_blockNumber') return { result: '0x28' };
    if (call.method !== 'eth_getBlockByNumber') return { result: call.params };
    const transactions = [{ hash: hash(2, number), from: TO, to: TO, v: '0x25', input: '0x01' }];
    return { result: { hash: hash(1, number), miner: TO, transactions } };
  };
  const compared: ComparedNode = {
    async ask(calls) {
      asked.push(...calls);
      return calls.map((call) => change(call) ?? answer(call));
    },
  };
  return { ...compared, asked };
}

/** Header of a block of a QBFT chain. */
const { header: HEADER } = firstBlockOf(
  genesisFromJson(genesisFile({ engine: 'qbft', validators: [TO] })),
).block;

const OPTIONS = { samples: 900, seed: 7, isPublic: false, onProgress: () => {} };

describe('two nodes of one chain', () => {
  it('are asked the same, about all that the chain names', async () => {
    const [old, now] = [node(), node()];
    const { methods, differences, asked, upTo } = await compareNodes(old, now, OPTIONS);
    expect({ asked, upTo, differences }).toEqual({ asked: 900, upTo: HEAD, differences: [] });
    expect(now.asked).toEqual(old.asked);
    expect([...methods.keys()]).toEqual(
      expect.arrayContaining([
        ...['eth_getTransactionReceipt', 'eth_getStorageAt', 'eth_getQuorumPayload'],
        ...['debug_privateStateRoot', 'istanbul_getValidators', 'debug_traceTransaction'],
      ]),
    );
  });

  it('that differ in one answer are found out', async () => {
    const wrong = ({ method, params }: RpcCall) =>
      method === 'eth_getStorageAt' && params[1] === '0x2' ? { result: '0x05' } : undefined;
    const { differences, methods } = await compareNodes(node(), node(wrong), OPTIONS);
    expect(differences.length).toBeGreaterThan(0);
    expect(differences[0]).toMatchObject({ call: { method: 'eth_getStorageAt' }, now: '"0x05"' });
    expect(methods.get('eth_getBlockByNumber')!.different).toBe(0);
  });

  it('that list the same in another order do not differ', async () => {
    const rows = [1, 2, 3].map((number) => ({ orgId: 'A', acctId: `0x0${number}`, status: 2 }));
    const listing =
      (list: readonly object[]) =>
      ({ method }: RpcCall) =>
        method === 'quorumPermission_acctList' ? { result: list } : undefined;
    const old = node(listing(rows));
    const same = await compareNodes(old, node(listing([...rows].reverse())), OPTIONS);
    expect(same.differences).toEqual([]);
    const less = await compareNodes(old, node(listing(rows.slice(1))), OPTIONS);
    expect(less.differences).toHaveLength(1);
    const detailing =
      (acctList: readonly object[], subOrgList: readonly string[] | null) =>
      ({ method }: RpcCall) => {
        if (method === 'quorumPermission_orgList') return { result: [{ fullOrgId: 'A' }] };
        if (method !== 'quorumPermission_getOrgDetails') return undefined;
        return { result: { nodeList: null, roleList: [], acctList, subOrgList } };
      };
    const details = node(detailing(rows, ['A.b', 'A.c']));
    const turned = node(detailing([...rows].reverse(), ['A.c', 'A.b']));
    const { methods, differences } = await compareNodes(details, turned, OPTIONS);
    expect(methods.get('quorumPermission_getOrgDetails')!.same).toBeGreaterThan(0);
    expect(differences).toEqual([]);
    const fewer = await compareNodes(details, node(detailing(rows, null)), OPTIONS);
    expect(fewer.differences[0]?.call.method).toBe('quorumPermission_getOrgDetails');
  });

  it('that keep other seals of a block do not differ in its RLP', async () => {
    const seal = (byte: number) => new Uint8Array(65).fill(byte);
    const keeping = (kept: number[], changed: object = {}) => {
      const header = { ...HEADER, ...changed };
      const sealed = withCommitSeals(header, 0, kept.map(seal));
      const rlp = toHex(encodeBlock(blockOf(sealed, { transactions: [], uncles: [] })));
      return node(({ method }) =>
        method === 'debug_getBlockRlp' ? { result: rlp.slice(2) } : undefined,
      );
    };
    const old = keeping([1, 2, 3]);
    expect((await compareNodes(old, keeping([2, 3, 4, 5]), OPTIONS)).differences).toEqual([]);
    const other = await compareNodes(old, keeping([1, 2, 3], { gasLimit: 1n }), OPTIONS);
    expect(other.differences[0]?.call.method).toBe('debug_getBlockRlp');
  });

  it('of different chains are refused', async () => {
    const other = ({ method }: RpcCall) =>
      method === 'eth_getBlockByNumber' ? { result: { hash: hash(9, 0) } } : undefined;
    await expect(compareNodes(node(), node(other), OPTIONS)).rejects.toMatchObject({
      code: 'MIGRATION_OTHER_CHAIN',
    });
  });
});

it.each<[string, RpcAnswer, RpcAnswer, string]>([
  ['a member more', { result: { a: 1 } }, { result: { a: 1, b: 2 } }, 'same'],
  ['a member less', { result: { a: 1, b: 2 } }, { result: { a: 1 } }, 'different'],
  ['null and absent', { result: { a: null } }, { result: {} }, 'same'],
  ['null and an empty list', { result: { a: null } }, { result: { a: [] } }, 'same'],
  ['the time of a trace', { result: { time: '1ms' } }, { result: { time: '2ms' } }, 'same'],
  ['seals of its own', { result: { Committers: [1] } }, { result: { Committers: [2] } }, 'same'],
  [
    'a private transaction in no marker',
    { error: { message: 'private transaction not found for this participant' } },
    { result: null },
    'untold',
  ],
  [
    'gas that GoQuorum counts below zero',
    { result: { gasUsed: '0xfffffffffffeb10e' } },
    { result: { gasUsed: '0x0' } },
    'same',
  ],
  ['a list in another order', { result: [1, 2] }, { result: [2, 1] }, 'different'],
  ['errors on both sides', { error: { message: 'x' } }, { error: { message: 'y' } }, 'same'],
  ['an error at the new one', { result: 1 }, { error: { message: 'y' } }, 'different'],
  ['pruned state', { error: { message: 'missing trie node 00' } }, { result: 1 }, 'untold'],
])('%s', (_what, old, now, verdict) => {
  expect(compareAnswers(old, now)).toBe(verdict);
});

/** Methods of GoQuorum 24.4.1, by namespace. */
const OF_GOQUORUM: Readonly<Record<string, readonly string[]>> = {
  eth: [
    'blockNumber getBlockByNumber getBlockByHash getHeaderByNumber getHeaderByHash',
    'getBlockTransactionCountByNumber getBlockTransactionCountByHash',
    'getUncleCountByBlockNumber getUncleCountByBlockHash getUncleByBlockNumberAndIndex',
    'getUncleByBlockHashAndIndex getTransactionByHash getTransactionByBlockNumberAndIndex',
    'getTransactionByBlockHashAndIndex getRawTransactionByHash',
    'getRawTransactionByBlockNumberAndIndex getRawTransactionByBlockHashAndIndex',
    'getTransactionReceipt getBalance getCode getStorageAt getProof storageRoot call',
    'estimateGas createAccessList getLogs getTransactionCount chainId protocolVersion',
    'syncing gasPrice coinbase mining hashrate newFilter newBlockFilter',
    'newPendingTransactionFilter uninstallFilter getFilterChanges getFilterLogs',
    'sendRawTransaction sendTransaction sendRawPrivateTransaction fillTransaction',
    'signTransaction sign signTypedData_v4 accounts resend pendingTransactions getPSI',
    'sendTransactionAsync getQuorumPayload getQuorumPayloadExtra decryptQuorumPayload',
    'getPrivacyPrecompileAddress getContractPrivacyMetadata getPrivateTransactionByHash',
    'getPrivateTransactionReceipt distributePrivateTransaction',
  ],
  debug: [
    'traceTransaction traceBlockByNumber traceBlockByHash traceCall traceBadBlock',
    'traceBlock dumpAddress dumpBlock accountRange storageRangeAt',
    'getModifiedAccountsByNumber getModifiedAccountsByHash privateStateRoot',
    'defaultStateRoot getBlockRlp printBlock seedHash getBadBlocks preimage setHead',
  ],
  quorumExtension: [
    'activeExtensionContracts extendContract approveExtension cancelExtension',
    'getExtensionStatus generateExtensionApprovalUuid',
  ],
  net: ['version listening peerCount'],
  web3: ['clientVersion sha3'],
  rpc: ['modules'],
  txpool: ['status content inspect'],
  admin: [
    'nodeInfo peers datadir addPeer removePeer addTrustedPeer removeTrustedPeer',
    'reloadPlugin qpeers exportChain importChain',
  ],
  miner: ['start stop setGasPrice setEtherbase setExtra setRecommitInterval'],
  quorumPermission: [
    'orgList nodeList roleList acctList getOrgDetails transactionAllowed connectionAllowed',
    'addOrg approveOrg addSubOrg updateOrgStatus approveOrgStatus addNode updateNodeStatus',
    'recoverBlackListedNode approveBlackListedNodeRecovery addNewRole removeRole',
    'addAccountToOrg changeAccountRole assignAdminRole approveAdminRole updateAccountStatus',
    'recoverBlackListedAccount approveBlackListedAccountRecovery',
  ],
  personal: [
    'listAccounts newAccount importRawKey unlockAccount lockAccount sendTransaction',
    'signTransaction sign ecRecover',
  ],
  istanbul: [
    'nodeAddress getValidators getValidatorsAtHash isValidator getSignersFromBlock',
    'getSignersFromBlockByHash getSnapshot getSnapshotAtHash candidates propose discard',
    'status',
  ],
  raft: ['role leader cluster addPeer addLearner promoteToPeer removePeer getRaftId'],
};

/** Methods whose answers cannot be compared, by the reason. */
const NOT_ASKED: Readonly<Record<string, readonly RegExp[]>> = {
  'it changes the chain, the node or the manager': [
    /^eth_(send|sign|resend|distribute)/,
    /^personal_(new|import|lock|unlock|send|sign)/,
    /^admin_(add|remove|reload|export|import)/,
    /^miner_/,
    /^istanbul_(propose|discard)$/,
    /^raft_(add|promote|remove)/,
    /^quorumExtension_(extend|approve|cancel|generate)/,
    /^quorumPermission_(add|approve|update|recover|change|remove|assign)/,
    /^debug_setHead$/,
    /^eth_(newFilter|newBlockFilter|newPendingTransactionFilter|uninstallFilter)$/,
  ],
  'it depends on the moment, or on the process': [
    /^eth_(blockNumber|syncing|mining|hashrate|coinbase|pendingTransactions|protocolVersion)$/,
    /^eth_getFilter/,
    /^net_(listening|peerCount)$/,
    /^web3_clientVersion$/,
    /^rpc_modules$/,
    /^txpool_/,
    /^admin_(nodeInfo|peers|datadir|qpeers)$/,
    /^debug_getBadBlocks$/,
    /^(istanbul_candidates|raft_role)$/,
  ],
  'GoQuorum crashes at it': [/^eth_createAccessList$/],
  'it needs what only its caller has': [
    /^eth_decryptQuorumPayload$/,
    /^debug_(traceBlock|traceBadBlock)$/,
  ],
  'it prints for people, or all of a state: others are asked for its parts': [
    /^debug_(printBlock|dumpBlock)$/,
  ],
  'the source may not have kept it': [/^debug_preimage$/],
};

it('every method of GoQuorum is asked, or there is a reason why not', () => {
  const reasons = Object.values(NOT_ASKED).flat();
  const used = new Set<RegExp>();
  const names = Object.entries(OF_GOQUORUM).flatMap(([namespace, lines]) =>
    lines.flatMap((line) => line.split(' ')).map((name) => `${namespace}_${name}`),
  );
  for (const name of names) {
    const reason = reasons.find((each) => each.test(name));
    if (reason) used.add(reason);
    expect(ASKED_METHODS.has(name), name).toBe(reason === undefined);
  }
  expect(reasons.filter((each) => !used.has(each))).toEqual([]);
  expect([...ASKED_METHODS].filter((name) => !names.includes(name))).toEqual([]);
});

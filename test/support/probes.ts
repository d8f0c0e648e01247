/**
 * How an outsider could ask each method of the node for somebody's private data. The method table
 * lists the probes: a method without a row here fails a test.
 */
import type { Subscription } from '../../src/io/rpc/method.ts';
import { TABLE } from '../../src/services/ledger/api/table.ts';
import type { Conversation } from './callers.ts';
import { type Canary, canariesIn } from './canaries.ts';
import { DEVELOPMENT_PROBES } from './development-probes.ts';
import { EXPLORER_PROBES } from './explorer-probes.ts';
import type { Params, Probe, Target } from './target.ts';
import { TRACER_SCRIPT } from './tracer-script.ts';

/** The requests to a method for all of these targets, without repetition. */
function asksFor(method: string, targets: readonly Target[]): Params[] {
  const all = targets.flatMap((target) => PROBES[method]!(target));
  return [...new Map(all.map((params) => [JSON.stringify(params), params])).values()];
}

/** Sends every probe for every target; returns which private data is visible, and where. */
export async function probeEveryMethod(
  talk: Conversation,
  targets: readonly Target[],
  canaries: readonly Canary[],
): Promise<string[]> {
  const shown = new Set<string>();
  for (const { names } of TABLE.methods) {
    for (const name of names) {
      for (const params of asksFor(names[0]!, targets)) {
        const answer = await talk.ask(name, params);
        for (const each of canariesIn(canaries, answer)) shown.add(`${each} by ${name}`);
      }
    }
  }
  return [...shown];
}

const PLAIN: Probe = () => [[]];
const byNumber: Probe = ({ blockNumber }) => [[blockNumber], ['latest'], ['pending']];
const byNumberFull: Probe = (target) =>
  byNumber(target).flatMap(([tag]) => [
    [tag, true],
    [tag, false],
  ]);
const byHash: Probe = ({ blockHash }) => [[blockHash]];
const byHashFull: Probe = ({ blockHash }) => [[blockHash, true]];
const byTransaction: Probe = ({ hash }) => [[hash]];
const account: Probe = ({ contract, from, blockNumber }) =>
  [contract, from].flatMap((who) => [
    [who, 'latest'],
    [who, blockNumber],
    [who, 'pending'],
  ]);
const SLOTS = ['0x0', '0x1', '0x2'];
/**
 * Calls that would read the contract: directly, or through code that overrides another account's.
 */
const calls = ({ contract, from }: Target) => [
  { to: contract, from },
  { to: contract, from, data: '0x00' },
];
/** Code that calls the contract and returns its result. */
const relay = (contract: string) =>
  `0x60206000600060006000${`73${contract.slice(2)}`}5af15060206000f3`;
/** What the `trace_*` methods can show of a run. */
const EVERY_KIND = ['trace', 'stateDiff', 'vmTrace'];
const OTHER = `0x${'be'.repeat(20)}`;
const overriding = ({ contract }: Target) => ({ [OTHER]: { code: relay(contract) } });
const privately = (target: Target) => ({
  from: target.from,
  to: target.contract,
  data: '0x00',
  gas: '0x100000',
  gasPrice: '0x0',
  nonce: '0x0',
  privateFor: [],
});
const filterArgs = ({ contract }: Target) => [
  { fromBlock: '0x0', toBlock: 'latest' },
  { fromBlock: '0x0', toBlock: 'latest', address: contract },
];
const tracers = [
  {},
  { tracer: 'callTracer' },
  { tracer: 'prestateTracer' },
  { tracer: '4byteTracer' },
].concat([
  { tracer: 'callTracer', tracerConfig: {} } as never,
  { tracer: 'prestateTracer', tracerConfig: { diffMode: true } } as never,
  { tracer: 'flatCallTracer', tracerConfig: {} } as never,
  { tracer: 'muxTracer', tracerConfig: { callTracer: {}, prestateTracer: {} } } as never,
  { tracer: TRACER_SCRIPT },
]);
const traced =
  (first: (target: Target) => unknown): Probe =>
  (target) =>
    tracers.map((options) => [first(target), options]);
const NOBODY = `0x${'00'.repeat(19)}01`;
const NO_GROUP = Buffer.alloc(32, 7).toString('base64');
const ENODE = `enode://${'ab'.repeat(64)}@127.0.0.1:1`;

/** The queries of an outsider to GraphQL. */
export function graphqlAsks({ hash, contract, from, blockNumber }: Target): readonly string[] {
  const state = `account(address: "${contract}") { balance transactionCount code ${SLOTS.map(
    (slot, at) => `s${at}: storage(slot: "0x${slot.slice(2).padStart(64, '0')}")`,
  ).join(
    ' ',
  )} } call(data: { to: "${contract}", from: "${from}", data: "0x00" }) { data gasUsed status }`;
  const logs = 'topics data account { address code }';
  const plain = `hash inputData isPrivate privateInputData status gasUsed createdContract { code } logs { ${logs} }`;
  const full = `${plain} privateTransaction { ${plain} to { code } }`;
  return [
    `{ transaction(hash: "${hash}") { ${full} block { transactions { ${full} } } } }`,
    `{ block(number: "${blockNumber}") { ${state} logs(filter: {}) { ${logs} } } }`,
    `{ block { ${state} estimateGas(data: { to: "${contract}" }) } }`,
    `{ logs(filter: { fromBlock: 0, addresses: ["${contract}"] }) { ${logs} transaction { ${full} } } }`,
    `{ pending { transactions { ${full} } ${state} } }`,
  ];
}

const ORG = 'ORG';
/** Sent by the party's account. */
const permitting = ({ from }: Target) => ({ from });

/** By the first name of each method. */
export const PROBES: Readonly<Record<string, Probe>> = {
  eth_blockNumber: PLAIN,
  eth_getBlockByNumber: byNumberFull,
  eth_getBlockByHash: byHashFull,
  eth_getHeaderByNumber: byNumber,
  eth_getHeaderByHash: byHash,
  eth_getBlockTransactionCountByNumber: byNumber,
  eth_getBlockTransactionCountByHash: byHash,
  eth_getUncleCountByBlockNumber: byNumber,
  eth_getUncleCountByBlockHash: byHash,
  eth_getUncleByBlockNumberAndIndex: ({ blockNumber }) => [[blockNumber, '0x0']],
  eth_getUncleByBlockHashAndIndex: ({ blockHash }) => [[blockHash, '0x0']],
  eth_getBlockReceipts: byNumber,
  eth_getTransactionByHash: byTransaction,
  eth_getTransactionByBlockNumberAndIndex: ({ blockNumber }) => [[blockNumber, '0x0']],
  eth_getTransactionByBlockHashAndIndex: ({ blockHash }) => [[blockHash, '0x0']],
  eth_getRawTransactionByHash: byTransaction,
  eth_getRawTransactionByBlockNumberAndIndex: ({ blockNumber }) => [[blockNumber, '0x0']],
  eth_getRawTransactionByBlockHashAndIndex: ({ blockHash }) => [[blockHash, '0x0']],
  eth_getTransactionReceipt: byTransaction,
  eth_getBalance: account,
  eth_getTransactionCount: account,
  eth_getCode: account,
  eth_getStorageAt: ({ contract, blockNumber }) =>
    SLOTS.flatMap((slot) => [
      [contract, slot, 'latest'],
      [contract, slot, blockNumber],
    ]),
  eth_getProof: ({ contract }) => [[contract, SLOTS, 'latest']],
  eth_storageRoot: ({ contract, blockNumber }) => [[contract], [contract, blockNumber]],
  eth_call: (target) => [
    ...calls(target).map((args) => [args, 'latest']),
    [calls(target)[0], target.blockNumber],
    [{ to: OTHER }, 'latest', overriding(target)],
    [calls(target)[0], 'latest', null, { number: '0x1' }],
  ],
  eth_simulateV1: (target) => [
    [{ blockStateCalls: [{ calls: calls(target) }], traceTransfers: true }, 'latest'],
    [{ blockStateCalls: [{ stateOverrides: overriding(target), calls: [{ to: OTHER }] }] }],
  ],
  eth_estimateGas: (target) => calls(target).map((args) => [args]),
  eth_createAccessList: (target) => calls(target).map((args) => [args]),
  eth_chainId: PLAIN,
  eth_protocolVersion: PLAIN,
  eth_blobBaseFee: PLAIN,
  eth_syncing: PLAIN,
  eth_gasPrice: PLAIN,
  eth_maxPriorityFeePerGas: PLAIN,
  eth_feeHistory: ({ blockNumber }) => [['0x5', blockNumber, [50]]],
  eth_coinbase: PLAIN,
  eth_mining: PLAIN,
  eth_hashrate: PLAIN,
  eth_getLogs: (target) => [
    ...filterArgs(target).map((filter) => [filter]),
    [{ blockHash: target.blockHash }],
  ],
  eth_newFilter: (target) => filterArgs(target).map((filter) => [filter]),
  eth_newBlockFilter: PLAIN,
  eth_newPendingTransactionFilter: PLAIN,
  eth_getFilterChanges: ({ filter }) => [[filter]],
  eth_getFilterLogs: ({ filter }) => [[filter]],
  eth_uninstallFilter: ({ filter }) => [[filter]],
  eth_sendRawTransaction: ({ raw }) => [[raw]],
  eth_sendRawTransactionSync: ({ raw }) => [[raw, 1]],
  eth_sendTransaction: (target) => [[privately(target)]],
  eth_sendRawPrivateTransaction: ({ raw }) => [[raw, { privateFor: [] }]],
  eth_fillTransaction: (target) => [[privately(target)], [calls(target)[1]]],
  eth_signTransaction: (target) => [[privately(target)]],
  eth_sign: ({ from }) => [[from, '0x00']],
  eth_signTypedData_v4: ({ from }) => [
    [from, { types: { A: [] }, primaryType: 'A', domain: {}, message: {} }],
  ],
  eth_accounts: PLAIN,
  eth_resend: (target) => [[privately(target), '0x0', '0x0']],
  eth_pendingTransactions: PLAIN,
  eth_getPSI: PLAIN,
  eth_sendTransactionAsync: (target) => [[privately(target)]],
  eth_getQuorumPayload: ({ payload }) => [[payload]],
  eth_getQuorumPayloadExtra: ({ payload }) => [[payload]],
  eth_decryptQuorumPayload: ({ envelope }) => [[envelope]],
  eth_getPrivacyPrecompileAddress: PLAIN,
  eth_getContractPrivacyMetadata: ({ contract }) => [[contract]],
  eth_getPrivateTransactionByHash: byTransaction,
  eth_getPrivateTransactionReceipt: byTransaction,
  eth_distributePrivateTransaction: ({ raw }) => [[raw, { privateFor: [] }]],
  eea_sendRawTransaction: ({ raw }) => [[raw]],
  priv_getTransactionCount: ({ from, group = NO_GROUP }) => [[from, group]],
  priv_getEeaTransactionCount: ({ from, groupKeys = [NO_GROUP, []] }) => [[from, ...groupKeys]],
  priv_getTransactionReceipt: byTransaction,
  priv_getPrivateTransaction: byTransaction,
  priv_call: (target) => calls(target).map((args) => [target.group ?? NO_GROUP, args, 'latest']),
  priv_createPrivacyGroup: () => [[{ addresses: [NO_GROUP], name: '', description: '' }]],
  priv_findPrivacyGroup: ({ groupKeys: [from, to] = [NO_GROUP, []] }) => [[[from, ...to]]],
  priv_deletePrivacyGroup: () => [[NO_GROUP]],
  ledgerExtension_activeExtensionContracts: PLAIN,
  ledgerExtension_extendContract: (target) => [
    [target.contract, 'AAAA', NOBODY, privately(target)],
  ],
  ledgerExtension_approveExtension: (target) => [[target.management, true, privately(target)]],
  ledgerExtension_cancelExtension: (target) => [[target.management, privately(target)]],
  ledgerExtension_getExtensionStatus: ({ management }) => [[management]],
  ledgerExtension_generateExtensionApprovalUuid: (target) => [
    [target.management, target.from, privately(target)],
  ],
  ledgerPermission_orgList: PLAIN,
  ledgerPermission_nodeList: PLAIN,
  ledgerPermission_roleList: PLAIN,
  ledgerPermission_acctList: PLAIN,
  ledgerPermission_getOrgDetails: () => [[ORG]],
  ledgerPermission_transactionAllowed: (target) => [[privately(target)], [calls(target)[0]]],
  ledgerPermission_connectionAllowed: () => [[ENODE, '127.0.0.1', 1, 1]],
  ledgerPermission_addOrg: (target) => [[ORG, ENODE, target.from, permitting(target)]],
  ledgerPermission_approveOrg: (target) => [[ORG, ENODE, target.from, permitting(target)]],
  ledgerPermission_addSubOrg: (target) => [[ORG, 'SUB', ENODE, permitting(target)]],
  ledgerPermission_updateOrgStatus: (target) => [[ORG, 1, permitting(target)]],
  ledgerPermission_approveOrgStatus: (target) => [[ORG, 1, permitting(target)]],
  ledgerPermission_addNode: (target) => [[ORG, ENODE, permitting(target)]],
  ledgerPermission_updateNodeStatus: (target) => [[ORG, ENODE, 1, permitting(target)]],
  ledgerPermission_recoverBlackListedNode: (target) => [[ORG, ENODE, permitting(target)]],
  ledgerPermission_approveBlackListedNodeRecovery: (target) => [[ORG, ENODE, permitting(target)]],
  ledgerPermission_addAccountToOrg: (target) => [[target.from, ORG, 'ROLE', permitting(target)]],
  ledgerPermission_changeAccountRole: (target) => [[target.from, ORG, 'ROLE', permitting(target)]],
  ledgerPermission_addNewRole: (target) => [[ORG, 'ROLE', 1, false, false, permitting(target)]],
  ledgerPermission_removeRole: (target) => [[ORG, 'ROLE', permitting(target)]],
  ledgerPermission_assignAdminRole: (target) => [[ORG, target.from, 'ROLE', permitting(target)]],
  ledgerPermission_approveAdminRole: (target) => [[ORG, target.from, permitting(target)]],
  ledgerPermission_updateAccountStatus: (target) => [[ORG, target.from, 1, permitting(target)]],
  ledgerPermission_recoverBlackListedAccount: (target) => [[ORG, target.from, permitting(target)]],
  ledgerPermission_approveBlackListedAccountRecovery: (target) => [
    [ORG, target.from, permitting(target)],
  ],
  net_version: PLAIN,
  net_listening: PLAIN,
  net_peerCount: PLAIN,
  web3_clientVersion: PLAIN,
  web3_sha3: ({ payload }) => [[payload]],
  rpc_modules: PLAIN,
  txpool_status: PLAIN,
  txpool_content: PLAIN,
  txpool_inspect: PLAIN,
  txpool_contentFrom: ({ from }) => [[from]],
  admin_nodeInfo: PLAIN,
  admin_peers: PLAIN,
  admin_privateState: PLAIN,
  admin_privateTransaction: byTransaction,
  admin_privateContract: ({ contract }) => [[contract]],
  admin_datadir: PLAIN,
  admin_addPeer: () => [[ENODE]],
  admin_removePeer: () => [[ENODE]],
  admin_addTrustedPeer: () => [[ENODE]],
  admin_removeTrustedPeer: () => [[ENODE]],
  admin_reloadPlugin: () => [['security']],
  admin_qpeers: PLAIN,
  admin_exportChain: () => [['/nowhere/chain.rlp'], ['/nowhere/chain.rlp', 0, 1]],
  admin_importChain: () => [['/nowhere/chain.rlp']],
  debug_gcStats: PLAIN,
  miner_start: PLAIN,
  miner_stop: PLAIN,
  miner_setGasPrice: () => [['0x1']],
  miner_setEtherbase: ({ from }) => [[from]],
  miner_setExtra: () => [['extra']],
  miner_setRecommitInterval: () => [[1_000]],
  personal_listAccounts: PLAIN,
  personal_newAccount: () => [['password']],
  'plugin@account_newAccount': () => [[{ secretName: 'name' }]],
  'plugin@account_importRawKey': () => [['00'.repeat(32), {}]],
  personal_importRawKey: () => [['42'.repeat(32), 'password']],
  personal_unlockAccount: ({ from }) => [[from, 'password', 1]],
  personal_lockAccount: () => [[NOBODY]],
  personal_sendTransaction: (target) => [[privately(target), 'password']],
  personal_signTransaction: (target) => [[privately(target), 'password']],
  personal_sign: ({ from }) => [['0x00', from, 'password']],
  personal_ecRecover: () => [['0x00', `0x${'11'.repeat(64)}1b`]],
  istanbul_nodeAddress: PLAIN,
  istanbul_getValidators: byNumber,
  istanbul_getValidatorsAtHash: byHash,
  istanbul_isValidator: byNumber,
  istanbul_getSignersFromBlock: byNumber,
  istanbul_getSignersFromBlockByHash: byHash,
  istanbul_getSnapshot: byNumber,
  istanbul_getSnapshotAtHash: byHash,
  istanbul_candidates: PLAIN,
  istanbul_propose: () => [[NOBODY, false]],
  istanbul_discard: () => [[NOBODY]],
  istanbul_status: PLAIN,
  ...Object.fromEntries(['raft_role', 'raft_leader', 'raft_cluster'].map((name) => [name, PLAIN])),
  raft_addPeer: () => [['enode://00@127.0.0.1:1']],
  raft_addLearner: () => [['enode://00@127.0.0.1:1']],
  raft_promoteToPeer: () => [[9]],
  raft_removePeer: () => [[9]],
  raft_getRaftId: () => [['enode://00@127.0.0.1:1']],
  debug_traceTransaction: traced(({ hash }) => hash),
  debug_traceBlockByNumber: traced(({ blockNumber }) => blockNumber),
  debug_traceBlockByHash: traced(({ blockHash }) => blockHash),
  debug_traceCall: (target) => [
    ...calls(target).flatMap((args) => tracers.map((options) => [args, 'latest', options])),
    [{ to: OTHER }, 'latest', { stateOverrides: overriding(target) }],
  ],
  trace_transaction: byTransaction,
  trace_block: byNumber,
  trace_filter: ({ blockNumber, contract, from }) => [
    [{ fromBlock: blockNumber, toBlock: blockNumber }],
    [{ fromBlock: '0x1', toBlock: 'latest', toAddress: [contract] }],
    [{ fromBlock: '0x1', toBlock: 'latest', fromAddress: [from] }],
  ],
  trace_get: ({ hash }) => [[hash, []]],
  trace_replayBlockTransactions: ({ blockNumber }) => [[blockNumber, EVERY_KIND]],
  trace_call: (target) => calls(target).map((args) => [args, EVERY_KIND, 'latest']),
  trace_rawTransaction: ({ raw }) => [[raw, EVERY_KIND]],
  trace_replayTransaction: ({ hash }) => [[hash, EVERY_KIND]],
  debug_traceBadBlock: byHash,
  debug_traceBlock: traced(({ blockRlp }) => blockRlp),
  debug_dumpAddress: ({ contract, blockNumber }) => [
    [contract, 'latest'],
    [contract, blockNumber],
  ],
  debug_dumpBlock: ({ blockNumber }) => [[blockNumber], [blockNumber, 'private']],
  debug_accountRange: ({ blockNumber }) => [
    [blockNumber, `0x${'00'.repeat(32)}`, 256, false, false, true],
  ],
  debug_storageRangeAt: ({ blockHash, contract }) =>
    [0, 1].map((index) => [blockHash, index, contract, `0x${'00'.repeat(32)}`, 100]),
  debug_getModifiedAccountsByNumber: ({ blockNumber }) => [[Number(blockNumber)]],
  debug_getModifiedAccountsByHash: byHash,
  debug_privateStateRoot: byNumber,
  debug_defaultStateRoot: byNumber,
  debug_getBlockRlp: ({ blockNumber }) => [[Number(blockNumber)]],
  debug_getRawBlock: byNumber,
  debug_getRawHeader: byNumber,
  debug_getRawReceipts: byNumber,
  debug_getRawTransaction: byTransaction,
  debug_printBlock: ({ blockNumber }) => [[Number(blockNumber)]],
  debug_seedHash: ({ blockNumber }) => [[Number(blockNumber)]],
  debug_getBadBlocks: PLAIN,
  debug_setHead: byNumber,
  debug_preimage: ({ payload }) => [[`0x${payload.slice(2, 66)}`]],
  'rpc.discover': PLAIN,
  ...DEVELOPMENT_PROBES,
  ...EXPLORER_PROBES,
};

export const SUBSCRIPTION_PROBES: Readonly<Record<string, readonly Params[]>> = {
  'eth newHeads': [[]],
  'eth logs': [[{}]],
  'eth newPendingTransactions': [[]],
  'eth syncing': [[]],
};

export function subscriptionName({ namespaces, kind }: Subscription<never>): string {
  return `${namespaces[0]} ${kind}`;
}

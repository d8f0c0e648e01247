/**
 * Methods and properties of the console's objects, as in GoQuorum's console
 * (internal/web3ext/web3ext.go).
 */
import type { Formatter, Formatters } from './formatters.ts';
import { Method, Property } from './method.ts';
import { fromDecimal, toDecimal } from './number.ts';
import { toHex } from './text.ts';

interface Row {
  readonly name: string;
  /** The RPC method's name after the namespace, if it differs. */
  readonly as?: string;
  readonly call?: (args: unknown[]) => string;
  readonly takes?: readonly (Formatter | null)[];
  readonly gives?: Formatter;
}

export interface Namespace {
  readonly methods: readonly Method[];
  readonly properties: readonly Property[];
}

const flag: Formatter = (value) => !!value;
const some = (count: number): (Formatter | null)[] => Array(count).fill(null);
/** The RPC method for a block's hash, or the one for its number. */
const byBlock =
  (ofHash: string, ofNumber: string) =>
  (args: unknown[]): string =>
    typeof args[0] === 'string' && args[0].startsWith('0x') ? ofHash : ofNumber;
const plain = (names: string, count = 0): Row[] =>
  names.split(' ').map((name) => ({ name, takes: some(count) }));

function namespace(
  prefix: string,
  methods: readonly Row[],
  properties: readonly Row[] = [],
): Namespace {
  return {
    methods: methods.map(
      ({ name, as = name, call, takes = [], gives }) =>
        new Method({
          name,
          call: call ?? `${prefix}_${as}`,
          params: takes.length,
          // Without formatters the number of arguments is checked; with them, missing ones are
          // added.
          ...(takes.some((each) => each !== null) ? { inputFormatter: takes } : {}),
          outputFormatter: gives,
        }),
    ),
    properties: properties.map(
      ({ name, as = name, gives }) =>
        new Property({ name, getter: `${prefix}_${as}`, outputFormatter: gives }),
    ),
  };
}

/** Arguments that may be omitted: each is sent as null. */
const filled = (name: string, count: number): Row => ({
  name,
  takes: Array<Formatter>(count).fill((value) => value),
});

export function ethNamespace(f: Formatters): Namespace {
  const block = f.inputBlockNumberFormatter;
  const orDefault = f.inputDefaultBlockNumberFormatter;
  const address = f.inputAddressFormatter;
  const sent = f.inputTransactionFormatter;
  const transaction = f.outputTransactionFormatter;
  const receipt = f.outputTransactionReceiptFormatter;
  const pending: Formatter = (list) =>
    (list as unknown[]).map((each) =>
      Object.assign(transaction(each) as object, { blockHash: null }),
    );
  return namespace(
    'eth',
    [
      { name: 'getBalance', takes: [address, orDefault], gives: f.outputBigNumberFormatter },
      { name: 'getStorageAt', takes: [null, toHex, orDefault] },
      { name: 'getCode', takes: [address, orDefault] },
      {
        name: 'getBlock',
        call: byBlock('eth_getBlockByHash', 'eth_getBlockByNumber'),
        takes: [block, flag],
        gives: f.outputBlockFormatter,
      },
      {
        name: 'getUncle',
        call: byBlock('eth_getUncleByBlockHashAndIndex', 'eth_getUncleByBlockNumberAndIndex'),
        takes: [block, toHex],
        gives: f.outputBlockFormatter,
      },
      {
        name: 'getBlockTransactionCount',
        call: byBlock('eth_getBlockTransactionCountByHash', 'eth_getBlockTransactionCountByNumber'),
        takes: [block],
        gives: toDecimal,
      },
      {
        name: 'getBlockUncleCount',
        call: byBlock('eth_getUncleCountByBlockHash', 'eth_getUncleCountByBlockNumber'),
        takes: [block],
        gives: toDecimal,
      },
      { name: 'getTransaction', as: 'getTransactionByHash', takes: [null], gives: transaction },
      {
        name: 'getTransactionFromBlock',
        call: byBlock(
          'eth_getTransactionByBlockHashAndIndex',
          'eth_getTransactionByBlockNumberAndIndex',
        ),
        takes: [block, toHex],
        gives: transaction,
      },
      { name: 'getTransactionReceipt', takes: [null], gives: receipt },
      { name: 'getTransactionCount', takes: [null, orDefault], gives: toDecimal },
      { name: 'call', takes: [f.inputCallFormatter, orDefault] },
      { name: 'estimateGas', takes: [f.inputCallFormatter, block], gives: toDecimal },
      { name: 'sendRawTransaction', takes: [null] },
      ...['signTransaction', 'sendTransaction', 'sendTransactionAsync', 'fillTransaction'].map(
        (name) => ({ name, takes: [sent] }),
      ),
      { name: 'sign', takes: [address, null] },
      { name: 'resend', takes: [sent, fromDecimal, fromDecimal] },
      ...plain('sendRawPrivateTransaction distributePrivateTransaction', 2),
      ...plain('getPrivacyPrecompileAddress chainId getPSI'),
      ...plain('getContractPrivacyMetadata getHeaderByHash', 1),
      { name: 'getHeaderByNumber', takes: [block] },
      { name: 'getBlockByNumber', takes: [block, flag] },
      { name: 'getBlockByHash', takes: [null, flag] },
      { name: 'getRawTransaction', as: 'getRawTransactionByHash', takes: [null] },
      {
        name: 'getRawTransactionFromBlock',
        call: byBlock(
          'eth_getRawTransactionByBlockHashAndIndex',
          'eth_getRawTransactionByBlockNumberAndIndex',
        ),
        takes: [block, toHex],
      },
      { name: 'getProof', takes: [address, null, block] },
      { name: 'createAccessList', takes: [null, block] },
      ...plain('getQuorumPayload getQuorumPayloadExtra decryptQuorumPayload', 1),
      {
        name: 'getPrivateTransaction',
        as: 'getPrivateTransactionByHash',
        takes: [null],
        gives: transaction,
      },
      { name: 'getPrivateTransactionReceipt', takes: [null], gives: receipt },
    ],
    [
      ...plain('coinbase mining accounts protocolVersion'),
      { name: 'hashrate', gives: toDecimal },
      { name: 'syncing', gives: f.outputSyncingFormatter },
      { name: 'gasPrice', gives: f.outputBigNumberFormatter },
      { name: 'blockNumber', gives: toDecimal },
      { name: 'pendingTransactions', gives: pending },
    ],
  );
}

export function netNamespace(): Namespace {
  return namespace(
    'net',
    [],
    [{ name: 'listening' }, { name: 'peerCount', gives: toDecimal }, { name: 'version' }],
  );
}

export function personalNamespace(f: Formatters): Namespace {
  const address = f.inputAddressFormatter;
  return namespace(
    'personal',
    [
      { name: 'newAccount', takes: [null] },
      ...plain('importRawKey ecRecover openWallet unpair', 2),
      { name: 'unlockAccount', takes: [address, null, null] },
      { name: 'sign', takes: [null, address, null] },
      { name: 'sendTransaction', takes: [f.inputTransactionFormatter, null] },
      { name: 'signTransaction', takes: [f.inputTransactionFormatter, null] },
      { name: 'lockAccount', takes: [address] },
      ...plain('deriveAccount', 3),
      ...plain('initializeWallet', 1),
    ],
    plain('listAccounts listWallets'),
  );
}

/** Further namespaces of the node, by name. */
export const NODE_NAMESPACES: Readonly<
  Record<string, (f: Formatters, print: Formatter) => Namespace>
> = {
  admin: () =>
    namespace(
      'admin',
      [
        ...plain('reloadPlugin addPeer removePeer addTrustedPeer removeTrustedPeer importChain', 1),
        filled('exportChain', 3),
        ...['startHTTP', 'startRPC'].map((name) => filled(name, 5)),
        filled('startWS', 4),
        ...plain('stopHTTP stopRPC stopWS'),
      ],
      plain('nodeInfo qnodeInfo peers qpeers datadir'),
    ),
  debug: debugNamespace,
  miner: (f) =>
    namespace('miner', [
      filled('start', 1),
      ...plain('stop getHashrate'),
      { name: 'setEtherbase', takes: [f.inputAddressFormatter] },
      ...plain('setExtra setRecommitInterval', 1),
      { name: 'setGasPrice', takes: [fromDecimal] },
    ]),
  rpc: () => namespace('rpc', [], plain('modules')),
  txpool: () => {
    const counts: Formatter = (value) => {
      const { pending, queued } = value as { pending: unknown; queued: unknown };
      return Object.assign(value as object, {
        pending: toDecimal(pending),
        queued: toDecimal(queued),
      });
    };
    return namespace(
      'txpool',
      [],
      [...plain('content inspect'), { name: 'status', gives: counts }],
    );
  },
  raft: () =>
    namespace(
      'raft',
      plain('addPeer addLearner promoteToPeer removePeer', 1),
      plain('role leader cluster'),
    ),
  istanbul: istanbulNamespace,
  quorumPermission: permissionNamespace,
  quorumExtension: extensionNamespace,
  // The same namespaces under product-neutral names.
  ledgerPermission: (f) => permissionNamespace(f),
  ledgerExtension: (f) => extensionNamespace(f),
  plugin_account: () =>
    namespace('plugin@account', [...plain('newAccount', 1), ...plain('importRawKey', 2)]),
};

function istanbulNamespace(f: Formatters): Namespace {
  const block = f.inputBlockNumberFormatter;
  return namespace(
    'istanbul',
    [
      filled('getSnapshot', 1),
      filled('getValidators', 1),
      ...plain('getSnapshotAtHash getValidatorsAtHash discard getSignersFromBlockByHash', 1),
      ...plain('propose', 2),
      { name: 'getSignersFromBlock', takes: [block] },
      { name: 'isValidator', takes: [block] },
      { name: 'status', takes: [block, block] },
    ],
    plain('candidates nodeAddress'),
  );
}

function permissionNamespace(f: Formatters): Namespace {
  const account = f.inputAddressFormatter;
  const sent = f.inputTransactionFormatter;
  return namespace(
    'quorumPermission',
    [
      ...['addOrg', 'approveOrg'].map((name) => ({ name, takes: [null, null, account, sent] })),
      ...['addSubOrg', 'updateNodeStatus'].map((name) => ({
        name,
        takes: [null, null, null, sent],
      })),
      ...[
        'updateOrgStatus',
        'approveOrgStatus',
        'addNode',
        'removeRole',
        'recoverBlackListedNode',
        'approveBlackListedNodeRecovery',
      ].map((name) => ({ name, takes: [null, null, sent] })),
      { name: 'assignAdminRole', takes: [null, account, null, sent] },
      ...['approveAdminRole', 'recoverBlackListedAccount', 'approveBlackListedAccountRecovery'].map(
        (name) => ({ name, takes: [null, account, sent] }),
      ),
      { name: 'addNewRole', takes: [null, null, null, null, null, sent] },
      ...['addAccountToOrg', 'changeAccountRole'].map((name) => ({
        name,
        takes: [account, null, null, sent],
      })),
      { name: 'updateAccountStatus', takes: [null, account, null, sent] },
      filled('getOrgDetails', 1),
      { name: 'transactionAllowed', takes: [sent] },
      filled('connectionAllowed', 4),
    ],
    plain('orgList nodeList roleList acctList'),
  );
}

function extensionNamespace(f: Formatters): Namespace {
  const address = f.inputAddressFormatter;
  const sent = f.inputTransactionFormatter;
  return namespace(
    'quorumExtension',
    [
      { name: 'generateExtensionApprovalUuid', takes: [address, address, sent] },
      { name: 'approveExtension', takes: [address, null, sent] },
      { name: 'extendContract', takes: [address, null, address, sent] },
      { name: 'cancelExtension', takes: [address, sent] },
      { name: 'getExtensionStatus', takes: [address] },
    ],
    plain('activeExtensionContracts'),
  );
}

function debugNamespace(f: Formatters, print: Formatter): Namespace {
  const block = f.inputBlockNumberFormatter;
  const none = (value: unknown): unknown => value;
  return namespace('debug', [
    {
      name: 'accountRange',
      takes: [f.inputDefaultBlockNumberFormatter, none, none, none, none, none],
    },
    { name: 'printBlock', takes: [null], gives: print },
    { name: 'chaindbProperty', takes: [null], gives: print },
    { name: 'stacks', gives: print },
    ...plain(
      'chaindbCompact freeOSMemory memStats gcStats stopCPUProfile stopGoTrace getBadBlocks',
    ),
    ...plain('getBlockRlp setHead seedHash verbosity vmodule backtraceAt setGCPercent', 1),
    ...plain('startCPUProfile startGoTrace setBlockProfileRate writeBlockProfile', 1),
    ...plain('setMutexProfileFraction writeMutexProfile writeMemProfile freezeClient', 1),
    ...plain('cpuProfile goTrace blockProfile mutexProfile', 2),
    ...plain('storageRangeAt', 5),
    ...['traceBadBlock', 'preimage'].map((name) => filled(name, 1)),
    ...[
      'traceBlock',
      'traceBlockFromFile',
      'standardTraceBadBlockToFile',
      'standardTraceBlockToFile',
      'traceBlockByHash',
      'traceTransaction',
      'getModifiedAccountsByNumber',
      'getModifiedAccountsByHash',
    ].map((name) => filled(name, 2)),
    filled('traceCall', 3),
    { name: 'testSignCliqueBlock', takes: [f.inputAddressFormatter, null] },
    { name: 'dumpBlock', takes: [block, null] },
    { name: 'traceBlockByNumber', takes: [block, null] },
    ...['privateStateRoot', 'defaultStateRoot'].map((name) => ({ name, takes: [block] })),
    { name: 'dumpAddress', takes: [f.inputAddressFormatter, block] },
  ]);
}

/** The most expensive value of each parameter of JSON-RPC, by its name in the table of methods. */
import { randomBytes } from 'node:crypto';
import { fromHex, toHex } from '../../../src/core/base/hex.ts';
import { addressOfSecretKey } from '../../../src/core/base/secp256k1.ts';
import { signTransaction } from '../../../src/core/chain/signing.ts';
import { CHAIN_ID, testSecretKey } from '../../support/genesis-file.ts';
import { loop } from '../code.ts';
import { honestAddress } from '../sending.ts';

/** What the attacker has put on the chain before. */
export interface Scene {
  /** A contract with a thousand storage slots. */
  readonly contract: string;
  /** A transaction of 20M gas, and the hash and number of its block. */
  readonly transaction: string;
  readonly blockHash: string;
  readonly blockNumber: number;
  /** RLP. */
  readonly block: string;
  /** Of another node. */
  readonly enode: string;
}

/**
 * `turn` counts the rounds through all methods: where several values are bad, they alternate.
 * `at`: the place among the parameters.
 */
export type Worst = (scene: Scene, turn: number, at: number) => unknown;

const LONG_TEXT = 'a'.repeat(1_000_000);
const LONG_DATA = `0x${'5b'.repeat(1_000_000)}`;
const ENDLESS = loop('');
const CALL = { data: ENDLESS };
/** Those of managers, and more than any list may have. */
const KEYS = Array.from({ length: 1_000 }, (_, at) => Buffer.alloc(32, at).toString('base64'));
const MANY_KEYS = Array.from({ length: 20_000 }, () => KEYS[0]!);
/** An account of the node, after the first call of personal_importRawKey. */
const IMPORTED = testSecretKey(0x77);
const imported = (): string => toHex(addressOfSecretKey(fromHex(IMPORTED)));
const WORDS = Array.from({ length: 1000 }, (_, at) => `0x${at.toString(16)}`);
const TOPICS = Array.from({ length: 4 }, (_, at) => {
  return Array.from({ length: 500 }, (__, i) => `0x${(i + at).toString(16).padStart(64, '0')}`);
});
const KINDS = ['trace', 'stateDiff'];
const CALLS_A_BLOCK = 40;

const long: Worst = () => LONG_TEXT;
const much: Worst = () => '0xffffffffffffffff';
const alternate =
  (...values: Worst[]): Worst =>
  (scene, turn, at) =>
    values[turn % values.length]!(scene, turn, at);
const account = alternate(({ contract }) => contract, honestAddress);

function nested(depth: number): unknown {
  let value: unknown = [];
  for (let i = 0; i < depth; i++) value = [value];
  return value;
}

/** From an account of its own, after a gap, so that it stays in the pool. */
function queued(): string {
  const fields = { nonce: 1n, gasLimit: 2_000_000n, data: new Uint8Array(60_000) };
  const key = new Uint8Array(randomBytes(32));
  return toHex(signTransaction(fields, key, { chainId: BigInt(CHAIN_ID) }).raw);
}

/** Simulates as many blocks as are allowed, each full of endless calls. */
function simulation(): unknown {
  const calls = Array.from({ length: CALLS_A_BLOCK }, () => ({ from: honestAddress(), ...CALL }));
  return { blockStateCalls: Array.from({ length: 250 }, () => ({ calls })), traceTransfers: true };
}

export const WORST: Readonly<Record<string, Worst>> = {
  // Blocks and transactions
  block: alternate(
    () => 'latest',
    ({ blockNumber }) => `0x${blockNumber.toString(16)}`,
  ),
  newestBlock: () => 'latest',
  blockCount: () => '0x400',
  rewardPercentiles: () => Array.from({ length: 100 }, (_, at) => at),
  hash: alternate(
    ({ blockHash }) => blockHash,
    ({ transaction }) => transaction,
  ),
  markerHash: ({ transaction }) => transaction,
  index: () => '0x0',
  position: () => Array.from({ length: 1000 }, () => '0x0'),
  fullTransactions: () => true,
  filter: () => ({ fromBlock: '0x0', toBlock: 'latest', topics: TOPICS }),
  first: () => 0,
  last: ({ blockNumber }) => blockNumber,

  // Accounts and state
  address: account,
  key: () => '0x0',
  keys: () => WORDS,
  start: () => `0x${'00'.repeat(32)}`,
  maxResults: () => 1_000_000,
  withoutCode: () => false,
  withoutStorage: () => false,
  incompletes: () => true,
  pageNumber: () => 0,
  pageSize: () => 255,
  nonce: () => 0,

  // Calls and traces
  transaction: () => ({ from: honestAddress(), ...CALL }),
  overrides: () => ({ [honestAddress()]: { code: ENDLESS } }),
  blockOverrides: () => ({ gasLimit: '0xffffffffffff', time: '0xffffffff' }),
  simulation,
  options: alternate(
    () => ({ tracer: 'prestateTracer', timeout: '60s' }),
    () => ({ enableMemory: true, timeout: '60s' }),
    () => ({ tracer: '{step:function(){while(1);},fault:function(){},result:function(){}}' }),
  ),
  kind: () => 'public',
  kinds: () => KINDS,

  // Texts, signatures and sends
  data: () => LONG_DATA,
  text: long,
  password: long,
  extra: long,
  typedData: () => nested(2_000),
  timeoutMs: () => 30_000,
  gas: () => '0x35a4e900',
  gasPrice: () => '0x0',

  // Private transactions
  payload: long,
  payloadHash: long,
  privacyGroupId: alternate(() => KEYS[0], long),
  privateFrom: () => KEYS[0],
  privateFor: alternate(
    () => KEYS,
    () => MANY_KEYS,
  ),
  privateData: alternate(
    () => ({ privateFor: KEYS }),
    () => ({ privateFor: MANY_KEYS }),
  ),
  group: () => ({ addresses: KEYS }),
  addresses: alternate(
    () => KEYS,
    () => MANY_KEYS,
  ),
  toExtend: account,
  newRecipientPtmPublicKey: long,
  recipientAddress: account,
  managementContract: account,
  vote: () => true,
  externalSigner: account,

  // Permissioning
  orgId: long,
  parentOrgId: long,
  subOrgId: long,
  enodeId: ({ enode }) => enode,
  ipAddress: long,
  portNum: () => 65_535,
  raftPortNum: () => 65_535,
  acctId: account,
  action: () => 255,
  roleId: long,
  accountAccess: () => 255,
  isVoter: () => true,
  isAdminRole: () => true,

  // Operators
  enode: ({ enode }) => enode,
  provider: long,
  file: long,
  threads: () => 1,
  price: () => '0x0',
  milliseconds: () => 1_000,
  authorize: () => true,
  config: () => ({ secretName: LONG_TEXT }),
  raftId: () => 65_535,

  // Chains for development
  blocks: much,
  interval: much,
  seconds: much,
  timestamp: much,
  snapshot: much,
  gasLimit: much,
  baseFeePerGas: much,
  amount: much,
  flag: () => true,
  state: () => 'public',
  code: () => LONG_DATA,
  slot: () => '0x0',
  value: () => `0x${'ff'.repeat(32)}`,
};

const byImported = { transaction: () => ({ from: imported(), gas: '0x5208', ...CALL }) };
const range: Worst = (_, __, at) => (at === 0 ? '0x0' : 'latest');

/** Where a parameter of one method is not like that of the others with the same name. */
const OF_METHOD: Readonly<Record<string, Readonly<Record<string, Worst>>>> = {
  debug_storageRangeAt: {
    hash: ({ blockHash }) => blockHash,
    index: () => 0,
    address: ({ contract }) => contract,
  },
  debug_traceTransaction: { hash: ({ transaction }) => transaction },
  debug_traceBlockByHash: { hash: ({ blockHash }) => blockHash },
  debug_traceBlock: { data: ({ block }) => block },
  debug_getModifiedAccountsByNumber: { block: range },
  eth_getProof: { address: ({ contract }) => contract },
  eth_sendRawTransaction: { data: queued },
  eth_sendRawTransactionSync: { data: queued, timeoutMs: () => 1_000 },
  eth_sendRawPrivateTransaction: { data: queued },
  eth_sendTransaction: byImported,
  eth_signTransaction: byImported,
  eth_sign: { address: imported },
  eth_signTypedData_v4: { address: imported },
  // A call that runs until its time is over, with as many lines of trace as fit.
  debug_traceCall: { options: () => ({ enableMemory: true, timeout: '60s' }) },
  trace_rawTransaction: { data: queued },
  personal_importRawKey: { key: () => IMPORTED.slice(2) },
  personal_unlockAccount: { address: imported, seconds: () => 1 },
  personal_sendTransaction: byImported,
  personal_signTransaction: byImported,
  personal_sign: { address: imported },
  'plugin@account_importRawKey': { key: () => IMPORTED.slice(2) },
  ots_searchTransactionsBefore: { block: () => 0 },
  ots_searchTransactionsAfter: { block: () => 0 },
};

/** undefined: nobody has said which value of this parameter is the worst. */
export function worstOf(method: string, parameter: string): Worst | undefined {
  return OF_METHOD[method]?.[parameter] ?? WORST[parameter];
}

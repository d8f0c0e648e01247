/** The most expensive value of each parameter of JSON-RPC, by its name in the table of methods. */
import { testSecretKey } from '../../support/genesis-file.ts';
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
  /** Of another node. */
  readonly enode: string;
}

/** `turn` counts the rounds through all methods: where several values are bad, they alternate. */
export type Worst = (scene: Scene, turn: number) => unknown;

const LONG_TEXT = 'a'.repeat(1_000_000);
const LONG_DATA = `0x${'5b'.repeat(1_000_000)}`;
const ENDLESS = loop('');
const CALL = { data: ENDLESS };
const KEYS = Array.from({ length: 20_000 }, () => LONG_TEXT.slice(0, 44));
const WORDS = Array.from({ length: 1000 }, (_, at) => `0x${at.toString(16)}`);
const TOPICS = Array.from({ length: 4 }, (_, at) => {
  return Array.from({ length: 500 }, (__, i) => `0x${(i + at).toString(16).padStart(64, '0')}`);
});
const KINDS = ['trace', 'stateDiff', 'vmTrace'];
const CALLS_A_BLOCK = 40;

const long: Worst = () => LONG_TEXT;
const much: Worst = () => '0xffffffffffffffff';
const alternate =
  (...values: Worst[]): Worst =>
  (scene, turn) =>
    values[turn % values.length]!(scene, turn);
const account = alternate(({ contract }) => contract, honestAddress);

function nested(depth: number): unknown {
  let value: unknown = [];
  for (let i = 0; i < depth; i++) value = [value];
  return value;
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
  typedData: () => nested(5_000),
  timeoutMs: () => 30_000,
  gas: () => '0x35a4e900',
  gasPrice: much,

  // Private transactions
  payload: long,
  payloadHash: long,
  privacyGroupId: long,
  privateFrom: long,
  privateFor: () => KEYS,
  privateData: () => ({ privateFor: KEYS }),
  group: () => ({ addresses: KEYS.slice(0, 10_000) }),
  addresses: () => KEYS,
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

/** Where a parameter of one method is not like that of the others with the same name. */
const OF_METHOD: Readonly<Record<string, Readonly<Record<string, Worst>>>> = {
  debug_storageRangeAt: { index: () => 0, address: ({ contract }) => contract },
  debug_traceTransaction: { hash: ({ transaction }) => transaction },
  debug_traceBlockByHash: { hash: ({ blockHash }) => blockHash },
  eth_getProof: { address: ({ contract }) => contract },
  // A call that runs until its time is over, with as many lines of trace as fit.
  debug_traceCall: { options: () => ({ enableMemory: true, timeout: '60s' }) },
  personal_importRawKey: { key: () => testSecretKey(0x77).slice(2) },
  'plugin@account_importRawKey': { key: () => testSecretKey(0x77).slice(2) },
  ots_searchTransactionsBefore: { block: () => 0 },
  ots_searchTransactionsAfter: { block: () => 0 },
  personal_unlockAccount: { seconds: () => 1 },
};

/** undefined: nobody has said which value of this parameter is the worst. */
export function worstOf(method: string, parameter: string): Worst | undefined {
  return OF_METHOD[method]?.[parameter] ?? WORST[parameter];
}

/**
 * Settings of a new network: each is a flag, or a question when no flag is given
 * (quorum-genesis-tool src/index.ts, src/questions).
 */
import type { OptionRow, ParsedOptions } from '../../io/options/options.ts';

export const CONSENSUS = ['qbft', 'ibft', 'raft'] as const;
export type Consensus = (typeof CONSENSUS)[number];

const CHAIN = 'The chain';
const NODES = 'Nodes and keys';

/** A setting; `question` undefined: it is a flag only. */
export interface Setting extends OptionRow {
  readonly type: 'string' | 'integer' | 'boolean';
  readonly question?: string;
  /** The chains for which the question is asked; absent: all of them. */
  readonly askedFor?: readonly Consensus[];
}

const BFT: readonly Consensus[] = ['qbft', 'ibft'];

/** In the order of the questions. */
export const SETTINGS: readonly Setting[] = [
  {
    flag: 'consensus',
    type: 'string',
    default: 'qbft',
    choices: CONSENSUS,
    anyCase: true,
    about:
      'Who makes blocks: validators (qbft, or ibft as older chains), or the leader of a cluster (raft)',
    group: CHAIN,
  },
  {
    flag: 'chainID',
    type: 'integer',
    default: 1337,
    about: 'Chain id',
    group: CHAIN,
    question: 'Set your chainID value: (integer) Default: 1337',
  },
  {
    flag: 'blockperiod',
    type: 'integer',
    unit: 'seconds',
    default: 5,
    about: 'Time between blocks',
    group: CHAIN,
    question: 'Set your blockperiodseconds value: (integer) Default: 5',
    askedFor: BFT,
  },
  {
    flag: 'blockPeriodMilliseconds',
    type: 'integer',
    unit: 'ms',
    about:
      'QBFT: time between blocks below a second, 50 to 1000, instead of --blockperiod; for networks without GoQuorum members',
    group: CHAIN,
  },
  {
    flag: 'emptyBlockPeriod',
    type: 'integer',
    unit: 'seconds',
    default: 60,
    about: 'QBFT: time between blocks without transactions',
    group: CHAIN,
    question: 'Set your emptyblockperiodseconds value: (integer) Default: 60',
    askedFor: ['qbft'],
  },
  {
    flag: 'requestTimeout',
    type: 'integer',
    unit: 'seconds',
    default: 10,
    about: 'Time until validators abandon a round',
    group: CHAIN,
    question: 'Set your requestTimeoutSeconds value: (integer) Default: 10',
    askedFor: BFT,
  },
  {
    flag: 'requestTimeoutMilliseconds',
    type: 'integer',
    unit: 'ms',
    about: 'Time until validators abandon a round, 100 to 60000, instead of --requestTimeout',
    group: CHAIN,
  },
  {
    flag: 'epochLength',
    type: 'integer',
    unit: 'blocks',
    default: 30_000,
    about: 'Blocks after which votes are reset',
    group: CHAIN,
    question: 'Set your epoch length value: (integer) Default: 30000',
    askedFor: BFT,
  },
  {
    flag: 'difficulty',
    type: 'integer',
    default: 1,
    about: 'Difficulty of the first block; validators need 1',
    group: CHAIN,
    question: 'Set your difficulty: (integer) Default: 1',
  },
  {
    flag: 'gasLimit',
    type: 'string',
    default: '0xFFFF',
    about: "Gas limit of the first block; later ones move towards the nodes' --miner.gaslimit",
    group: CHAIN,
    question: 'Set your gas limit value: (string) Default: 0xFFFF',
  },
  {
    flag: 'coinbase',
    type: 'string',
    default: `0x${'0'.repeat(40)}`,
    about: 'Address of the first block',
    group: CHAIN,
    question: `Set your coinbase address for rewards: (string) Default: 0x${'0'.repeat(40)}`,
  },
  {
    flag: 'maxCodeSize',
    type: 'integer',
    unit: 'KiB',
    default: 64,
    about: 'Longest contract',
    group: CHAIN,
    question: 'Set your max code size value: (integer) Default: 64',
  },
  {
    flag: 'txnSizeLimit',
    type: 'integer',
    unit: 'KiB',
    default: 64,
    about: 'Longest transaction',
    group: CHAIN,
    question: 'Set your transaction size limit value: (integer) Default: 64',
  },
  {
    flag: 'bootnodes',
    type: 'integer',
    default: 2,
    about: 'Boot nodes',
    group: NODES,
    question: 'Choose number of bootnode node keys to generate: (integer) Default: 2',
  },
  {
    flag: 'validators',
    type: 'integer',
    default: 4,
    about: 'Validators; on Raft, members of the cluster',
    group: NODES,
    question: 'Choose number of validator node keys to generate: (integer) Default: 4',
  },
  {
    flag: 'members',
    type: 'integer',
    default: 1,
    about: 'Other nodes',
    group: NODES,
    question: 'Choose number of member node keys to generate: (integer) Default: 1',
  },
  {
    flag: 'tesseraEnabled',
    type: 'boolean',
    takesWord: true,
    default: false,
    about: 'Keys and a configuration of a private transaction manager for each member',
    group: NODES,
    question: 'Use a private transaction manager?: [y/N]',
  },
  {
    flag: 'tesseraPassword',
    type: 'string',
    default: '',
    about: "Encrypts the managers' keys",
    group: NODES,
    question: 'Set the password of its keys: (empty for none)',
  },
  {
    flag: 'accountPassword',
    type: 'string',
    default: '',
    about: 'Password of the accounts',
    group: NODES,
    question: 'Set your account password: (empty for none)',
  },
  {
    flag: 'quickstartDevAccounts',
    type: 'boolean',
    takesWord: true,
    default: false,
    about: 'Funds for three accounts with publicly known keys: for tests',
    group: CHAIN,
    question: 'Include quorum-dev-quickstart test accounts: [y/N]',
  },
  {
    flag: 'genesisNodeAllocation',
    type: 'string',
    unit: 'wei',
    default: '1000000000000000000000000000',
    about: 'Funds of the account of each node',
    group: CHAIN,
    question: 'Balance allocated to each nodes: (default 1000000000000000000000000000)',
    askedFor: ['qbft'],
  },
  {
    flag: 'alloc',
    type: 'string',
    unit: 'JSON',
    default: '{}',
    about: 'Further accounts with funds, such as {"0x…": {"balance": "100000"}}',
    group: CHAIN,
    question:
      "Include JSON format of the prefunded account {'address': { 'balance': '100000'}}: (default {})",
  },
  {
    flag: 'outputPath',
    type: 'string',
    unit: 'folder',
    default: './output',
    about: "Parent folder of the network's folder",
    group: NODES,
    question: 'Set your output path for the artifacts: (default ./output)',
  },
  {
    flag: 'noOutputTimestamp',
    type: 'boolean',
    takesWord: true,
    default: false,
    about: 'Write directly into --outputPath, without a folder named after the time',
    group: NODES,
  },
];

/** The settings, from flags or answers. */
export interface NetworkPlan {
  readonly consensus: Consensus;
  readonly chainId: number;
  readonly blockPeriod: number;
  readonly blockPeriodMs: number | undefined;
  readonly emptyBlockPeriod: number;
  readonly requestTimeout: number;
  readonly requestTimeoutMs: number | undefined;
  readonly epochLength: number;
  readonly difficulty: number;
  readonly gasLimit: string;
  readonly coinbase: string;
  readonly maxCodeSize: number;
  readonly txnSizeLimit: number;
  readonly bootnodes: number;
  readonly validators: number;
  readonly members: number;
  readonly hasManagers: boolean;
  readonly managerPassword: string;
  readonly accountPassword: string;
  readonly hasTestAccounts: boolean;
  readonly nodeFunds: string;
  readonly alloc: string;
}

export function planOf(options: ParsedOptions): NetworkPlan {
  const text = (flag: string) => options.string(flag)!;
  const integer = (flag: string) => options.number(flag)!;
  return {
    consensus: text('consensus') as Consensus,
    chainId: integer('chainID'),
    blockPeriod: integer('blockperiod'),
    blockPeriodMs: options.number('blockPeriodMilliseconds'),
    emptyBlockPeriod: integer('emptyBlockPeriod'),
    requestTimeout: integer('requestTimeout'),
    requestTimeoutMs: options.number('requestTimeoutMilliseconds'),
    epochLength: integer('epochLength'),
    difficulty: integer('difficulty'),
    gasLimit: text('gasLimit'),
    coinbase: text('coinbase'),
    maxCodeSize: integer('maxCodeSize'),
    txnSizeLimit: integer('txnSizeLimit'),
    bootnodes: integer('bootnodes'),
    validators: integer('validators'),
    members: integer('members'),
    hasManagers: options.boolean('tesseraEnabled'),
    managerPassword: text('tesseraPassword'),
    accountPassword: text('accountPassword'),
    hasTestAccounts: options.boolean('quickstartDevAccounts'),
    nodeFunds: text('genesisNodeAllocation'),
    alloc: text('alloc'),
  };
}

/** Requests for comparing two nodes: all reads whose answers depend only on the chain. */
import { toQuantity } from '../../../core/base/hex.ts';
import type { Prng } from '../../../core/base/prng.ts';
import type { RpcCall } from '../../../io/ledger-client/rpc-batch.ts';

/** Number of queried slots of a contract, starting with slot 0. */
const SLOTS = 4;
/** Number of blocks per log query. */
const LOG_SPAN = 20;
/** Number of accounts per list. */
const ACCOUNTS = 4;
const FIRST_ACCOUNT = '';
const FIRST_KEY = '0x00';

type Subject =
  | 'blocks'
  | 'transactions'
  | 'payloads'
  | 'accounts'
  | 'contracts'
  | 'organisations'
  | 'enodes';

interface Question {
  readonly method: string;
  /** Undefined: nothing to query is known yet. */
  params(of: Questions): readonly unknown[] | undefined;
}

function about(
  kind: Subject,
  method: string,
  params: (subject: string, of: Questions) => readonly unknown[],
): Question {
  return {
    method,
    params(of) {
      const subject = of.one(kind);
      return subject === undefined ? undefined : params(subject, of);
    },
  };
}

function atHeight(method: string, ...more: readonly unknown[]): Question {
  return { method, params: (of) => [of.height(), ...more] };
}

/** For methods whose parameter is a block number, which older methods take as a JSON number. */
function atNumber(method: string): Question {
  return { method, params: (of) => [Number(of.height())] };
}

/** For methods whose first parameter is a block hash. */
function atHash(method: string, ...more: readonly unknown[]): Question {
  return about('blocks', method, (hash) => [hash, ...more]);
}

function ofTransaction(method: string, ...more: readonly unknown[]): Question {
  return about('transactions', method, (hash) => [hash, ...more]);
}

const CALLS = { tracer: 'callTracer' };
/** Values for all fields that a node would otherwise fill in. */
const FILLED = { nonce: '0x0', gas: '0x5208', gasPrice: '0x0', value: '0x0' };
const SIGNATURE = `0x${'11'.repeat(64)}1b`;

/** Requests about data that all nodes of a chain have. */
const PUBLIC_QUESTIONS: readonly Question[] = [
  atHeight('eth_getBlockByNumber', true),
  atHash('eth_getBlockByHash', false),
  atHeight('eth_getHeaderByNumber'),
  atHash('eth_getHeaderByHash'),
  atHeight('eth_getBlockTransactionCountByNumber'),
  atHash('eth_getBlockTransactionCountByHash'),
  atHeight('eth_getUncleCountByBlockNumber'),
  atHash('eth_getUncleCountByBlockHash'),
  atHeight('eth_getUncleByBlockNumberAndIndex', '0x0'),
  atHash('eth_getUncleByBlockHashAndIndex', '0x0'),
  atHeight('eth_getTransactionByBlockNumberAndIndex', '0x0'),
  atHash('eth_getTransactionByBlockHashAndIndex', '0x0'),
  atHeight('eth_getRawTransactionByBlockNumberAndIndex', '0x0'),
  atHash('eth_getRawTransactionByBlockHashAndIndex', '0x0'),
  ofTransaction('eth_getTransactionByHash'),
  ofTransaction('eth_getRawTransactionByHash'),
  about('accounts', 'eth_getBalance', (address, of) => [address, of.height()]),
  about('accounts', 'eth_getTransactionCount', (address, of) => [address, of.height()]),
  about('accounts', 'eth_getProof', (address, of) => [address, ['0x0'], of.height()]),
  atHash('web3_sha3'),
  { method: 'personal_ecRecover', params: (of) => [of.height(), SIGNATURE] },
  atHeight('debug_defaultStateRoot'),
  atNumber('debug_getBlockRlp'),
  atNumber('debug_seedHash'),
  atNumber('debug_getModifiedAccountsByNumber'),
  atHash('debug_getModifiedAccountsByHash'),
  atHeight('istanbul_getValidators'),
  atHash('istanbul_getValidatorsAtHash'),
  atHeight('istanbul_getSignersFromBlock'),
  atHash('istanbul_getSignersFromBlockByHash'),
  atHeight('istanbul_getSnapshot'),
  atHash('istanbul_getSnapshotAtHash'),
  {
    method: 'istanbul_status',
    params(of) {
      const { fromBlock, toBlock } = of.span();
      return [fromBlock, toBlock];
    },
  },
  about('organisations', 'quorumPermission_getOrgDetails', (id) => [id]),
  about('accounts', 'quorumPermission_transactionAllowed', (from, of) => [
    { from, to: of.one('contracts') ?? from, ...FILLED },
  ]),
  about('enodes', 'quorumPermission_connectionAllowed', (enode) => {
    const [, id, host, port] = /^enode:\/\/([^@]+)@([^:]+):(\d+)/.exec(enode) ?? [];
    return [id, host, Number(port), 0];
  }),
];

/**
 * Requests whose answers depend on this member, or on private transactions to which it is a party.
 * Not included: eth_createAccessList, at which GoQuorum crashes.
 */
const PARTY_QUESTIONS: readonly Question[] = [
  ofTransaction('eth_getTransactionReceipt'),
  ofTransaction('eth_getPrivateTransactionByHash'),
  ofTransaction('eth_getPrivateTransactionReceipt'),
  about('contracts', 'eth_getCode', (address, of) => [address, of.height()]),
  about('contracts', 'eth_getStorageAt', (address, of) => [address, of.slot(), of.height()]),
  about('contracts', 'eth_storageRoot', (address, of) => [address, of.height()]),
  about('contracts', 'eth_call', (to, of) => [{ to, data: '0x' }, of.height()]),
  about('contracts', 'eth_estimateGas', (to, of) => [{ to, data: '0x' }, of.height()]),
  about('accounts', 'eth_fillTransaction', (from) => [{ from, to: from, ...FILLED }]),
  { method: 'eth_getLogs', params: (of) => [of.span()] },
  about('blocks', 'eth_getLogs', (blockHash) => [{ blockHash }]),
  about('contracts', 'eth_getLogs', (address, of) => [{ ...of.span(), address }]),
  about('payloads', 'eth_getQuorumPayload', (input) => [input]),
  about('payloads', 'eth_getQuorumPayloadExtra', (input) => [input]),
  about('contracts', 'eth_getContractPrivacyMetadata', (address) => [address]),
  about('contracts', 'quorumExtension_getExtensionStatus', (address) => [address]),
  about('contracts', 'debug_dumpAddress', (address, of) => [address, of.height()]),
  about('contracts', 'debug_storageRangeAt', (address, of) => [
    ...[of.one('blocks'), 0, address, FIRST_KEY, SLOTS],
  ]),
  atHeight('debug_accountRange', FIRST_ACCOUNT, ACCOUNTS, true, true, true),
  atHeight('debug_privateStateRoot'),
  ofTransaction('debug_traceTransaction', CALLS),
  atHeight('debug_traceBlockByNumber', CALLS),
  atHash('debug_traceBlockByHash', CALLS),
  about('contracts', 'debug_traceCall', (to, of) => [{ to, data: '0x' }, of.height(), CALLS]),
  atHeight('istanbul_isValidator'),
  about('enodes', 'raft_getRaftId', (enode) => [enode]),
];

/** Requests sent once, because their answers concern the whole chain. */
const PUBLIC_READS = [
  ...['eth_chainId', 'net_version', 'eth_getPrivacyPrecompileAddress', 'eth_gasPrice'],
  ...['quorumPermission_orgList', 'quorumPermission_nodeList'],
  ...['quorumPermission_acctList', 'quorumPermission_roleList'],
  'raft_leader',
];
/** Requests about this member, sent once. */
const PARTY_READS = [
  ...['quorumExtension_activeExtensionContracts', 'eth_getPSI'],
  ...['istanbul_nodeAddress', 'raft_cluster', 'eth_accounts', 'personal_listAccounts'],
];

/** Names of all methods in these requests. */
export const ASKED_METHODS: ReadonlySet<string> = new Set([
  ...[...PUBLIC_QUESTIONS, ...PARTY_QUESTIONS].map(({ method }) => method),
  ...PUBLIC_READS,
  ...PARTY_READS,
]);

/**
 * Generates requests: first for random blocks, then for the transactions, accounts and contracts in
 * the answers.
 */
export class Questions {
  private readonly random: Prng;
  private readonly upTo: number;
  private readonly subjects: Readonly<Record<Subject, SampledSet>> = {
    blocks: new SampledSet(),
    transactions: new SampledSet(),
    payloads: new SampledSet(),
    accounts: new SampledSet(),
    contracts: new SampledSet(),
    organisations: new SampledSet(),
    enodes: new SampledSet(),
  };
  private readonly reads: string[];
  private readonly questions: readonly Question[];
  private turn = 0;

  /** `isPublic`: omits everything that only parties of private transactions know. */
  constructor(random: Prng, upTo: number, isPublic: boolean) {
    this.random = random;
    this.upTo = upTo;
    this.reads = isPublic ? [...PUBLIC_READS] : [...PUBLIC_READS, ...PARTY_READS];
    this.questions = isPublic ? PUBLIC_QUESTIONS : [...PUBLIC_QUESTIONS, ...PARTY_QUESTIONS];
  }

  next(count: number): readonly RpcCall[] {
    return Array.from({ length: count }, () => this.question());
  }

  /** Collects what an answer mentions, for later requests. */
  learn({ method }: RpcCall, result: unknown): void {
    if (typeof result !== 'object' || result === null) return;
    const answer = result as Record<string, unknown>;
    if (method === 'eth_getBlockByNumber') {
      this.keep('blocks', answer.hash);
      this.keep('accounts', answer.miner);
      for (const tx of rowsOf(answer.transactions)) {
        this.keep('transactions', tx.hash);
        this.keep('accounts', tx.from);
        this.keep('contracts', tx.to);
        if (tx.v === '0x25' || tx.v === '0x26') this.keep('payloads', tx.input);
      }
    }
    if (method === 'eth_getTransactionReceipt') this.keep('contracts', answer.contractAddress);
    if (method === 'quorumExtension_activeExtensionContracts')
      for (const row of rowsOf(result)) this.keep('contracts', row.managementContractAddress);
    if (method === 'quorumPermission_orgList')
      for (const row of rowsOf(result)) this.keep('organisations', row.fullOrgId);
    if (method === 'quorumPermission_acctList')
      for (const row of rowsOf(result)) this.keep('accounts', row.acctId);
    if (method === 'quorumPermission_nodeList')
      for (const row of rowsOf(result)) this.keep('enodes', row.url);
    if (method === 'raft_cluster')
      for (const row of rowsOf(result)) this.keep('enodes', enodeOf(row));
  }

  private keep(kind: Subject, value: unknown): void {
    if (typeof value === 'string') this.subjects[kind].add(value);
  }

  private question(): RpcCall {
    const read = this.reads.pop();
    if (read !== undefined) return { method: read, params: [] };
    const kinds = this.questions.length;
    for (let tried = 0; tried < kinds; tried++) {
      const { method, params: of } = this.questions[this.turn++ % kinds]!;
      const params = of(this);
      if (params) return { method, params };
    }
    return { method: 'eth_getBlockByNumber', params: [this.height(), true] };
  }

  height(): string {
    return toQuantity(this.random.below(this.upTo + 1));
  }

  span(): { fromBlock: string; toBlock: string } {
    const from = this.random.below(this.upTo + 1);
    return {
      fromBlock: toQuantity(from),
      toBlock: toQuantity(Math.min(this.upTo, from + LOG_SPAN)),
    };
  }

  slot(): string {
    return toQuantity(this.random.below(SLOTS));
  }

  one(kind: Subject): string | undefined {
    return this.subjects[kind].at(this.random);
  }
}

function rowsOf(result: unknown): readonly Record<string, unknown>[] {
  return Array.isArray(result) ? result.filter((row) => typeof row === 'object' && row) : [];
}

/** Enode of a member of a Raft cluster. */
function enodeOf({ nodeId, hostname, p2pPort, raftPort }: Record<string, unknown>): string {
  return `enode://${nodeId}@${hostname}:${p2pPort}?discport=0&raftport=${raftPort}`;
}

/** A set without duplicates from which a random item can be taken. */
class SampledSet {
  private readonly items: string[] = [];
  private readonly known = new Set<string>();

  add(item: string): void {
    if (this.known.has(item)) return;
    this.known.add(item);
    this.items.push(item);
  }

  at(random: Prng): string | undefined {
    return this.items.length === 0 ? undefined : this.items[random.below(this.items.length)];
  }
}

/** What is asked of two nodes to compare them: every read whose answer follows from the chain. */
import { toQuantity } from '../../../core/base/hex.ts';
import type { Prng } from '../../../core/base/prng.ts';
import type { RpcCall } from '../../../io/ledger-client/rpc-batch.ts';

/** Slots of a contract that are asked for, from 0 on. */
const SLOTS = 4;
/** Blocks that a question about logs spans. */
const LOG_SPAN = 20;

type Question = (of: Questions) => RpcCall | undefined;

function about(
  kind: Parameters<Questions['one']>[0],
  method: string,
  params: (subject: string, of: Questions) => readonly unknown[],
): Question {
  return (of) => {
    const subject = of.one(kind);
    return subject === undefined ? undefined : { method, params: params(subject, of) };
  };
}

function atHeight(method: string, ...more: readonly unknown[]): Question {
  return (of) => ({ method, params: [of.height(), ...more] });
}

const QUESTIONS: readonly Question[] = [
  atHeight('eth_getBlockByNumber', true),
  about('blocks', 'eth_getBlockByHash', (hash) => [hash, false]),
  atHeight('eth_getBlockTransactionCountByNumber'),
  atHeight('eth_getTransactionByBlockNumberAndIndex', '0x0'),
  about('blocks', 'eth_getBlockTransactionCountByHash', (hash) => [hash]),
  about('transactions', 'eth_getTransactionByHash', (hash) => [hash]),
  about('transactions', 'eth_getTransactionReceipt', (hash) => [hash]),
  about('transactions', 'eth_getRawTransactionByHash', (hash) => [hash]),
  about('accounts', 'eth_getBalance', (address, of) => [address, of.height()]),
  about('accounts', 'eth_getTransactionCount', (address, of) => [address, of.height()]),
  about('contracts', 'eth_getCode', (address, of) => [address, of.height()]),
  about('contracts', 'eth_getStorageAt', (address, of) => [address, of.slot(), of.height()]),
  about('contracts', 'eth_call', (to, of) => [{ to, data: '0x' }, of.height()]),
  (of) => ({ method: 'eth_getLogs', params: [of.span()] }),
  about('contracts', 'eth_getLogs', (address, of) => [{ ...of.span(), address }]),
  about('payloads', 'eth_getQuorumPayload', (input) => [input]),
  about('contracts', 'eth_getContractPrivacyMetadata', (address) => [address]),
  atHeight('debug_privateStateRoot'),
  atHeight('istanbul_getValidators'),
  atHeight('istanbul_getSignersFromBlock'),
  about('transactions', 'debug_traceTransaction', (hash) => [hash, { tracer: 'callTracer' }]),
];

/**
 * Blocks at random first; then the transactions, accounts and contracts that their answers name.
 */
export class Questions {
  private readonly random: Prng;
  private readonly upTo: number;
  private readonly blocks = new SampledSet();
  private readonly transactions = new SampledSet();
  private readonly payloads = new SampledSet();
  private readonly accounts = new SampledSet();
  private readonly contracts = new SampledSet();
  private turn = 0;

  constructor(random: Prng, upTo: number) {
    this.random = random;
    this.upTo = upTo;
  }

  next(count: number): readonly RpcCall[] {
    return Array.from({ length: count }, () => this.question());
  }

  /** What an answer names is asked about later. */
  learn({ method }: RpcCall, result: unknown): void {
    if (typeof result !== 'object' || result === null) return;
    const answer = result as Record<string, unknown>;
    if (method === 'eth_getBlockByNumber') {
      this.keep(this.blocks, answer.hash);
      this.keep(this.accounts, answer.miner);
      for (const tx of (answer.transactions as Record<string, unknown>[] | undefined) ?? []) {
        this.keep(this.transactions, tx.hash);
        this.keep(this.accounts, tx.from);
        this.keep(this.contracts, tx.to);
        if (tx.v === '0x25' || tx.v === '0x26') this.keep(this.payloads, tx.input);
      }
    }
    if (method === 'eth_getTransactionReceipt') this.keep(this.contracts, answer.contractAddress);
  }

  private keep(list: SampledSet, value: unknown): void {
    if (typeof value === 'string') list.add(value);
  }

  private question(): RpcCall {
    const kinds = QUESTIONS.length;
    for (let tried = 0; tried < kinds; tried++) {
      const call = QUESTIONS[this.turn++ % kinds]!(this);
      if (call) return call;
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

  one(kind: 'blocks' | 'transactions' | 'payloads' | 'accounts' | 'contracts'): string | undefined {
    return this[kind].at(this.random);
  }
}

/** What was named, each once, and one of it at random. */
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

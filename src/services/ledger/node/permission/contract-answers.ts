/**
 * Answers of the version 2 contracts about transactions, for cases in which the records in memory
 * do not apply: on a state other than the head's, in the middle of a block, and with an
 * implementation whose rules this node does not know.
 */
import { type Address, keyOf } from '../../../../core/base/bytes.ts';
import { hasCode } from '../../../../core/base/errors.ts';
import type { Transaction } from '../../../../core/chain/transaction.ts';
import type { RunningState } from '../../../../core/execution/block-job.ts';
import { AbiValues, callOf } from '../../../../core/permission/abi.ts';
import type { ContractCall } from '../../../../core/permission/contracts.ts';
import { kindOf, type PermissionTerms } from '../../../../core/permission/rules.ts';
import type { StateReader } from '../../../../core/state/reader.ts';

const CALL = {
  isBooted: callOf('getNetworkBootStatus()'),
  implementation: callOf('getPermissionsImpl()'),
  allowed: callOf('transactionAllowed(address,address,uint256,uint256,uint256,bytes)'),
};
const NOBODY = new Uint8Array(20);
/**
 * Maximum number of cached accounts and kinds of transactions, because any client or peer can cause
 * such a query.
 */
const ANSWERS_MAX = 30_000;

export type Question = Pick<Transaction, 'sender' | 'to' | 'data'> &
  Partial<Pick<Transaction, 'value' | 'gasPrice' | 'gasLimit'>>;

/** Answers on one state. Each account and kind of transaction is queried once. */
export class ContractAnswers {
  private readonly call: ContractCall;
  private readonly door: Address;
  private readonly terms: PermissionTerms;
  private readonly known = new Map<string, boolean>();
  private isBooted: boolean | undefined;

  /** `door`: the contract that accounts call. */
  constructor(call: ContractCall, door: Address, terms: PermissionTerms) {
    this.call = call;
    this.door = door;
    this.terms = terms;
  }

  /** Before the network is booted, everything is allowed. */
  allows(question: Question): boolean {
    this.isBooted ??= this.says(CALL.isBooted());
    if (!this.isBooted) return true;
    const key = `${keyOf(question.sender)} ${kindOf(this.terms, question)}`;
    let answer = this.known.get(key);
    if (answer === undefined) {
      answer = this.ask(question);
      if (this.known.size >= ANSWERS_MAX) this.known.clear();
      this.known.set(key, answer);
    }
    return answer;
  }

  /** The contract that implements the rules; undefined before there is one. */
  implementation(): Address | undefined {
    const output = this.output(CALL.implementation());
    return output && new AbiValues(output).address(0);
  }

  private ask({ sender, to, value, gasPrice, gasLimit, data }: Question): boolean {
    const payload = data.length > 0 ? '\0' : '';
    const terms = [value ?? 0n, gasPrice ?? 0n, gasLimit ?? 0n] as const;
    return this.says(CALL.allowed(sender, to ?? NOBODY, ...terms, payload));
  }

  private says(data: Uint8Array): boolean {
    const output = this.output(data);
    return output !== undefined && new AbiValues(output).flag(0);
  }

  private output(data: Uint8Array): Uint8Array | undefined {
    try {
      return this.call(this.door, data);
    } catch (error) {
      if (hasCode(error, 'EXECUTION_REVERTED') || hasCode(error, 'EXECUTION_FAILED'))
        return undefined;
      throw error;
    }
  }
}

/**
 * Answers after the transactions that are in a block so far, once one of them has changed the
 * contracts.
 */
export class MidBlock {
  private readonly answersOn: (reader: StateReader) => ContractAnswers;
  private readonly watched: string[];
  private writes = 0;
  private answers: ContractAnswers | undefined;

  /**
   * `watched`: contracts whose changes matter. They are compared by storage writes, because not all
   * changes emit an event.
   */
  constructor(answersOn: (reader: StateReader) => ContractAnswers, watched: readonly Address[]) {
    this.answersOn = answersOn;
    this.watched = watched.map(keyOf);
  }

  allows(question: Question, running: RunningState): boolean {
    if (running.storageWrites(this.watched) !== this.writes) {
      this.answers = this.answersOn(running.reader());
      this.watch(this.answers.implementation());
      this.writes = running.storageWrites(this.watched);
    }
    return this.answers?.allows(question) ?? true;
  }

  /** Also watches a new implementation, which has its own storage. */
  private watch(implementation: Address | undefined): void {
    if (!implementation) return;
    const key = keyOf(implementation);
    if (!this.watched.includes(key)) this.watched.push(key);
  }
}

/**
 * Sends a private transaction to its parties (GoQuorum internal/ethapi/api.go): checks, simulation,
 * distribution. Whatever can be refused is refused before a payload leaves this node.
 */
import type { Address } from '../../../../core/base/bytes.ts';
import { equalBytes } from '../../../../core/base/bytes.ts';
import { fail } from '../../../../core/base/errors.ts';
import { EMPTY_CODE_HASH } from '../../../../core/base/keccak.ts';
import type { Rules } from '../../../../core/chain/rules.ts';
import type { Transaction, TransactionBody } from '../../../../core/chain/transaction.ts';
import {
  type PrivateFindings,
  simulatePrivate,
} from '../../../../core/execution/simulate-private.ts';
import { STANDARD_PRIVATE } from '../../../../core/privacy/flags.ts';
import type { PrivacyFlag, Psi } from '../../../../core/privacy/inputs.ts';
import type { Manager } from '../../../../core/privacy/manager-port.ts';
import { innerToJson, type PayloadHash, payloadHashOf } from '../../../../core/privacy/marker.ts';
import type { Chain } from '../chain/chain.ts';
import type { PrivateFollower } from '../private-state/private-follower.ts';
import { checkPrivateArgs } from './private-checks.ts';
import type { PrivateArgs } from './send-args.ts';

type Draft = Pick<TransactionBody, 'to' | 'nonce' | 'gasLimit' | 'gasPrice' | 'value'>;

export interface PrivateSenderParts {
  readonly chain: Chain;
  readonly manager: Manager;
  readonly follower: PrivateFollower | undefined;
  /** The private state in which transactions are sent. */
  readonly psi: Psi;
  /** Manager keys that may send; undefined: all of the manager's. */
  readonly members: readonly string[] | undefined;
}

export class PrivateSender {
  private readonly chain: Chain;
  private readonly manager: Manager;
  private readonly follower: PrivateFollower | undefined;
  private readonly psi: Psi;
  private readonly members: readonly string[] | undefined;

  constructor(parts: PrivateSenderParts) {
    this.chain = parts.chain;
    this.manager = parts.manager;
    this.follower = parts.follower;
    this.psi = parts.psi;
    this.members = parts.members;
  }

  /** Rules of the next block. */
  rules(): Rules {
    const { header, number } = this.chain.head();
    return this.chain.rulesOf({ number: number + 1, timestamp: header.timestamp });
  }

  check(args: PrivateArgs): PrivacyFlag {
    const flag = checkPrivateArgs(args, this.rules());
    const { members, psi } = this;
    const from = this.fromOf(args);
    if (members && !(from !== undefined && members.includes(from))) {
      throw fail(
        'PRIVACY_PSI',
        `The PrivateFrom (${from ?? ''}) address does not match the specified private state (${psi}) `,
      );
    }
    return flag;
  }

  /** The sender's key; if the caller names none, the first member's. */
  private fromOf({ privateFrom }: PrivateArgs): string | undefined {
    return privateFrom ?? this.members?.[0];
  }

  /** Simulates and distributes `payload`; resolves with the hash that replaces it. */
  async distribute(
    draft: Draft,
    payload: Uint8Array,
    from: Address,
    args: PrivateArgs,
  ): Promise<PayloadHash> {
    const flag = this.check(args);
    const findings = await this.simulate(draft, payload, from, flag);
    const { hash } = await this.manager.send({
      ...findings,
      payload,
      from: this.fromOf(args),
      to: args.privateFor,
      flag,
      mandatory: args.mandatoryFor,
    });
    return hash;
  }

  /**
   * Distributes a transaction that was signed outside this node, with a payload stored by
   * `storeraw`.
   */
  async distributeSigned(transaction: Transaction, args: PrivateArgs): Promise<void> {
    const hash = payloadHashOf(transaction.data);
    const raw = this.members && (await this.manager.receiveRaw(hash));
    const flag = this.check(this.asStored(args, raw?.senderKey));
    if (transaction.data.length === 0) return;
    const stored = raw ?? (await this.manager.receiveRaw(hash));
    const findings = await this.simulate(
      transaction,
      stored?.payload ?? new Uint8Array(0),
      transaction.sender,
      flag,
    );
    await this.manager.sendSigned({
      ...findings,
      hash,
      to: args.privateFor,
      flag,
      mandatory: args.mandatoryFor,
    });
  }

  /**
   * With several private states, the sender of the stored payload counts, and must match (GoQuorum
   * internal/ethapi/api.go).
   */
  private asStored(args: PrivateArgs, senderKey: string | undefined): PrivateArgs {
    if (!this.members || senderKey === undefined) return args;
    if (args.privateFrom !== undefined && args.privateFrom !== senderKey) {
      throw fail(
        'PRIVACY_PSI',
        `The PrivateFrom address retrieved from the privacy manager does not match private PrivateFrom (${args.privateFrom}) specified in transaction arguments.`,
      );
    }
    if (!this.members.includes(senderKey)) {
      throw fail(
        'PRIVACY_PSI',
        `The PrivateFrom address does not match the specified private state (${this.psi})`,
      );
    }
    return { ...args, privateFrom: senderKey };
  }

  /**
   * Distributes a signed private transaction as the payload of a marker; resolves with that
   * payload's hash.
   */
  async distributeInner(inner: Transaction, args: PrivateArgs): Promise<PayloadHash> {
    const { hash } = await this.manager.send({
      payload: innerToJson(inner),
      from: this.fromOf(args),
      to: args.privateFor,
      flag: STANDARD_PRIVATE,
      affected: [],
      execHash: undefined,
      mandatory: undefined,
    });
    return hash;
  }

  storeRaw(payload: Uint8Array, args: PrivateArgs): Promise<PayloadHash> {
    this.check(args);
    return this.manager.storeRaw(payload, this.fromOf(args));
  }

  private async simulate(
    draft: Draft,
    payload: Uint8Array,
    from: Address,
    flag: PrivacyFlag,
  ): Promise<PrivateFindings> {
    if (!this.rules().isPrivacyEnhancements || !this.follower)
      return { affected: [], execHash: undefined };
    const privateBase = await this.follower.headBase(this.psi);
    const rules = this.rules();
    const publicBase = this.chain.base();
    const reads = (reader: typeof publicBase.reader) => draft.to && reader.account(draft.to);
    const account = reads(privateBase.reader) ?? reads(publicBase.reader);
    const hasCode = account && !equalBytes(account.codeHash, EMPTY_CODE_HASH);
    if (flag !== STANDARD_PRIVATE && draft.to && !hasCode) {
      throw fail('PRIVACY_NO_CONTRACT', 'contract not found. cannot transact');
    }
    const { header } = this.chain.head();
    const { to, nonce, gasLimit, gasPrice, value } = draft;
    const site = { rules, header, hashes: this.chain.hashes, publicBase, privateBase };
    const whole = { from, to, nonce, gasLimit, gasPrice, value, payload, flag };
    return this.chain.inSlices((pace) => simulatePrivate(whole, { ...site, pace }));
  }
}

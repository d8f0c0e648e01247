/**
 * The way of a private transaction to its parties (privacy dossier §2.3, §4.2): rules, simulation, distribution. Everything that
 * can be refused is refused before a payload leaves this node.
 */
import type { Address } from '../../../core/base/bytes.ts';
import { equalBytes } from '../../../core/base/bytes.ts';
import { fail } from '../../../core/base/errors.ts';
import { EMPTY_CODE_HASH } from '../../../core/base/keccak.ts';
import type { Rules } from '../../../core/chain/rules.ts';
import type { Transaction, TransactionBody } from '../../../core/chain/transaction.ts';
import { type PrivateFindings, simulatePrivate } from '../../../core/execution/simulate-private.ts';
import type { Manager } from '../../../core/ports.ts';
import { STANDARD_PRIVATE } from '../../../core/privacy/flags.ts';
import type { PayloadHash, PrivacyFlag } from '../../../core/privacy/inputs.ts';
import { innerToJson, payloadHashOf } from '../../../core/privacy/marker.ts';
import type { Chain } from './chain.ts';
import { checkPrivateArgs } from './private-checks.ts';
import type { PrivateFollower } from './private-follower.ts';
import type { PrivateArgs } from './send-desk.ts';

type Draft = Pick<TransactionBody, 'to' | 'nonce' | 'gasLimit' | 'gasPrice' | 'value'>;

export class PrivateSender {
  private readonly chain: Chain;
  private readonly manager: Manager;
  private readonly follower: PrivateFollower | undefined;

  constructor(parts: { chain: Chain; manager: Manager; follower: PrivateFollower | undefined }) {
    this.chain = parts.chain;
    this.manager = parts.manager;
    this.follower = parts.follower;
  }

  /** Of the block that comes next. */
  rules(): Rules {
    const { header, number } = this.chain.head();
    return this.chain.rulesOf({ number: number + 1, timestamp: header.timestamp });
  }

  check(args: PrivateArgs): PrivacyFlag {
    return checkPrivateArgs(args, this.rules());
  }

  /** Simulates and distributes `payload`; resolves with the hash that takes its place. */
  async distribute(
    draft: Draft,
    payload: Uint8Array,
    from: Address,
    args: PrivateArgs,
  ): Promise<PayloadHash> {
    const flag = this.check(args);
    const findings = this.simulate(draft, payload, from, flag);
    const { hash } = await this.manager.send({
      ...findings,
      payload,
      from: args.privateFrom,
      to: args.privateFor,
      flag,
      mandatory: args.mandatoryFor,
    });
    return hash;
  }

  /** A transaction that was signed elsewhere over a payload stored by `storeraw`. */
  async distributeSigned(transaction: Transaction, args: PrivateArgs): Promise<void> {
    const flag = this.check(args);
    if (transaction.data.length === 0) return;
    const hash = payloadHashOf(transaction.data);
    const raw = await this.manager.receiveRaw(hash);
    const findings = this.simulate(
      transaction,
      raw?.payload ?? new Uint8Array(0),
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

  /** Distributes a signed private transaction as the payload of a marker; resolves with that payload's hash. */
  async distributeInner(inner: Transaction, args: PrivateArgs): Promise<PayloadHash> {
    const { hash } = await this.manager.send({
      payload: innerToJson(inner),
      from: args.privateFrom,
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
    return this.manager.storeRaw(payload, args.privateFrom);
  }

  mandatory(hash: PayloadHash): Promise<readonly string[]> {
    return this.manager.mandatory(hash);
  }

  private simulate(
    draft: Draft,
    payload: Uint8Array,
    from: Address,
    flag: PrivacyFlag,
  ): PrivateFindings {
    const rules = this.rules();
    if (!rules.isPrivacyEnhancements || !this.follower)
      return { affected: [], execHash: undefined };
    const privateBase = this.follower.headBase();
    const publicBase = this.chain.base();
    const reads = (reader: typeof publicBase.reader) => draft.to && reader.account(draft.to);
    const account = reads(privateBase.reader) ?? reads(publicBase.reader);
    const hasCode = account && !equalBytes(account.codeHash, EMPTY_CODE_HASH);
    if (flag !== STANDARD_PRIVATE && draft.to && !hasCode) {
      throw fail('PRIVACY_NO_CONTRACT', 'contract not found. cannot transact');
    }
    const { header } = this.chain.head();
    const { to, nonce, gasLimit, gasPrice, value } = draft;
    return simulatePrivate(
      { from, to, nonce, gasLimit, gasPrice, value, payload, flag },
      { rules, header, hashes: this.chain.hashes, publicBase, privateBase },
    );
  }
}

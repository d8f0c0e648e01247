/**
 * Sends transactions from this node's accounts and for its clients: defaults, signing, and private
 * transactions (GoQuorum internal/ethapi/api.go). A payload is sent to other parties only after the
 * account has shown that it can sign.
 */
import type { Address, Hash32 } from '../../../../core/base/bytes.ts';
import { EMPTY_BYTES, equalBytes } from '../../../../core/base/bytes.ts';
import { fail } from '../../../../core/base/errors.ts';
import { bytesToBigInt } from '../../../../core/base/quantity.ts';
import { intrinsicGas } from '../../../../core/chain/intrinsic-gas.ts';
import {
  checkSigner,
  completeBody,
  markPrivate,
  withSignature,
} from '../../../../core/chain/signing.ts';
import {
  signingHashOf,
  type Transaction,
  type TransactionBody,
  transactionFrom,
} from '../../../../core/chain/transaction.ts';
import {
  PAYLOAD_HASH_BYTES,
  type PayloadHash,
  PRIVACY_PRECOMPILE,
} from '../../../../core/privacy/marker.ts';
import type { TransactionPool } from '../../../../core/txpool/pool.ts';
import type { Chain } from '../chain/chain.ts';
import type { Accounts } from './accounts.ts';
import type { GasPriceOracle } from './gas-price.ts';
import { NonceLock } from './nonce-lock.ts';
import type { PrivateSender } from './private-sender.ts';
import type { PrivateArgs, TransactionArgs } from './send-args.ts';
import { checkFeeCap, type FeeTerms, feesOf, withPossibleFees } from './send-fees.ts';
import type { TransactionSubmitter } from './submitter.ts';
import type { TransactionIntake } from './transaction-intake.ts';

export interface SenderParts {
  readonly chain: Chain;
  readonly pool: TransactionPool;
  readonly intake: TransactionIntake;
  readonly accounts: Accounts;
  readonly private: PrivateSender;
  /** Shared by all senders of the node's accounts. */
  readonly nonces?: NonceLock;
  /** Whether this node's private transactions are sent inside markers. */
  readonly isMarking: boolean;
  /** Gas that a transaction would use on the head; throws as eth_estimateGas does. */
  estimateGas(args: TransactionArgs): Promise<bigint>;
  /** A higher fee is refused; 0n: there is no cap. */
  readonly feeCapWei: bigint;
  readonly gasPrices: Pick<GasPriceOracle, 'suggest'>;
  /** Whether transactions without replay protection are accepted over RPC. */
  readonly allowsUnprotected: boolean;
}

export class Sender implements TransactionSubmitter {
  private readonly parts: SenderParts;
  private readonly nonces: NonceLock;

  constructor(parts: SenderParts) {
    this.parts = parts;
    this.nonces = parts.nonces ?? new NonceLock();
  }

  /**
   * Nonces follow the order of the calls; an account is locked until its transaction is in the
   * pool, not until it is durable.
   */
  async send(args: TransactionArgs, password?: string): Promise<Hash32> {
    const from = this.ownAccount(args);
    if (args.private) checkPrivateValue(args.value);
    const distributed = this.mayDistributeAhead(args)
      ? this.distributeAhead(args, args.private, from, password)
      : undefined;
    // A failure is reported later, when it is this call's turn.
    distributed?.catch(() => undefined);
    const work = async () => {
      const transaction = distributed
        ? await this.signBody(
            from,
            { ...(await distributed), nonce: this.parts.pool.nonceOf(from) },
            true,
            password,
          )
        : await this.outgoing(args, from, password);
      return { submitted: this.admit(transaction) };
    };
    const { submitted } = await (args.nonce === undefined ? this.nonces.run(from, work) : work());
    return submitted;
  }

  async fill(args: TransactionArgs): Promise<Transaction> {
    const body = await this.withDefaults(args, args.from);
    if (!args.private) return transactionFrom({ ...body, v: 0n, r: 0n, s: 0n });
    const { data } = body;
    const stored = data.length > 0 && (await this.parts.private.storeRaw(data, args.private));
    return markPrivate(transactionFrom({ ...body, data: stored || data, v: 0n, r: 0n, s: 0n }));
  }

  async signTransaction(args: TransactionArgs, password?: string): Promise<Transaction> {
    if (args.gas === undefined) throw fail('SEND_ARGS', 'gas not specified');
    if (args.gasPrice === undefined && args.maxFeePerGas === undefined)
      throw fail('SEND_ARGS', 'gasPrice not specified');
    if (args.nonce === undefined) throw fail('SEND_ARGS', 'nonce not specified');
    const from = this.ownAccount(args);
    const body = await this.withDefaults(args, from);
    checkFeeCap(body, this.parts.feeCapWei);
    const signed = await this.signBody(from, body, args.private !== undefined, password);
    if (!args.private || isStored(body.data)) return signed;
    const data = await this.parts.private.storeRaw(body.data, args.private);
    return this.signBody(from, { ...body, data }, true, password);
  }

  async resend(args: TransactionArgs): Promise<Hash32> {
    return this.admit(await this.signTransaction(args));
  }

  async submitPrivate(transaction: Transaction, args: PrivateArgs | undefined): Promise<Hash32> {
    if (!args) throw fail('SEND_NOT_PRIVATE', 'transaction is not private');
    if (transaction.type !== 0) {
      throw fail(
        'TX_TYPE_NOT_SUPPORTED',
        'transaction type not supported: a private transaction is legacy, signed without chain id',
      );
    }
    if (transaction.isPrivate) checkPrivateValue(transaction.value);
    await this.parts.intake.ready(transaction);
    this.checkSubmission(transaction);
    this.parts.intake.checkPermission(transaction);
    await this.parts.private.distributeSigned(transaction, args);
    return this.admit(transaction);
  }

  async distribute(transaction: Transaction, args: PrivateArgs | undefined): Promise<PayloadHash> {
    if (!args || !transaction.isPrivate)
      throw fail('SEND_NOT_PRIVATE', 'transaction is not private');
    this.parts.intake.checkPermission(transaction);
    await this.parts.private.distributeSigned(transaction, args);
    return this.parts.private.distributeInner(transaction, args);
  }

  private ownAccount(args: TransactionArgs): Address {
    const from = args.from;
    const { accounts } = this.parts;
    const isOwn =
      from &&
      (accounts.isImpersonated?.(from) ||
        accounts.addresses().some((address) => equalBytes(address, from)));
    if (!isOwn) throw fail('ACCOUNT_UNKNOWN', 'unknown account');
    return from;
  }

  /**
   * Fills in defaults (geth's setDefaults). Private transactions are legacy and have no chain id.
   */
  private async withDefaults(
    given: TransactionArgs,
    from: Address | undefined,
  ): Promise<TransactionBody> {
    const { chain, pool } = this.parts;
    const terms = this.feeTerms();
    const args = withPossibleFees(given, terms);
    if (args.data && args.input && !equalBytes(args.data, args.input)) {
      throw fail(
        'SEND_ARGS',
        'both "data" and "input" are set and not equal. Please use "input" to pass transaction call data',
      );
    }
    const data = args.input ?? args.data ?? EMPTY_BYTES;
    if (!args.to && data.length === 0)
      throw fail('SEND_ARGS', 'contract creation without any data provided');
    const value = args.value ?? 0n;
    // If the value is given, the estimate includes the hash of a private payload.
    const gas = args.gas ?? (await this.parts.estimateGas({ ...args, value }));
    return completeBody({
      ...feesOf(args, terms),
      chainId: args.private ? undefined : (args.chainId ?? chain.config.chainId),
      nonce: args.nonce ?? (from ? pool.nonceOf(from) : 0n),
      gasLimit: gas,
      to: args.to,
      value,
      data,
      accessList: args.accessList ?? [],
    });
  }

  private feeTerms(): FeeTerms {
    return {
      rules: this.parts.private.rules(),
      baseFeePerGas: this.parts.chain.head().header.baseFeePerGas ?? 0n,
      suggested: () => this.parts.gasPrices.suggest(),
    };
  }

  /**
   * Distributing a payload takes long. Payloads of one account are distributed in parallel, unless
   * they depend on the nonce, as a new contract's address and a marker's content do.
   */
  private mayDistributeAhead(
    args: TransactionArgs,
  ): args is TransactionArgs & { readonly private: PrivateArgs } {
    const hasData = ((args.input ?? args.data)?.length ?? 0) > 0;
    const isCall = args.private !== undefined && args.to !== undefined && hasData;
    return isCall && args.nonce === undefined && !this.parts.isMarking;
  }

  /** The transaction's body with the payload replaced by its hash; its nonce is provisional. */
  private async distributeAhead(
    args: TransactionArgs,
    privateArgs: PrivateArgs,
    from: Address,
    password: string | undefined,
  ): Promise<TransactionBody> {
    const body = await this.withDefaults(args, from);
    await this.prove(from, body, password);
    const data = await this.parts.private.distribute(body, body.data, from, privateArgs);
    return { ...body, data };
  }

  /**
   * The signed transaction for a call of eth_sendTransaction; a private payload has already been
   * sent to its recipients.
   */
  private async outgoing(
    args: TransactionArgs,
    from: Address,
    password: string | undefined,
  ): Promise<Transaction> {
    const body = await this.withDefaults(args, from);
    if (!args.private) return this.signBody(from, body, false, password);
    const sender = this.parts.private;
    if (body.data.length === 0) return this.signBody(from, body, true, password);
    await this.prove(from, body, password);
    const data = await sender.distribute(body, body.data, from, args.private);
    const inner = await this.signBody(from, { ...body, data }, true, password);
    if (!this.parts.isMarking) return inner;
    const marker = this.markerOf(inner, await sender.distributeInner(inner, args.private));
    return this.signBody(from, marker, false, password);
  }

  private markerOf(inner: Transaction, data: PayloadHash): TransactionBody {
    const { nonce, value, gasPrice } = inner;
    const to = PRIVACY_PRECOMPILE;
    const gasLimit = BigInt(intrinsicGas({ to, data, accessList: [] }, this.parts.private.rules()));
    return completeBody({
      nonce,
      value,
      gasPrice,
      to,
      data,
      gasLimit,
      chainId: this.parts.chain.config.chainId,
    });
  }

  /**
   * Checks, before anything is sent, that the account may send this transaction and can sign it.
   */
  private async prove(from: Address, body: TransactionBody, password?: string): Promise<void> {
    this.parts.intake.checkPermission({ sender: from, to: body.to, data: body.data });
    if (this.parts.accounts.isElsewhere?.(from)) return;
    await this.signBody(from, body, true, password);
  }

  private async signBody(
    from: Address,
    body: TransactionBody,
    isPrivate: boolean,
    password: string | undefined,
  ): Promise<Transaction> {
    const { accounts } = this.parts;
    const unsigned = isPrivate ? { ...body, chainId: undefined } : body;
    const hash = signingHashOf(unsigned);
    const signature =
      password === undefined
        ? await accounts.sign(from, hash, { kind: 'transaction', body: unsigned, isPrivate })
        : await accounts.signWithPassword(from, hash, password);
    const dialect = accounts.isImpersonated?.(from) ? 'development' : undefined;
    return withSignature(unsigned, partsOf(signature), { isPrivate, dialect });
  }

  async submit(transaction: Transaction): Promise<Hash32> {
    const ready = this.parts.intake.ready(transaction);
    if (ready) await ready;
    return this.admit(transaction);
  }

  private async admit(transaction: Transaction): Promise<Hash32> {
    this.checkSubmission(transaction);
    return this.parts.intake.submit(transaction);
  }

  private checkSubmission(transaction: Transaction): void {
    checkFeeCap(transaction, this.parts.feeCapWei);
    checkSigner(transaction, this.parts.private.rules());
    const isProtected =
      transaction.isPrivate || transaction.type !== 0 || transaction.chainId !== undefined;
    if (!isProtected && !this.parts.allowsUnprotected) {
      throw fail(
        'SEND_UNPROTECTED',
        'only replay-protected (EIP-155) transactions allowed over RPC',
      );
    }
  }
}

/** Throws before the payload is sent; filling in and signing are allowed with a value. */
function checkPrivateValue(value: bigint | undefined): void {
  if (value === undefined || value === 0n) return;
  throw fail('SEND_PRIVATE_VALUE', 'ether value is not supported for private transactions');
}

/** Whether `data` is empty, or has the length of the hash of a stored payload. */
function isStored(data: Uint8Array): boolean {
  return data.length === 0 || data.length === PAYLOAD_HASH_BYTES;
}

function partsOf(signature65: Uint8Array): { parity: 0 | 1; r: bigint; s: bigint } {
  return {
    parity: signature65[64] === 1 ? 1 : 0,
    r: bytesToBigInt(signature65.subarray(0, 32)),
    s: bytesToBigInt(signature65.subarray(32, 64)),
  };
}

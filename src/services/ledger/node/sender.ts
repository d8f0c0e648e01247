/**
 * Sending from this node's accounts and for its clients: defaults, signing, and the way of a private transaction (privacy
 * dossier §2.3-2.6). A payload leaves for other parties only after the account has proven that it can sign.
 */
import type { Address, Hash32 } from '../../../core/base/bytes.ts';
import { EMPTY_BYTES, equalBytes } from '../../../core/base/bytes.ts';
import { fail } from '../../../core/base/errors.ts';
import { bytesToBigInt } from '../../../core/base/quantity.ts';
import type { Rules } from '../../../core/chain/rules.ts';
import { completeBody, markPrivate, withSignature } from '../../../core/chain/signing.ts';
import {
  decodeTransaction,
  signingHashOf,
  type Transaction,
  type TransactionBody,
  transactionFrom,
} from '../../../core/chain/transaction.ts';
import type { Manager } from '../../../core/ports.ts';
import type { PayloadHash, PrivacyFlag } from '../../../core/privacy/inputs.ts';
import { payloadHashOf } from '../../../core/privacy/marker.ts';
import type { TransactionPool } from '../../../core/txpool/pool.ts';
import type { Accounts } from './accounts.ts';
import type { Chain } from './chain.ts';
import { NonceLock } from './nonce-lock.ts';
import type { PayloadCache } from './payload-cache.ts';
import { checkPrivateArgs } from './private-checks.ts';
import type {
  PoolContent,
  PrivateArgs,
  PrivatePayload,
  SendDesk,
  TransactionArgs,
} from './send-desk.ts';
import type { TransactionDoor } from './transaction-door.ts';

const WEI_PER_ETHER = 10n ** 18n;

export interface SenderParts {
  readonly chain: Chain;
  readonly pool: TransactionPool;
  readonly door: TransactionDoor;
  readonly accounts: Accounts;
  readonly manager: Manager;
  readonly payloads: PayloadCache | undefined;
  /** Gas that a transaction would take on the head; throws as eth_estimateGas does. */
  estimateGas(args: TransactionArgs): bigint;
  /** A fee above it is refused; 0n: no cap. */
  readonly feeCapWei: bigint;
  /** Whether transactions without replay protection may come in over RPC. */
  readonly allowsUnprotected: boolean;
}

export class Sender implements SendDesk {
  private readonly parts: SenderParts;
  private readonly nonces = new NonceLock();

  constructor(parts: SenderParts) {
    this.parts = parts;
  }

  // --- accounts -----------------------------------------------------------------------------------------------------

  accounts(): readonly Address[] {
    return this.parts.accounts.addresses();
  }

  sign(address: Address, hash: Hash32): Uint8Array {
    return this.parts.accounts.sign(address, hash);
  }

  signWithPassword(address: Address, hash: Hash32, password: string): Promise<Uint8Array> {
    return this.parts.accounts.signWithPassword(address, hash, password);
  }

  unlock(address: Address, password: string, seconds: number): Promise<void> {
    return this.parts.accounts.unlock(address, password, seconds);
  }

  lock(address: Address): void {
    this.parts.accounts.lock(address);
  }

  newAccount(password: string): Promise<Address> {
    return this.parts.accounts.create(password);
  }

  importKey(secretKey: Uint8Array, password: string): Promise<Address> {
    return this.parts.accounts.importKey(secretKey, password);
  }

  // --- sending ------------------------------------------------------------------------------------------------------

  async sendRaw(raw: Uint8Array): Promise<Hash32> {
    return this.submit(decodeTransaction(raw));
  }

  send(args: TransactionArgs, password?: string): Promise<Hash32> {
    const from = this.ownAccount(args);
    const work = async () => {
      const body = this.withDefaults(args, from);
      const signed = await this.signBody(
        from,
        await this.withPayload(body, args, from, password),
        args,
        password,
      );
      return this.submit(signed);
    };
    return args.nonce === undefined ? this.nonces.run(from, work) : work();
  }

  async fill(args: TransactionArgs): Promise<Transaction> {
    const body = this.withDefaults(args, args.from);
    if (!args.private) return transactionFrom({ ...body, v: 0n, r: 0n, s: 0n });
    checkPrivateArgs(args.private, this.nextRules());
    const hash = await this.parts.manager.storeRaw(body.data, args.private.privateFrom);
    return markPrivate(
      transactionFrom({ ...body, data: hash, chainId: undefined, v: 0n, r: 0n, s: 0n }),
    );
  }

  async signTransaction(args: TransactionArgs, password?: string): Promise<Transaction> {
    if (args.gas === undefined) throw fail('SEND_ARGS', 'gas not specified');
    if (args.gasPrice === undefined && args.maxFeePerGas === undefined)
      throw fail('SEND_ARGS', 'gasPrice not specified');
    if (args.nonce === undefined) throw fail('SEND_ARGS', 'nonce not specified');
    const from = this.ownAccount(args);
    const body = this.withDefaults(args, from);
    this.checkFee(body);
    return this.signBody(from, body, args, password);
  }

  async sendRawPrivate(raw: Uint8Array, args: PrivateArgs | undefined): Promise<Hash32> {
    const transaction = decodeTransaction(raw);
    if (!args) throw fail('SEND_NOT_PRIVATE', 'transaction is not private');
    const flag = checkPrivateArgs(args, this.nextRules());
    this.checkSubmission(transaction);
    const { manager } = this.parts;
    const hash = payloadHashOf(transaction.data);
    if (transaction.data.length > 0) {
      await manager.sendSigned({
        hash,
        to: args.privateFor,
        flag,
        affected: [],
        execHash: undefined,
        mandatory: args.mandatoryFor,
      });
    }
    return this.submit(transaction);
  }

  // --- reading ------------------------------------------------------------------------------------------------------

  nextNonce(address: Address): bigint {
    return this.parts.pool.nonceOf(address);
  }

  pooled(hash: Hash32): Transaction | undefined {
    return this.parts.pool.get(hash);
  }

  poolContent(): PoolContent {
    const content = this.parts.pool.content();
    const bySender = (pick: (each: (typeof content)[number]) => readonly Transaction[]) =>
      new Map(content.map((each) => [String.fromCharCode(...each.address), pick(each)] as const));
    return {
      pending: bySender(({ pending }) => pending),
      queued: bySender(({ queued }) => queued),
    };
  }

  poolStatus(): { readonly pending: number; readonly queued: number } {
    return this.parts.pool.stats;
  }

  async payload(hash: PayloadHash): Promise<PrivatePayload | undefined> {
    const query = { kind: 'payload', hash } as const;
    const { payloads } = this.parts;
    if (!payloads) throw fail('PTM_NOT_ENABLED', 'PrivateTransactionManager is not enabled');
    if (payloads.answer(query)?.kind !== 'held') await payloads.ask([query]);
    const answer = payloads.answer(query);
    return answer?.kind === 'held' ? answer : undefined;
  }

  // --- steps --------------------------------------------------------------------------------------------------------

  private ownAccount(args: TransactionArgs): Address {
    const from = args.from;
    const isOwn =
      from && this.parts.accounts.addresses().some((address) => equalBytes(address, from));
    if (!isOwn) throw fail('ACCOUNT_UNKNOWN', 'unknown account');
    return from;
  }

  private nextRules(): Rules {
    const { header, number } = this.parts.chain.head();
    return this.parts.chain.rulesOf({ number: number + 1, timestamp: header.timestamp });
  }

  /** What the client left out (geth's setDefaults). Private transactions are legacy and carry no chain id. */
  private withDefaults(args: TransactionArgs, from: Address | undefined): TransactionBody {
    const { chain, pool } = this.parts;
    if (args.data && args.input && !equalBytes(args.data, args.input)) {
      throw fail(
        'SEND_ARGS',
        'both "data" and "input" are set and not equal. Please use "input" to pass transaction call data',
      );
    }
    const data = args.input ?? args.data ?? EMPTY_BYTES;
    if (!args.to && data.length === 0)
      throw fail('SEND_ARGS', 'contract creation without any data provided');
    if (args.private && args.value !== undefined && args.value !== 0n) {
      throw fail('SEND_PRIVATE_VALUE', 'ether value is not supported for private transactions');
    }
    const gas = args.gas ?? this.parts.estimateGas(args);
    return completeBody({
      ...feeFields(args),
      chainId: args.private ? undefined : (args.chainId ?? chain.config.chainId),
      nonce: args.nonce ?? (from ? pool.nonceOf(from) : 0n),
      gasLimit: gas,
      to: args.to,
      value: args.value ?? 0n,
      data,
      accessList: args.accessList ?? [],
    });
  }

  /** Distributes the payload and puts its hash in its place; nothing happens for a public transaction. */
  private async withPayload(
    body: TransactionBody,
    args: TransactionArgs,
    from: Address,
    password: string | undefined,
  ): Promise<TransactionBody> {
    if (!args.private || body.data.length === 0) return body;
    const flag: PrivacyFlag = checkPrivateArgs(args.private, this.nextRules());
    await this.signBody(from, body, args, password);
    const { hash } = await this.parts.manager.send({
      payload: body.data,
      from: args.private.privateFrom,
      to: args.private.privateFor,
      flag,
      affected: [],
      execHash: undefined,
      mandatory: args.private.mandatoryFor,
    });
    return { ...body, data: hash };
  }

  private async signBody(
    from: Address,
    body: TransactionBody,
    args: TransactionArgs,
    password: string | undefined,
  ): Promise<Transaction> {
    const { accounts } = this.parts;
    const hash = signingHashOf(body);
    const signature =
      password === undefined
        ? accounts.sign(from, hash)
        : await accounts.signWithPassword(from, hash, password);
    return withSignature(body, partsOf(signature), { isPrivate: args.private !== undefined });
  }

  private submit(transaction: Transaction): Promise<Hash32> {
    this.checkSubmission(transaction);
    return this.parts.door.submit(transaction);
  }

  private checkSubmission(transaction: Transaction): void {
    this.checkFee(transaction);
    const isProtected =
      transaction.isPrivate || transaction.type !== 0 || transaction.chainId !== undefined;
    if (!isProtected && !this.parts.allowsUnprotected) {
      throw fail(
        'SEND_UNPROTECTED',
        'only replay-protected (EIP-155) transactions allowed over RPC',
      );
    }
  }

  private checkFee({
    maxFeePerGas,
    gasLimit,
  }: Pick<TransactionBody, 'maxFeePerGas' | 'gasLimit'>): void {
    const { feeCapWei } = this.parts;
    const fee = maxFeePerGas * gasLimit;
    if (feeCapWei === 0n || fee <= feeCapWei) return;
    throw fail(
      'SEND_FEE',
      `tx fee (${ether(fee)} ether) exceeds the configured cap (${ether(feeCapWei)} ether)`,
    );
  }
}

function partsOf(signature65: Uint8Array): { parity: 0 | 1; r: bigint; s: bigint } {
  return {
    parity: signature65[64] === 1 ? 1 : 0,
    r: bytesToBigInt(signature65.subarray(0, 32)),
    s: bytesToBigInt(signature65.subarray(32, 64)),
  };
}

/** Dynamic fees make a type 2 transaction; an access list alone makes a type 1. */
function feeFields(args: TransactionArgs): Partial<TransactionBody> {
  if (args.maxFeePerGas === undefined && args.maxPriorityFeePerGas === undefined) {
    const gasPrice = args.gasPrice ?? 0n;
    return {
      type: args.accessList ? 1 : 0,
      gasPrice,
      maxFeePerGas: gasPrice,
      maxPriorityFeePerGas: gasPrice,
    };
  }
  const maxFeePerGas = args.maxFeePerGas ?? args.maxPriorityFeePerGas ?? 0n;
  return {
    type: 2,
    gasPrice: maxFeePerGas,
    maxFeePerGas,
    maxPriorityFeePerGas: args.maxPriorityFeePerGas ?? 0n,
  };
}

function ether(wei: bigint): string {
  return (Number((wei * 100n) / WEI_PER_ETHER) / 100).toFixed(2);
}

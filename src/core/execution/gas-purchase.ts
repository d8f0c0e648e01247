/**
 * The steps before and after the EVM: whether a message may run, what is paid in advance, what is
 * refunded (Yellow Paper §6). Order and texts are geth's. An error thrown here makes a block
 * invalid, or excludes a transaction from a block that is built.
 */
import { equalBytes, isZeroBytes } from '../base/bytes.ts';
import { checksumAddress } from '../base/checksum-address.ts';
import { fail, type QuorateError } from '../base/errors.ts';
import { bareHex } from '../base/hex.ts';
import { EMPTY_CODE_HASH } from '../base/keccak.ts';
import { MAX_UINT64 } from '../base/quantity.ts';
import { BLOB_GAS, effectiveGasPrice } from '../chain/fees.ts';
import { intrinsicGas } from '../chain/intrinsic-gas.ts';
import { initCodeBytesMax, type Rules } from '../chain/rules.ts';
import type { World } from '../state/world.ts';
import type { BlockEnvironment } from './environment.ts';
import type { Message } from './message.ts';

const BLOB_VERSION_KZG = 1;
const BLOBS_PER_TRANSACTION_MAX = 6;
const REFUND_QUOTIENT_FRONTIER = 2n;
const REFUND_QUOTIENT_LONDON = 5n;

/** Gas left in the block. */
export interface GasPool {
  left: bigint;
}

export interface Purchase {
  /** Wei per gas that the sender pays. */
  readonly gasPrice: bigint;
  readonly intrinsicGas: number;
}

function invalid(code: string, text: string): QuorateError {
  return fail(code, text);
}

/**
 * Checks `message` against the public state and takes the price of all its gas from the sender.
 * Throws TX_*.
 */
export function buyGas(
  world: World,
  message: Message,
  shared: BlockEnvironment,
  pool: GasPool,
): Purchase {
  checkNonce(world, message);
  checkSender(world, message);
  checkFees(message, shared);
  return purchase(world, message, shared, pool);
}

/** Like `buyGas`, but contracts may be senders: for a simulation with validation. */
export function buyGasOfAnySender(
  world: World,
  message: Message,
  shared: BlockEnvironment,
  pool: GasPool,
): Purchase {
  checkNonce(world, message);
  checkFees(message, shared);
  return purchase(world, message, shared, pool);
}

/**
 * Like `buyGas`, for a call or an estimate: any nonce, any kind of sender, and no fees unless a
 * price is given.
 */
export function buyGasForCall(
  world: World,
  message: Message,
  shared: BlockEnvironment,
  pool: GasPool = { left: message.gasLimit },
): Purchase {
  if (!isFree(message)) checkFees(message, shared);
  return purchase(world, message, shared, pool);
}

/** Whether the message gives no price. */
export function isFree(message: Pick<Message, 'maxFeePerGas' | 'maxPriorityFeePerGas'>): boolean {
  return message.maxFeePerGas === 0n && message.maxPriorityFeePerGas === 0n;
}

function purchase(
  world: World,
  message: Message,
  shared: BlockEnvironment,
  pool: GasPool,
): Purchase {
  const gasPrice = effectiveGasPrice(message, shared.block.baseFee);
  pay(world, message, shared, pool, gasPrice);
  const intrinsic = intrinsicGas(message, shared.rules);
  if (message.gasLimit < intrinsic) {
    throw invalid(
      'TX_INTRINSIC_GAS',
      `intrinsic gas too low: have ${message.gasLimit}, want ${intrinsic}`,
    );
  }
  if (message.value > 0n && world.balance(message.sender) < message.value) {
    throw invalid(
      'TX_FUNDS',
      `insufficient funds for transfer: address ${checksumAddress(message.sender)}`,
    );
  }
  checkInitCode(message, shared.rules);
  return { gasPrice, intrinsicGas: intrinsic };
}

function checkNonce(world: World, { sender, nonce }: Message): void {
  const current = world.nonce(sender);
  if (current < nonce) {
    throw invalid(
      'TX_NONCE_TOO_HIGH',
      `nonce too high: address ${checksumAddress(sender)}, tx: ${nonce} state: ${current}`,
    );
  }
  if (current > nonce) {
    throw invalid(
      'TX_NONCE_TOO_LOW',
      `nonce too low: address ${checksumAddress(sender)}, tx: ${nonce} state: ${current}`,
    );
  }
  // EIP-2681
  if (nonce === MAX_UINT64) {
    throw invalid(
      'TX_NONCE_MAX',
      `nonce has max value: address ${checksumAddress(sender)}, nonce: ${nonce}`,
    );
  }
}

/** EIP-3607. */
function checkSender(world: World, { sender }: Message): void {
  const codeHash = world.codeHash(sender);
  if (!equalBytes(codeHash, EMPTY_CODE_HASH) && !isZeroBytes(codeHash)) {
    throw invalid(
      'TX_SENDER_NOT_EOA',
      `sender not an eoa: address ${checksumAddress(sender)}, codehash: ${bareHex(codeHash)}`,
    );
  }
}

function checkFees(message: Message, shared: BlockEnvironment): void {
  const { maxFeePerGas, maxPriorityFeePerGas, sender } = message;
  if (shared.rules.isLondon) {
    const { baseFee } = shared.block;
    if (maxFeePerGas < maxPriorityFeePerGas) {
      throw invalid(
        'TX_TIP_ABOVE_FEE_CAP',
        `max priority fee per gas higher than max fee per gas: address ${checksumAddress(sender)}, maxPriorityFeePerGas: ${maxPriorityFeePerGas}, maxFeePerGas: ${maxFeePerGas}`,
      );
    }
    if (maxFeePerGas < baseFee) {
      throw invalid(
        'TX_FEE_CAP_TOO_LOW',
        `max fee per gas less than block base fee: address ${checksumAddress(sender)}, maxFeePerGas: ${maxFeePerGas}, baseFee: ${baseFee}`,
      );
    }
  }
  if (message.type === 3) checkBlobs(message, shared);
}

function checkBlobs(message: Message, shared: BlockEnvironment): void {
  const hashes = message.blobVersionedHashes;
  if (message.to === undefined)
    throw invalid('TX_BLOB_CREATION', 'blob transaction of type create');
  if (hashes.length === 0) throw invalid('TX_BLOB_MISSING', 'blob transaction missing blob hashes');
  if (hashes.length > BLOBS_PER_TRANSACTION_MAX) {
    throw invalid(
      'TX_BLOB_TOO_MANY',
      `blob transaction has too many blobs (max=${BLOBS_PER_TRANSACTION_MAX}, have=${hashes.length})`,
    );
  }
  hashes.forEach((hash, index) => {
    if (hash[0] !== BLOB_VERSION_KZG) {
      throw invalid('TX_BLOB_VERSION', `blob ${index} has invalid hash version`);
    }
  });
  if (message.maxFeePerBlobGas < shared.block.blobBaseFee) {
    throw invalid(
      'TX_BLOB_FEE_CAP_TOO_LOW',
      `max fee per blob gas less than block blob gas fee: address ${checksumAddress(message.sender)} blobGasFeeCap: ${message.maxFeePerBlobGas}, blobBaseFee: ${shared.block.blobBaseFee}`,
    );
  }
}

/** Checks the balance and the gas left in the block, and makes the payment. */
function pay(
  world: World,
  message: Message,
  shared: BlockEnvironment,
  pool: GasPool,
  gasPrice: bigint,
): void {
  const { sender, gasLimit } = message;
  const blobGas = BigInt(message.blobVersionedHashes.length) * BLOB_GAS;
  const cost = gasLimit * gasPrice + blobGas * shared.block.blobBaseFee;
  // COMPAT: before London the value is not part of this check but of a later one with another text.
  const needed = shared.rules.isLondon
    ? gasLimit * message.maxFeePerGas + message.value + blobGas * message.maxFeePerBlobGas
    : cost;
  const balance = world.balance(sender);
  if (balance < needed) {
    throw invalid(
      'TX_FUNDS',
      `insufficient funds for gas * price + value: address ${checksumAddress(sender)} have ${balance} want ${needed}`,
    );
  }
  if (pool.left < gasLimit) throw invalid('TX_BLOCK_GAS', 'gas limit reached');
  pool.left -= gasLimit;
  world.subBalance(sender, cost);
}

function checkInitCode({ to, data }: Message, rules: Rules): void {
  const max = initCodeBytesMax(rules);
  if (rules.isShanghai && to === undefined && data.length > max) {
    throw invalid(
      'TX_INITCODE_TOO_LARGE',
      `max initcode size exceeded: code size ${data.length} limit ${max}`,
    );
  }
}

/** The part of the used gas that is refunded (EIP-3529 from London on). */
export function cappedRefund(world: World, gasUsed: bigint, rules: Rules): bigint {
  const most = gasUsed / (rules.isLondon ? REFUND_QUOTIENT_LONDON : REFUND_QUOTIENT_FRONTIER);
  const refund = BigInt(world.refund());
  return refund < most ? refund : most;
}

/**
 * Returns unused gas to the sender and the block, and pays the fees for the rest. The base fee is
 * burnt.
 */
export function settleGas(
  world: World,
  message: Message,
  shared: BlockEnvironment,
  pool: GasPool,
  purchase: Purchase,
  gasUsed: bigint,
): void {
  const left = message.gasLimit - gasUsed;
  world.addBalance(message.sender, left * purchase.gasPrice);
  pool.left += left;
  const tip = shared.rules.isLondon ? purchase.gasPrice - shared.block.baseFee : purchase.gasPrice;
  world.addBalance(shared.feesTo, tip * gasUsed);
}

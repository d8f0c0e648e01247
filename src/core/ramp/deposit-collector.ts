/**
 * An address for the deposits of each order, without a key: contracts/DepositCollector.sol collects
 * from it (EIP-1014).
 */
import { encodeAbi } from '../base/abi.ts';
import { concatBytes } from '../base/bytes.ts';
import { fromHex, toHex } from '../base/hex.ts';
import { keccak256 } from '../base/keccak.ts';
import { COLLECTOR_CODE, SWEEP_CODE } from './deposit-collector-code.ts';

/** `collect(bytes32,address)` and `treasury()`. */
const COLLECT_SELECTOR = fromHex('cece6f3d');
export const TREASURY_CALL = '0x61d027b3';
const CREATE2_MARK = fromHex('ff');
const ADDRESS_FROM = 12;

/** Creation of a collector that sends everything to `treasury`. */
export function collectorCreation(treasury: string): string {
  return toHex(concatBytes(fromHex(COLLECTOR_CODE), encodeAbi([fromHex(treasury)])));
}

/** The deposit address of an order, lower case. `orderId`: a UUID. */
export function depositAddress(collector: string, orderId: string): string {
  const code = keccak256(fromHex(SWEEP_CODE));
  const hash = keccak256(concatBytes(CREATE2_MARK, fromHex(collector), saltOf(orderId), code));
  return toHex(hash.subarray(ADDRESS_FROM));
}

/** Call data that collects an order's deposits. `token`: the zero address for the coin only. */
export function collectCall(orderId: string, token: string): string {
  return toHex(concatBytes(COLLECT_SELECTOR, saltOf(orderId), encodeAbi([fromHex(token)])));
}

function saltOf(orderId: string): Uint8Array {
  return encodeAbi([BigInt(`0x${orderId.replaceAll('-', '')}`)]);
}

/** Transfers of crypto: as transactions, and as reported by receipts and logs (ERC-20). */

import { encodeAbi } from '../base/abi.ts';
import { concatBytes } from '../base/bytes.ts';
import { fromHex, toHex } from '../base/hex.ts';
import { isNative } from './wallet-address.ts';

/** `transfer(address,uint256)` and `balanceOf(address)`. */
const TRANSFER_SELECTOR = fromHex('a9059cbb');
const BALANCE_SELECTOR = fromHex('70a08231');
/** `Transfer(address,address,uint256)`. */
export const TRANSFER_TOPIC = '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef';

/** Hex, lower case. */
export interface TransferCall {
  readonly to: string;
  readonly value: bigint;
  readonly data: string;
}

/** A log as `eth_getLogs` returns it. */
export interface TokenLog {
  readonly address: string;
  readonly topics: readonly string[];
  readonly data: string;
}

/** `token`: the contract, or the zero address for the coin of the ledger. */
export function transferCall(token: string, recipient: string, units: bigint): TransferCall {
  if (isNative({ address: token })) return { to: recipient, value: units, data: '0x' };
  const data = concatBytes(TRANSFER_SELECTOR, encodeAbi([fromHex(recipient), units]));
  return { to: token, value: 0n, data: toHex(data) };
}

/** Call data that requests a balance from a token's contract. */
export function balanceCall(owner: string): string {
  return toHex(concatBytes(BALANCE_SELECTOR, encodeAbi([fromHex(owner)])));
}

/** The content of a Transfer log; undefined: not an ERC-20 Transfer. */
export function readTransfer(
  log: TokenLog,
): { readonly from: string; readonly to: string; readonly units: bigint } | undefined {
  const [topic, from, to] = log.topics;
  if (topic !== TRANSFER_TOPIC || from === undefined || to === undefined) return undefined;
  if (!/^0x[0-9a-f]{64}$/i.test(log.data)) return undefined;
  return { from: `0x${from.slice(26)}`, to: `0x${to.slice(26)}`, units: BigInt(log.data) };
}

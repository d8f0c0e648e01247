/** Requests from the node what a transaction omits: its gas and the gas price. */
import { toHex } from '../../../core/base/hex.ts';
import { refuse } from '../../../core/signing/failures.ts';
import type { TransactionRequest } from '../../../core/signing/transaction-request.ts';
import type { UpstreamAnswer } from './ports.ts';

/**
 * The request's body. `id` is JSON text, the client's own: an error of the node becomes the
 * client's answer. It states no price, so that the account's balance does not matter.
 */
export function estimateQuestion(request: TransactionRequest, id: string): string {
  const { to, value, data, accessList } = request.body;
  const transaction = {
    from: request.from,
    ...(to && { to: toHex(to) }),
    value: `0x${value.toString(16)}`,
    data: toHex(data),
    ...(accessList.length > 0 && {
      accessList: accessList.map(({ address, slots }) => ({
        address: toHex(address),
        storageKeys: slots.map((slot) => toHex(slot)),
      })),
    }),
    ...(request.kind === 'private' && request.terms),
  };
  const params = JSON.stringify([transaction]);
  return `{"jsonrpc":"2.0","method":"eth_estimateGas","params":${params},"id":${id}}`;
}

/** The request's body. The answer is zero when gas is free. */
export function priceQuestion(id: string): string {
  return `{"jsonrpc":"2.0","method":"eth_gasPrice","params":[],"id":${id}}`;
}

/**
 * undefined: the node answered with an error. Throws SIGNER_INTERNAL when the answer has neither
 * quantity nor error. `what`: used in the error.
 */
export function quantityOf({ body }: UpstreamAnswer, what: string): bigint | undefined {
  const { result, error } = parsed(body);
  if (error) return undefined;
  if (typeof result !== 'string' || !/^0x[0-9a-f]{1,16}$/i.test(result))
    throw refuse('SIGNER_INTERNAL', `the node does not report ${what}`);
  return BigInt(result);
}

function parsed(body: string): { readonly result?: unknown; readonly error?: unknown } {
  try {
    return JSON.parse(body) ?? {};
  } catch {
    return {};
  }
}

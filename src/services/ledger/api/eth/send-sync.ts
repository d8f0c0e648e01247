/**
 * `eth_sendRawTransactionSync` (EIP-7966): answers with the receipt once the transaction is in a
 * block.
 */
import { fail } from '../../../../core/base/errors.ts';
import { toHex } from '../../../../core/base/hex.ts';
import { decodeTransaction } from '../../../../core/chain/transaction.ts';
import { type Param, ParamError, RpcError } from '../../../../io/rpc/method.ts';
import { type Context, method } from '../context.ts';
import { receiptOf } from '../receipts.ts';
import type { JsonObject } from '../render.ts';
import { RECEIPT } from '../results.ts';
import { data, fieldQuantity, named, optional } from '../shapes.ts';

/** Default as in geth. */
const TIMEOUT_MS_DEFAULT = 20_000;
const TIMEOUT_MS_MAX = 60_000;
/** Maximum number of clients that wait at the same time. */
const WAITERS_MAX = 1_000;
/** Number of the error, defined by EIP-7966. */
const NOT_IN_TIME = 4;

const timeout: Param<number> = optional(
  named('timeoutMs', {
    name: 'timeoutMs',
    schema: { oneOf: [{ type: 'integer' }, { type: 'string', pattern: '^0x[0-9a-f]+$' }] },
    isOptional: true,
    parse(value) {
      const wanted = fieldQuantity(value, 'Go value of type hexutil.Uint64');
      if (wanted === 0n) throw new ParamError('the timeout must be above 0');
      return Number(wanted < TIMEOUT_MS_MAX ? wanted : TIMEOUT_MS_MAX);
    },
  }),
  TIMEOUT_MS_DEFAULT,
);

let waiting = 0;

async function sendAndWait(
  { submitter, events, view, timers }: Context,
  raw: Uint8Array,
  timeoutMs: number,
): Promise<JsonObject> {
  if (waiting >= WAITERS_MAX)
    throw fail('WAITERS_MAX', `${WAITERS_MAX} clients wait for a receipt already: poll for it`);
  waiting++;
  const endings: (() => void)[] = [];
  try {
    const hash = await submitter.submit(decodeTransaction(raw));
    return await new Promise<JsonObject>((resolve, reject) => {
      const look = () => {
        const found = view.transaction(hash);
        const receipt = found && receiptOf(view, found);
        if (receipt) resolve(receipt);
      };
      const late = `The transaction was added to the transaction pool but wasn't processed in ${timeoutMs}ms.`;
      const timer = timers.set(timeoutMs, () =>
        reject(new RpcError(NOT_IN_TIME, late, toHex(hash))),
      );
      endings.push(
        () => timer.cancel(),
        events.on('committed', look),
        events.on('privateDone', look),
      );
      look();
    });
  } finally {
    waiting--;
    for (const end of endings) end();
  }
}

export const sendSyncMethods = [
  method('eth_sendRawTransactionSync', {
    params: [data, timeout],
    result: RECEIPT,
    access: 'send',
    about:
      'Submits a signed transaction and answers with its receipt; after the timeout with error 4 and the hash.',
    call: (context, [raw, timeoutMs]) => sendAndWait(context, raw, timeoutMs),
  }),
];

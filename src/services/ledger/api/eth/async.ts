/** `eth_sendTransactionAsync` (GoQuorum internal/ethapi/api.go, SendTransactionAsync). */
import { ZERO_HASH } from '../../../../core/base/bytes.ts';
import { toHex } from '../../../../core/base/hex.ts';
import { type Param, ParamError } from '../../../../io/rpc/method.ts';
import type { TransactionArgs } from '../../node/sending/send-args.ts';
import { method } from '../context.ts';
import { HASH } from '../results.ts';
import { sendArgs } from '../transaction-args.ts';

interface AsyncArgs {
  readonly args: TransactionArgs;
  readonly callbackUrl: string;
}

const asyncArgs: Param<AsyncArgs> = {
  name: 'transaction',
  schema: {
    ...sendArgs.schema,
    properties: { ...(sendArgs.schema.properties as object), callbackUrl: { type: 'string' } },
  },
  isOptional: false,
  parse(value) {
    const args = sendArgs.parse(value);
    const callbackUrl = (value as { callbackUrl?: unknown }).callbackUrl ?? '';
    if (typeof callbackUrl !== 'string') {
      throw new ParamError(
        `json: cannot unmarshal ${typeof callbackUrl} into Go struct field AsyncSendTxArgs.callbackUrl of type string`,
      );
    }
    return { args, callbackUrl };
  },
};

export const asyncMethods = [
  method('eth_sendTransactionAsync', {
    params: [asyncArgs],
    result: HASH,
    access: 'send',
    about:
      'Like eth_sendTransaction, but returns 32 zero bytes at once; `callbackUrl` receives the hash or the error.',
    call: ({ asyncSends, caller, wallet, submitter, requestId }, [{ args, callbackUrl }]) => {
      const { remote } = caller;
      asyncSends.begin({ wallet, submitter, args, callbackUrl, id: requestId, remote });
      return toHex(ZERO_HASH);
    },
  }),
];

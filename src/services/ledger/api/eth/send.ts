import { concatBytes, EMPTY_BYTES, equalBytes } from '../../../../core/base/bytes.ts';
import { fail } from '../../../../core/base/errors.ts';
import { toHex, toQuantity } from '../../../../core/base/hex.ts';
import { keccak256 } from '../../../../core/base/keccak.ts';
import { typedDataHash } from '../../../../core/base/typed-data.ts';
import { decodeTransaction, type Transaction } from '../../../../core/chain/transaction.ts';
import { PAYLOAD_HASH_BYTES } from '../../../../core/privacy/marker.ts';
import { type Param, ParamError } from '../../../../io/rpc/method.ts';
import { listedAccounts } from '../../node/sending/accounts.ts';
import type { TransactionArgs } from '../../node/sending/send-args.ts';
import { type Context, method } from '../context.ts';
import type { JsonObject } from '../render.ts';
import { renderAccessList, renderTransaction } from '../render.ts';
import { ADDRESS, arrayOf, DATA, HASH, OBJECT, TEXT, TRANSACTION } from '../results.ts';
import { address, data, named, optional, quantity } from '../shapes.ts';
import { privateArgs, sendArgs } from '../transaction-args.ts';

/** GoQuorum's default. */
const PRIVATE_RESEND_GAS = 90_000n;

/** Answer of fill and sign, `{raw, tx}`: a transaction in the JSON format of geth 1.10. */
export function renderSigned(transaction: Transaction): JsonObject {
  return {
    raw: toHex(transaction.raw),
    tx: {
      type: toQuantity(transaction.type),
      nonce: toQuantity(transaction.nonce),
      gasPrice: toQuantity(transaction.gasPrice),
      gas: toQuantity(transaction.gasLimit),
      value: toQuantity(transaction.value),
      input: toHex(transaction.data),
      v: toQuantity(transaction.v),
      r: toQuantity(transaction.r),
      s: toQuantity(transaction.s),
      to: transaction.to ? toHex(transaction.to) : null,
      ...(transaction.type >= 2
        ? {
            maxFeePerGas: toQuantity(transaction.maxFeePerGas),
            maxPriorityFeePerGas: toQuantity(transaction.maxPriorityFeePerGas),
          }
        : {}),
      ...(transaction.type !== 0
        ? {
            chainId: toQuantity(transaction.chainId ?? 0n),
            accessList: renderAccessList(transaction),
          }
        : {}),
      hash: toHex(transaction.hash),
    },
  };
}

/** Hash by EIP-191, version 0x45. */
export function personalMessageHash(message: Uint8Array): Uint8Array {
  const prefix = new TextEncoder().encode(`\x19Ethereum Signed Message:\n${message.length}`);
  return keccak256(concatBytes(prefix, message));
}

/** Converts to r ‖ s ‖ v with v 27 or 28. */
export function withLegacyV(signature65: Uint8Array): Uint8Array {
  const out = signature65.slice();
  out[64] = signature65[64]! + 27;
  return out;
}

const typedDataParam: Param<unknown> = {
  name: 'typedData',
  schema: { type: 'object' },
  isOptional: false,
  parse(value) {
    if (typeof value !== 'string') return value;
    try {
      return JSON.parse(value);
    } catch {
      throw new ParamError('typed data given as text must be JSON');
    }
  },
};

async function resend(
  { submitter, pool }: Context,
  args: TransactionArgs,
  gasPrice: bigint | undefined,
  gas: bigint | undefined,
): Promise<string> {
  if (args.nonce === undefined)
    throw fail('SEND_ARGS', 'missing transaction nonce in transaction spec');
  const wanted = await submitter.fill(asPooled(args));
  if (!pool.pending().some((each) => isSameRequest(each, wanted, args)))
    throw fail('TRANSACTION_UNKNOWN', `transaction ${toHex(wanted.hash)} not found`);
  const price = gasPrice === undefined || gasPrice === 0n ? args.gasPrice : gasPrice;
  const limit = gas === undefined || gas === 0n ? args.gas : gas;
  if (!args.private) return toHex(await submitter.send({ ...args, gasPrice: price, gas: limit }));
  // The parties already have the payload: only the transaction with its hash is created again.
  const terms = { gasPrice: price ?? 0n, gas: limit ?? PRIVATE_RESEND_GAS };
  return toHex(await submitter.resend({ ...args, ...terms }));
}

/** A private transaction in the pool has its payload's hash as data, which the caller must give. */
function asPooled(args: TransactionArgs): TransactionArgs {
  if (!args.private) return args;
  const data = args.input ?? args.data;
  if (data?.length !== PAYLOAD_HASH_BYTES) {
    throw fail(
      'SEND_ARGS',
      'a private transaction is resent with the hash of its payload as data, as eth_getTransactionByHash shows it',
    );
  }
  return { ...args, gas: args.gas ?? PRIVATE_RESEND_GAS, private: undefined };
}

function isSameRequest(pooled: Transaction, wanted: Transaction, { from }: TransactionArgs) {
  return (
    from !== undefined &&
    equalBytes(pooled.sender, from) &&
    pooled.nonce === wanted.nonce &&
    pooled.value === wanted.value &&
    pooled.gasLimit === wanted.gasLimit &&
    pooled.gasPrice === wanted.gasPrice &&
    equalBytes(pooled.to ?? EMPTY_BYTES, wanted.to ?? EMPTY_BYTES) &&
    equalBytes(pooled.data, wanted.data)
  );
}

export const sendMethods = [
  method('eth_sendRawTransaction', {
    params: [data],
    result: HASH,
    access: 'send',
    isOverlapping: true,
    about: 'Submits a signed transaction; returns its hash once it is durable.',
    call: async ({ submitter }, [raw]) => toHex(await submitter.submit(decodeTransaction(raw))),
  }),
  method('eth_sendTransaction', {
    params: [sendArgs],
    result: HASH,
    access: 'send',
    about: 'Signs with a key of this node and sends; with `privateFor`, privately.',
    call: async ({ submitter }, [args]) => toHex(await submitter.send(args)),
  }),
  method('eth_sendRawPrivateTransaction', {
    params: [data, privateArgs],
    result: HASH,
    access: 'send',
    isOverlapping: true,
    about: 'Sends a signed private transaction whose payload was stored with `storeraw`.',
    call: async ({ submitter }, [raw, args]) =>
      toHex(await submitter.submitPrivate(decodeTransaction(raw), args)),
  }),
  method('eth_fillTransaction', {
    params: [sendArgs],
    result: OBJECT,
    access: 'send',
    about:
      'Fills in what is missing, for signing elsewhere; a private payload is stored and replaced by its hash.',
    call: async ({ submitter }, [args]) => renderSigned(await submitter.fill(args)),
  }),
  method('eth_signTransaction', {
    params: [sendArgs],
    result: OBJECT,
    access: 'send',
    about: 'Signs with a key of this node without sending.',
    call: async ({ submitter }, [args]) => renderSigned(await submitter.signTransaction(args)),
  }),
  method('eth_sign', {
    params: [address, data],
    result: DATA,
    access: 'send',
    about: 'Signs a message (EIP-191) with a key of this node.',
    call: async ({ wallet }, [who, message]) => {
      const hash = personalMessageHash(message);
      return toHex(withLegacyV(await wallet.sign(who, hash, { kind: 'message', message })));
    },
  }),
  method(['eth_signTypedData_v4', 'eth_signTypedData'], {
    params: [address, typedDataParam],
    result: DATA,
    access: 'send',
    about: 'Signs typed data (EIP-712) with a key of this node; takes an object, or its JSON text.',
    call: async ({ wallet }, [who, data]) => {
      const hash = typedDataHash(data);
      return toHex(withLegacyV(await wallet.sign(who, hash, { kind: 'typed data', data })));
    },
  }),
  method('eth_accounts', {
    params: [],
    result: arrayOf(ADDRESS),
    about: 'Accounts that this node signs for.',
    call: async ({ wallet }) => (await listedAccounts(wallet)).map(toHex),
  }),
  method('eth_resend', {
    params: [
      sendArgs,
      optional(named('gasPrice', quantity), undefined),
      optional(named('gas', quantity), undefined),
    ],
    result: HASH,
    access: 'send',
    about: 'Replaces a transaction in the pool by one with a different gas price or limit.',
    call: (context, [args, gasPrice, gas]) => resend(context, args, gasPrice, gas),
  }),
  method('eth_pendingTransactions', {
    params: [],
    result: arrayOf(TRANSACTION),
    about: "Transactions in the pool from this node's accounts.",
    call: ({ wallet, pool }) => {
      const own = new Set(wallet.addresses().map(toHex));
      return pool
        .pending()
        .filter((transaction) => own.has(toHex(transaction.sender)))
        .map((transaction) => renderTransaction(transaction, undefined));
    },
  }),
  method('eth_getPSI', {
    params: [],
    result: TEXT,
    about: 'Identifier of the private state that the caller works on.',
    call: ({ view }) => view.namedPsi(),
  }),
];

/**
 * Private contracts and privacy markers as one party sees them (GoQuorum internal/ethapi/api.go).
 */
import { toBase64 } from '../../../../core/base/base64.ts';
import { checksumAddress } from '../../../../core/base/checksum-address.ts';
import { fail } from '../../../../core/base/errors.ts';
import { bareHex, toHex } from '../../../../core/base/hex.ts';
import { decodeTransaction, type Transaction } from '../../../../core/chain/transaction.ts';
import { MANDATORY_RECIPIENTS } from '../../../../core/privacy/flags.ts';
import { openInner, PRIVACY_PRECOMPILE } from '../../../../core/privacy/marker.ts';
import type { FoundTransaction } from '../../view/party-view.ts';
import { findMetadata } from '../../view/party-view.ts';
import { type Context, method } from '../context.ts';
import { findMarker } from '../marker.ts';
import { afterPrivate } from '../private-arrival.ts';
import { receiptOf } from '../receipts.ts';
import { renderTransaction } from '../render.ts';
import { ADDRESS, DATA, OBJECT, orNull, RECEIPT, TRANSACTION } from '../results.ts';
import { address, data, hash } from '../shapes.ts';
import { privateArgs } from '../transaction-args.ts';

interface Opened {
  readonly marker: FoundTransaction;
  readonly inner: Transaction;
}

/**
 * The inner transaction of a marker; undefined if the caller is not a party, for unknown hashes,
 * and for transactions that are not markers.
 */
async function open(context: Context, wanted: Uint8Array): Promise<Opened | undefined> {
  const opened = await findMarker(context, wanted);
  if (!opened) return undefined;
  const { marker, payload } = opened;
  const inner = openInner(marker.transaction, payload);
  return typeof inner === 'string' ? undefined : { marker, inner };
}

function metadata({ view }: Context, who: Uint8Array) {
  const state = view.stateAt(view.head().number);
  if (!state.private?.account(who)) {
    throw fail(
      'PRIVACY_NOT_PRIVATE',
      `${bareHex(who)}: the provided address is not a private contract`,
    );
  }
  const found = findMetadata(state, who);
  if (!found)
    throw fail('PRIVACY_NO_METADATA', `${checksumAddress(who)}: no account extra data found`);
  return found;
}

export const privateMethods = [
  method('eth_getPrivacyPrecompileAddress', {
    params: [],
    result: ADDRESS,
    about: 'Address that privacy marker transactions are sent to.',
    call: () => toHex(PRIVACY_PRECOMPILE),
  }),
  method('eth_getContractPrivacyMetadata', {
    params: [address],
    result: OBJECT,
    about: 'Creation hash, privacy flag and mandatory recipients of a private contract.',
    call: async (context, [who]) => {
      const { creationHash, flag } = metadata(context, who);
      const mandatoryFor =
        flag === MANDATORY_RECIPIENTS
          ? await context.payloads.mandatoryRecipients(creationHash)
          : undefined;
      return {
        creationTxHash: toBase64(creationHash),
        ...(context.hasExtraFields ? { creationTxHashHex: toHex(creationHash) } : {}),
        privacyFlag: flag,
        ...(mandatoryFor ? { mandatoryFor } : {}),
      };
    },
  }),
  method('eth_getPrivateTransactionByHash', {
    params: [hash],
    result: orNull(TRANSACTION),
    about: 'The private transaction inside a privacy marker; null for strangers.',
    call: async (context, [wanted]) => {
      const opened = await open(context, wanted);
      if (!opened) return null;
      const { block, index } = opened.marker;
      const { number, baseFeePerGas } = block.header;
      return renderTransaction(opened.inner, { hash: block.hash, number, index, baseFeePerGas });
    },
  }),
  method('eth_getPrivateTransactionReceipt', {
    params: [hash],
    result: orNull(RECEIPT),
    about: 'The receipt of the private transaction inside a privacy marker; null for strangers.',
    call: async (context, [wanted]) => {
      const opened = await open(context, wanted);
      if (!opened) return null;
      const { marker, inner } = opened;
      const found = { ...marker, transaction: inner };
      const answer = () => receiptOf(context.view, found, wanted);
      return afterPrivate(context, marker.block.header.number, answer);
    },
  }),
  method('eth_distributePrivateTransaction', {
    params: [data, privateArgs],
    result: DATA,
    access: 'send',
    about:
      'Sends a signed private transaction to its parties; returns the data of the marker to sign.',
    call: async ({ submitter }, [raw, args]) =>
      toHex(await submitter.distribute(decodeTransaction(raw), args)),
  }),
];

/**
 * Makes the digest from a request and its nonce, and the bytes to send from the signature
 * (EthSigner TransactionSerializer).
 */
import { concatBytes, EMPTY_BYTES, type Hash32 } from '../base/bytes.ts';
import { keccak256 } from '../base/keccak.ts';
import { bytesToBigInt } from '../base/quantity.ts';
import { RlpWriter } from '../base/rlp.ts';
import type { EeaTerms, RequestBody, TransactionRequest } from './transaction-request.ts';

/** A transaction without its signature, so that this part is encoded only once. */
export interface Unsigned {
  readonly digest: Hash32;
  /** Adds `signature` (r, s, recovery id) and returns the bytes to send. */
  finish(signature: Uint8Array): Uint8Array;
}

const RESTRICTED = new TextEncoder().encode('restricted');
/** Reused for one transaction at a time. */
const writer = new RlpWriter(1_024);

/** `data` replaces the request's data if its payload was stored by a manager. */
export function unsignedTransaction(
  request: TransactionRequest,
  nonce: bigint,
  chainId: bigint,
  data: Uint8Array = request.body.data,
): Unsigned {
  const body = { ...request.body, data };
  if (request.kind === 'eea') return legacy(body, nonce, { chainId, tail: eeaTail(request.terms) });
  if (request.kind === 'private') return legacy(body, nonce, { chainId: undefined });
  return body.type === 0 ? legacy(body, nonce, { chainId }) : typed(body, nonce, chainId);
}

/**
 * Without a chain id it is signed like a private transaction: v is 37 or 38. `tail`: items after
 * the signature.
 */
function legacy(
  body: RequestBody,
  nonce: bigint,
  { chainId, tail = EMPTY_BYTES }: { chainId: bigint | undefined; tail?: Uint8Array },
): Unsigned {
  writer.restart();
  writer.bigint(nonce).bigint(body.gasPrice).bigint(body.gasLimit);
  writer
    .string(body.to ?? EMPTY_BYTES)
    .bigint(body.value)
    .string(body.data);
  const items = writer.finish();
  writer.restart();
  const start = writer.begin();
  writer.raw(items);
  if (chainId !== undefined) writer.bigint(chainId).string(EMPTY_BYTES).string(EMPTY_BYTES);
  writer.raw(tail).end(start);
  const digest = keccak256(writer.view());
  const v = chainId === undefined ? 37n : 35n + 2n * chainId;
  return {
    digest,
    finish: (signature) => {
      writer.restart();
      const list = writer.begin();
      writer.raw(items).bigint(v + BigInt(signature[64]!));
      writeRs(signature);
      return writer.raw(tail).end(list).finish();
    },
  };
}

function typed(body: RequestBody, nonce: bigint, chainId: bigint): Unsigned {
  const type = Uint8Array.of(body.type);
  writer.restart();
  writer.bigint(chainId).bigint(nonce);
  if (body.type === 2) writer.bigint(body.maxPriorityFeePerGas).bigint(body.maxFeePerGas);
  else writer.bigint(body.gasPrice);
  writer
    .bigint(body.gasLimit)
    .string(body.to ?? EMPTY_BYTES)
    .bigint(body.value);
  writer.string(body.data);
  const entries = writer.begin();
  for (const { address, slots } of body.accessList) {
    const entry = writer.begin();
    writer.string(address);
    const list = writer.begin();
    for (const slot of slots) writer.string(slot);
    writer.end(list).end(entry);
  }
  const items = writer.end(entries).finish();
  writer.restart();
  const start = writer.begin();
  const digest = keccak256(concatBytes(type, writer.raw(items).end(start).view()));
  return {
    digest,
    finish: (signature) => {
      writer.restart();
      const list = writer.begin();
      writer.raw(items).number(signature[64]!);
      writeRs(signature);
      return concatBytes(type, writer.end(list).view());
    },
  };
}

function writeRs(signature: Uint8Array): void {
  writer.bigint(bytesToBigInt(signature.subarray(0, 32)));
  writer.bigint(bytesToBigInt(signature.subarray(32, 64)));
}

function eeaTail({ privateFrom, recipients }: EeaTerms): Uint8Array {
  const tail = new RlpWriter();
  tail.string(privateFrom);
  if (recipients.kind === 'group') tail.string(recipients.id);
  else {
    tail.list((list) => {
      for (const key of recipients.keys) list.string(key);
    });
  }
  return tail.string(RESTRICTED).finish();
}

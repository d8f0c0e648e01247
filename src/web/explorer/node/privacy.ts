/** The private part of a transaction, as far as the selected node may see it. */
import { receiptOf } from './chain.ts';
import type { Rpc } from './rpc.ts';
import type { Receipt, Transaction } from './types.ts';

/** The `v` values of GoQuorum's private transactions. */
const PRIVATE_V: ReadonlySet<string> = new Set(['0x25', '0x26']);
const PRECOMPILE = '0x000000000000000000000000000000000000007a';

export interface Seen {
  /** `marker`: a public transaction that refers to a private one. */
  readonly kind: 'public' | 'private' | 'marker';
  /** Whether the selected node is a party to it; true for a public one. */
  readonly isParty: boolean;
  /** The transaction itself; for a marker, the private one. */
  readonly inner: Transaction;
  /** The original input, in 0x hex; undefined for nodes that are not parties. */
  readonly input: string | undefined;
  readonly receipt: Receipt | null;
}

export function isPrivate({ v }: Transaction): boolean {
  return PRIVATE_V.has(v);
}

export function isMarker({ to }: Transaction): boolean {
  return to?.toLowerCase() === PRECOMPILE;
}

export async function see(rpc: Rpc, transaction: Transaction): Promise<Seen> {
  const { hash, input } = transaction;
  const common = { inner: transaction, receipt: await receiptOf(rpc, hash) };
  if (isMarker(transaction)) {
    const [inner, receipt] = await Promise.all([
      orNull(rpc.call<Transaction | null>('eth_getPrivateTransactionByHash', hash)),
      orNull(rpc.call<Receipt | null>('eth_getPrivateTransactionReceipt', hash)),
    ]);
    if (!inner) return { ...common, kind: 'marker', isParty: false, input: undefined };
    const payload = await payloadOf(rpc, inner.input);
    return { kind: 'marker', isParty: true, inner, input: payload, receipt };
  }
  if (!isPrivate(transaction)) return { ...common, kind: 'public', isParty: true, input };
  const payload = await payloadOf(rpc, input);
  return { ...common, kind: 'private', isParty: payload !== undefined, input: payload };
}

async function payloadOf(rpc: Rpc, digest: string): Promise<string | undefined> {
  const payload = await orNull(rpc.call<string>('eth_getQuorumPayload', digest));
  return payload === null || payload === '0x' ? undefined : payload;
}

async function orNull<T>(asked: Promise<T>): Promise<T | null> {
  try {
    return await asked;
  } catch {
    return null;
  }
}

/**
 * Turns a recorded request into one for this run: payloads are stored again, names replaced, and
 * transactions signed again with the same keys.
 */
import { computeAddress, decodeRlp, encodeRlp, keccak256, SigningKey } from 'ethers';
import type { Names } from './names.ts';
import type { NodeName, Recording, Request } from './recording.ts';

const RAW_METHODS: ReadonlySet<string> = new Set([
  'eth_sendRawTransaction',
  'eth_sendRawPrivateTransaction',
  'eth_distributePrivateTransaction',
]);
const CHAIN_ID = 1337n;
const DATA_FIELD = 5;
const HASH_HEX_LENGTH = 130;
/** Stored where the recording has only the hash of a payload. */
const ANY_PAYLOAD = `0x60fe47b1${'00'.repeat(31)}07`;

export interface RewriteParts {
  readonly recording: Recording;
  readonly names: Names;
  readonly callbackUrl: string;
  /** Stores a payload at the manager of `node`; resolves with its hash in hex. */
  storeRaw(node: NodeName, payload: string): Promise<string>;
}

export async function rewritten(
  request: Request,
  node: NodeName,
  parts: RewriteParts,
): Promise<Request> {
  const { method, params } = request;
  const [first, ...rest] = params;
  if (RAW_METHODS.has(method)) {
    return { method, params: [await resigned(first as string, node, parts), ...rest] };
  }
  const call = first as Record<string, unknown> | undefined;
  if (method === 'eth_signTransaction') {
    const data = await stored(call!.data as string, node, parts);
    return { method, params: [{ ...call, data }, ...rest] };
  }
  if (typeof call === 'object' && 'callbackUrl' in call) {
    return { method, params: [{ ...call, callbackUrl: parts.callbackUrl }, ...rest] };
  }
  return { method, params: deepRewrite(params, parts.names) as unknown[] };
}

function deepRewrite(value: unknown, names: Names): unknown {
  if (typeof value === 'string') return names.rewrite(value);
  if (Array.isArray(value)) return value.map((item) => deepRewrite(item, names));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [key, deepRewrite(item, names)]),
  );
}

/**
 * The hash in this run of the same payload: already known, or stored now. A hash that no manager
 * had is returned unchanged.
 */
async function stored(data: string, node: NodeName, parts: RewriteParts): Promise<string> {
  if (data.length !== HASH_HEX_LENGTH || isFiller(data)) return data;
  const known = parts.names.get(data);
  if (known !== undefined) return known;
  const payload = parts.recording.held[data]?.payload ?? ANY_PAYLOAD;
  const live = await parts.storeRaw(node, parts.names.rewrite(payload));
  parts.names.bind(data, live);
  return live;
}

/** Whether it is a made-up hash: one byte, 64 times. */
function isFiller(data: string): boolean {
  return data.slice(2) === data.slice(2, 4).repeat(64);
}

async function resigned(raw: string, node: NodeName, parts: RewriteParts): Promise<string> {
  let fields: string[];
  try {
    fields = decodeRlp(raw) as string[];
  } catch {
    return raw;
  }
  const body = fields.slice(0, DATA_FIELD + 1);
  const data = await stored(body[DATA_FIELD]!, node, parts);
  if (data === body[DATA_FIELD]) return raw;
  const [v, r, s] = fields.slice(DATA_FIELD + 1).map((field) => BigInt(field === '0x' ? 0 : field));
  const style = signatureStyle(v!);
  const chain = style.isProtected ? [hex(CHAIN_ID), '0x', '0x'] : [];
  const secret = parts.recording.secrets.get(
    senderOf([...body, ...chain], Number(v! - style.base), r!, s!),
  );
  if (secret === undefined) throw new Error('the recording has no key of the sender');
  body[DATA_FIELD] = data;
  const signed = new SigningKey(secret).sign(keccak256(encodeRlp([...body, ...chain])));
  return encodeRlp([
    ...body,
    hex(style.base + BigInt(signed.yParity)),
    hex(BigInt(signed.r)),
    hex(BigInt(signed.s)),
  ]);
}

function signatureStyle(v: bigint): { readonly base: bigint; readonly isProtected: boolean } {
  for (const base of [27n, 37n]) if (v - base <= 1n) return { base, isProtected: false };
  return { base: 35n + 2n * CHAIN_ID, isProtected: true };
}

function senderOf(body: readonly string[], parity: number, r: bigint, s: bigint): string {
  const word = (value: bigint) => `0x${value.toString(16).padStart(64, '0')}`;
  const signature = { r: word(r), s: word(s), v: 27 + parity };
  const digest = keccak256(encodeRlp([...body]));
  return computeAddress(SigningKey.recoverPublicKey(digest, signature)).toLowerCase();
}

function hex(value: bigint): string {
  if (value === 0n) return '0x';
  const digits = value.toString(16);
  return `0x${digits.padStart(digits.length + (digits.length % 2), '0')}`;
}

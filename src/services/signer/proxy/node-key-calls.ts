/**
 * The methods by which a node uses its key: `nodekey_publicKey`, `nodekey_sign` and `nodekey_ecdh`
 * (docs/signer.md).
 */
import { hexOfLength, toHex } from '../../../core/base/hex.ts';
import type { Clock } from '../../../core/base/ports.ts';
import { secp256k1 } from '../../../core/base/secp256k1.ts';
import { badParams, refuse } from '../../../core/signing/failures.ts';
import type { Guard, Identity } from '../../../core/signing/guard.ts';
import type { NodeKeySigner, NodeKeys } from '../../../core/signing/node-keys.ts';
import { NodeKeyRate } from './node-key-rate.ts';

export const NODE_KEY_METHODS = ['nodekey_publicKey', 'nodekey_sign', 'nodekey_ecdh'] as const;
export type NodeKeyMethod = (typeof NODE_KEY_METHODS)[number];

export class NodeKeyCalls {
  private readonly keys: NodeKeys;
  private readonly guard: Guard;
  private readonly rate: NodeKeyRate;

  constructor(keys: NodeKeys, guard: Guard, clock: Clock) {
    this.keys = keys;
    this.guard = guard;
    this.rate = new NodeKeyRate(clock);
  }

  /** 0x hex. Throws SIGNER_…. */
  async answer(method: NodeKeyMethod, params: unknown, identity: Identity): Promise<string> {
    const [address, subject, ...more] = textsOf(params);
    if (more.length > 0) throw badParams('too many parameters');
    const key = this.find(address ?? this.onlyKey(identity, method), identity, method);
    if (!this.rate.take(toHex(key.address))) throw refuse('SIGNER_BUSY');
    const answer = await answerOf(method, key, subject);
    this.guard.usedNodeKey?.(identity, toHex(key.address), method);
    return toHex(answer);
  }

  /** Only `nodekey_publicKey` may omit the address. */
  private onlyKey(identity: Identity, method: NodeKeyMethod): string {
    if (method !== 'nodekey_publicKey') throw badParams('the address of the node key is missing');
    const usable = this.keys
      .addresses()
      .filter((address) => identity.mayUseNodeKey?.(address, method) === true);
    if (usable.length === 1) return usable[0]!;
    if (usable.length === 0) throw forbidden();
    throw badParams(`there are ${usable.length} node keys: name one by its address`);
  }

  /** A key that the caller may not use is treated like a missing one. */
  private find(address: string, identity: Identity, method: NodeKeyMethod): NodeKeySigner {
    const key = this.keys.find(address.toLowerCase());
    if (key && identity.mayUseNodeKey?.(address.toLowerCase(), method) === true) return key;
    throw forbidden();
  }
}

async function answerOf(
  method: NodeKeyMethod,
  key: NodeKeySigner,
  subject: string | undefined,
): Promise<Uint8Array> {
  if (method === 'nodekey_publicKey') return key.publicKey();
  if (method === 'nodekey_sign') return key.sign(bytesOf(subject, 32, 'the hash'));
  const publicKey = bytesOf(subject, 64, 'the public key');
  if (!secp256k1().isPublicKey(publicKey)) throw badParams('the public key is not on the curve');
  const secret = key.sharedX(publicKey);
  if (!secret) throw refuse('SIGNER_UNAVAILABLE');
  return secret;
}

function forbidden(): Error {
  return refuse('SIGNER_FORBIDDEN', 'there is no node key that this caller may use');
}

function textsOf(params: unknown): readonly string[] {
  if (params === undefined || params === null) return [];
  if (Array.isArray(params) && params.every((each) => typeof each === 'string')) return params;
  throw badParams('a list of texts is expected');
}

function bytesOf(text: string | undefined, length: number, what: string): Uint8Array {
  const bytes = hexOfLength(text, length);
  if (bytes) return bytes;
  throw badParams(`${what} must be 0x and ${2 * length} hex digits`);
}

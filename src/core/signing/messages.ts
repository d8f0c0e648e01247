/**
 * Messages and typed data to be signed for a client (EthSigner EthSignResultProvider; EIP-191,
 * EIP-712).
 */
import { concatBytes, type Hash32 } from '../base/bytes.ts';
import { hasCode } from '../base/errors.ts';
import { fromHex } from '../base/hex.ts';
import { keccak256 } from '../base/keccak.ts';
import { typedDataHash } from '../base/typed-data.ts';
import { badParams } from './failures.ts';
import { accountName, type Fields, objectOf } from './request-fields.ts';

const utf8 = new TextEncoder();
const PREFIX = utf8.encode('\x19Ethereum Signed Message:\n');

export interface MessageRequest {
  /** 0x, lower case. */
  readonly account: string;
  readonly digest: Hash32;
}

export interface TypedDataRequest extends MessageRequest {
  /** Set only if the domain's hash covers this member. */
  readonly domainName: string | undefined;
  readonly verifyingContract: string | undefined;
  readonly primaryType: string | undefined;
}

/** Reads the parameters of `eth_sign`: an account and a message, as text or hex with 0x. */
export function readMessage(params: unknown): MessageRequest {
  const [account, message] = twoOf(params);
  if (Array.isArray(params) && params.length !== 2)
    throw badParams('an account and a message are required');
  if (typeof message !== 'string') throw badParams('the message must be text');
  const bytes = /^0x/i.test(message) ? hexMessage(message) : utf8.encode(message);
  return { account, digest: messageDigest(bytes) };
}

/** keccak256 of prefix, length and message (EIP-191, version 0x45). */
function messageDigest(message: Uint8Array): Hash32 {
  return keccak256(concatBytes(PREFIX, utf8.encode(String(message.length)), message));
}

/** The account of `eth_signTypedData`, before its data is decoded. */
export function typedDataAccount(params: unknown): string {
  return twoOf(params)[0];
}

/**
 * Reads the parameters of `eth_signTypedData`: an account and a structure, as an object or as JSON
 * text; further parameters are ignored.
 */
export function readTypedData(params: unknown): TypedDataRequest {
  const [account, given] = twoOf(params);
  const data = typedFields(given);
  try {
    return {
      account,
      digest: typedDataHash(data),
      domainName: domainMember(data, 'name', 'string'),
      verifyingContract: domainMember(data, 'verifyingContract', 'address')?.toLowerCase(),
      primaryType: typeof data.primaryType === 'string' ? data.primaryType : undefined,
    };
  } catch (error) {
    if (hasCode(error, 'TYPED_DATA_INVALID')) throw badParams(error.message);
    throw error;
  }
}

/** Members that the domain's type does not list are not signed. */
function domainMember(data: Fields, name: string, type: string): string | undefined {
  const { EIP712Domain: members } = data.types as Record<string, unknown>;
  const isSigned =
    Array.isArray(members) &&
    members.some((member: Fields) => member.name === name && member.type === type);
  const value = (data.domain as Fields)[name];
  return isSigned && typeof value === 'string' ? value : undefined;
}

function typedFields(given: unknown): Fields {
  if (typeof given !== 'string') return objectOf(given, 'the typed data');
  let parsed: unknown;
  try {
    parsed = JSON.parse(given);
  } catch {
    throw badParams('the typed data is not JSON');
  }
  return objectOf(parsed, 'the typed data');
}

function twoOf(params: unknown): [string, unknown] {
  if (!Array.isArray(params) || params.length < 2 || typeof params[0] !== 'string')
    throw badParams('an account and the data to sign are required');
  return [accountName(params[0]), params[1]];
}

function hexMessage(text: string): Uint8Array {
  try {
    return fromHex(text);
  } catch {
    throw badParams('a message that begins with 0x must be whole bytes in hex');
  }
}

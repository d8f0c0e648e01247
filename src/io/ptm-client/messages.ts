/**
 * JSON between node and manager, with fields in GoQuorum's order (GoQuorum
 * private/engine/tessera/model.go).
 */

import { isZeroBytes } from '../../core/base/bytes.ts';
import { fail } from '../../core/base/errors.ts';
import type { SealedParts } from '../../core/privacy/extension.ts';
import type { HeldPayload, PrivacyFlag } from '../../core/privacy/inputs.ts';
import type {
  ManagerGroup,
  OutgoingPayload,
  PeerComparison,
  ResidentGroup,
  SentPayload,
} from '../../core/privacy/manager-port.ts';
import type { PayloadHash } from '../../core/privacy/marker.ts';
import { reasonOf } from '../host/reason.ts';

const HASH_BYTES = 64;
const EXEC_HASH_BYTES = 32;

type Fields = Readonly<Record<string, unknown>>;
type Terms = Pick<
  OutgoingPayload,
  'to' | 'flag' | 'affected' | 'execHash' | 'mandatory' | 'privacyGroupId'
>;

function base64(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('base64');
}

/** COMPAT: Go's encoder ends every document with a newline. */
export function document(fields: Fields): string {
  return `${JSON.stringify(fields)}\n`;
}

export function sendBody(payload: Uint8Array, from: string | undefined, terms: Terms): string {
  return document({ payload: base64(payload), ...sender(from), ...termFields(terms) });
}

export function storeRawBody(payload: Uint8Array, from: string | undefined): string {
  return document({ payload: base64(payload), ...sender(from) });
}

export function sendSignedBody(hash: PayloadHash, terms: Terms): string {
  return document({ hash: base64(hash), ...termFields(terms) });
}

export function rawQuery(hash: PayloadHash): string {
  return document({ hash: base64(hash) });
}

/** COMPAT: escaped for a path as in Go: only `/`, while `+` and `=` stay. */
export function hashInPath(hash: PayloadHash): string {
  return base64(hash).replaceAll('/', '%2F');
}

/** Throws PTM_ANSWER_INVALID when the manager's text is not an object. */
export function parseAnswer(body: Uint8Array, method: string, path: string): Fields {
  try {
    const value: unknown = JSON.parse(Buffer.from(body).toString('utf8'));
    if (typeof value === 'object' && value !== null) return value as Fields;
    throw new Error('it is not an object');
  } catch (cause) {
    throw fail(
      'PTM_ANSWER_INVALID',
      `unable to decode response body for (method:${method},path:${path}). Cause: ${reasonOf(cause)}`,
      { cause },
    );
  }
}

export function parseSent(fields: Fields): SentPayload {
  return {
    hash: parseHash(fields.key),
    managedParties: strings(fields.managedParties),
    senderKey: typeof fields.senderKey === 'string' ? fields.senderKey : '',
  };
}

export function parseHash(value: unknown): PayloadHash {
  const text = typeof value === 'string' ? value : '';
  const hash = new Uint8Array(Buffer.from(text, 'base64'));
  if (hash.length !== HASH_BYTES) {
    throw fail(
      'PTM_ANSWER_INVALID',
      `unable to decode encrypted payload hash: ${text.slice(0, 128)}. Cause: it is not base64 of ${HASH_BYTES} bytes`,
    );
  }
  return hash;
}

export function parseHeld(fields: Fields): HeldPayload {
  const flag = fields.privacyFlag ?? 0;
  if (flag !== 0 && flag !== 1 && flag !== 2 && flag !== 3) {
    throw fail(
      'PTM_ANSWER_INVALID',
      'the private transaction manager names an unknown privacy flag',
    );
  }
  const execHash = typeof fields.execHash === 'string' ? fields.execHash : '';
  return {
    kind: 'held',
    payload: new Uint8Array(Buffer.from(string(fields.payload), 'base64')),
    flag: flag as PrivacyFlag,
    affected: strings(fields.affectedContractTransactions).map(parseHash),
    execHash: execHash === '' ? undefined : parseExecHash(execHash),
    managedParties: strings(fields.managedParties),
    senderKey: typeof fields.senderKey === 'string' ? fields.senderKey : '',
    ...(typeof fields.privacyGroupId === 'string' ? { privacyGroupId: fields.privacyGroupId } : {}),
  };
}

/** Returns undefined for anything but sealed parts, because a peer may have sent any content. */
export function parseSealedParts(payload: Uint8Array): SealedParts | undefined {
  try {
    const value = JSON.parse(Buffer.from(payload).toString('utf8')) as Fields | null;
    return typeof value?.senderKey === 'string' ? (value as unknown as SealedParts) : undefined;
  } catch {
    return undefined;
  }
}

export function parseGroup(value: Fields): ManagerGroup {
  return {
    id: string(value.privacyGroupId),
    name: typeof value.name === 'string' ? value.name : '',
    description: typeof value.description === 'string' ? value.description : '',
    type: typeof value.type === 'string' ? value.type : '',
    members: strings(value.members),
  };
}

export function parseGroups(value: unknown): ResidentGroup[] {
  if (!Array.isArray(value)) {
    throw fail('PTM_ANSWER_INVALID', 'the private transaction manager lists no groups');
  }
  return value.map((item: Fields) => ({
    name: string(item.name),
    description: typeof item.description === 'string' ? item.description : '',
    members: strings(item.members),
  }));
}

export function parseComparison(fields: Fields): PeerComparison {
  const list = (value: unknown): Fields[] => (Array.isArray(value) ? value : []);
  return {
    arrivals: string(fields.arrivals),
    missing: list(fields.missing).map(({ hash, peer }) => ({
      hash: parseHash(hash),
      peer: string(peer),
    })),
    differing: list(fields.differing).map(({ number, peer, psi, payload }) => ({
      number: Number(number),
      peer: string(peer),
      ...(typeof psi === 'string' ? { psi } : {}),
      ...(typeof payload === 'string' ? { payload: parseHash(payload) } : {}),
    })),
  };
}

function parseExecHash(text: string): Uint8Array {
  const bytes = new Uint8Array(Buffer.from(text, 'base64'));
  if (bytes.length !== EXEC_HASH_BYTES) {
    throw fail(
      'PTM_ANSWER_INVALID',
      `unable to decode execution hash ${text.slice(0, 64)}. Cause: it is not base64 of ${EXEC_HASH_BYTES} bytes`,
    );
  }
  return bytes;
}

function termFields(terms: Terms): Fields {
  const { to, flag, affected, execHash, mandatory, privacyGroupId } = terms;
  const root = execHash && !isZeroBytes(execHash) ? { execHash: base64(execHash) } : {};
  return {
    to,
    affectedContractTransactions: affected.map(base64),
    ...root,
    privacyFlag: flag,
    mandatoryRecipients: mandatory ?? null,
    ...(privacyGroupId === undefined ? {} : { privacyGroupId }),
  };
}

function sender(from: string | undefined): Fields {
  return from === undefined || from === '' ? {} : { from };
}

function string(value: unknown): string {
  if (typeof value === 'string') return value;
  throw fail('PTM_ANSWER_INVALID', "the private transaction manager's answer lacks a text field");
}

function strings(value: unknown): string[] {
  if (value === undefined || value === null) return [];
  if (Array.isArray(value) && value.every((item) => typeof item === 'string')) return value;
  throw fail(
    'PTM_ANSWER_INVALID',
    "the private transaction manager's answer lacks a list of texts",
  );
}

/** The error in GoQuorum's words. */
export function submitFailed(method: string, path: string, cause: unknown): Error {
  return fail(
    'PTM_UNREACHABLE',
    `unable to submit request (method:${method},path:${path}). Cause: ${reasonOf(cause)}`,
    { cause },
  );
}

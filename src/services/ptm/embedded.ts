/** The manager as a node's `Manager` port, without HTTP, for a process that contains both. */
import { fromBase64 } from '../../core/base/base64.ts';
import { EMPTY_BYTES, isZeroBytes } from '../../core/base/bytes.ts';
import { hasCode } from '../../core/base/errors.ts';
import type { EncodedPayload } from '../../core/payload/payload.ts';
import {
  type HeldPayload,
  type PrivateAnswer,
  type PrivateQuery,
  queryKey,
} from '../../core/privacy/inputs.ts';
import type { Manager, ManagerFeatures, OutgoingPayload } from '../../core/privacy/manager-port.ts';
import type { PayloadHash } from '../../core/privacy/marker.ts';
import { base64, sealedBody } from './api/replies.ts';
import { envelopeOf } from './api/requests.ts';
import type { PrivateTransactionManager } from './manager/manager.ts';
import type { Received, SendTerms, Sent } from './manager/send-terms.ts';

/** Errors are the manager's own (PTM_…), with the texts of its HTTP answers. */
export function embeddedManager(
  manager: PrivateTransactionManager,
  features: ManagerFeatures,
): Manager {
  return {
    features,
    isInUse: true,
    async ask(queries) {
      const answers = await Promise.all(queries.map((query) => answer(manager, query)));
      return new Map(queries.map((query, i) => [queryKey(query), answers[i]!]));
    },
    async send(payload) {
      const from = payload.from ? fromBase64(payload.from) : undefined;
      return sent(await manager.send(payload.payload, from, terms(payload)));
    },
    storeRaw: (payload, from) => manager.storeRaw(payload, from ? fromBase64(from) : undefined),
    sendSigned: async (payload) => sent(await manager.sendSigned(payload.hash, terms(payload))),
    async receiveRaw(hash) {
      const received = await held(manager.receiveRaw(hash));
      return received && { payload: received.payload, senderKey: base64(received.senderKey) };
    },
    participants: async (hash) => (await manager.participants(hash)).map(base64),
    mandatory: async (hash) => (await manager.mandatory(hash)).map(base64),
    groups: async () => manager.groups,
    async encryptPayload(payload) {
      const from = payload.from ? fromBase64(payload.from) : undefined;
      const wanted = terms({ ...payload, mandatory: undefined });
      return sealedBody(await manager.createEnvelope(payload.payload, from, wanted));
    },
    decryptPayload: async (parts) => heldPayload(manager.openEnvelope(envelopeOf({ ...parts }))),
  };
}

async function answer(
  manager: PrivateTransactionManager,
  query: PrivateQuery,
): Promise<PrivateAnswer> {
  const { hash, kind } = query;
  if (isZeroBytes(hash)) return { kind: 'notParty' };
  if (kind === 'isSender') {
    return { kind: 'fact', value: (await held(manager.isSender(hash))) ?? false };
  }
  const received = await held(kind === 'payload' ? manager.receive(hash) : opened(manager, hash));
  return received ? heldPayload(received) : { kind: 'notParty' };
}

/**
 * Opens an envelope, whose six parts are sent as JSON inside another payload. Undefined when a peer
 * sent something else there.
 */
async function opened(
  manager: PrivateTransactionManager,
  hash: PayloadHash,
): Promise<Received | undefined> {
  const envelope = parseEnvelope((await manager.receive(hash)).payload);
  return envelope && manager.openEnvelope(envelope);
}

function parseEnvelope(bytes: Uint8Array): EncodedPayload | undefined {
  try {
    return envelopeOf(JSON.parse(Buffer.from(bytes).toString('utf8')));
  } catch {
    return undefined;
  }
}

function heldPayload(received: Received): HeldPayload {
  const execHash = Buffer.from(received.execHash).toString('latin1');
  return {
    kind: 'held',
    payload: received.payload,
    flag: received.flag,
    affected: received.affected,
    execHash: execHash === '' ? undefined : fromBase64(execHash),
    managedParties: received.managedParties.map(base64),
    senderKey: base64(received.senderKey),
  };
}

async function held<T>(read: Promise<T>): Promise<T | undefined> {
  try {
    return await read;
  } catch (error) {
    if (hasCode(error, 'PTM_NOT_FOUND')) return undefined;
    throw error;
  }
}

function terms({
  to,
  flag,
  affected,
  execHash,
  mandatory,
}: Omit<OutgoingPayload, 'payload' | 'from'>): SendTerms {
  const root = execHash && !isZeroBytes(execHash) ? Buffer.from(base64(execHash)) : EMPTY_BYTES;
  return {
    to: to.map(fromBase64),
    flag,
    affected,
    execHash: new Uint8Array(root),
    mandatory: (mandatory ?? []).map(fromBase64),
  };
}

function sent({ hash, managedParties, senderKey }: Sent) {
  return { hash, managedParties: managedParties.map(base64), senderKey: base64(senderKey) };
}

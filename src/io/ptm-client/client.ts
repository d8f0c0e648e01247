/**
 * The node's side of the private transaction manager: `Manager` over HTTP or a unix socket
 * (GoQuorum private/private.go).
 */

import { isZeroBytes } from '../../core/base/bytes.ts';
import { fail } from '../../core/base/errors.ts';
import type { Log } from '../../core/base/ports.ts';
import type { SealedParts } from '../../core/privacy/extension.ts';
import {
  type HeldPayload,
  type PrivateAnswer,
  type PrivateQuery,
  queryKey,
} from '../../core/privacy/inputs.ts';
import type {
  Manager,
  ManagerFeatures,
  ManagerGroups,
  OutgoingPayload,
  ResidentGroup,
  SentPayload,
} from '../../core/privacy/manager-port.ts';
import type { PayloadHash } from '../../core/privacy/marker.ts';
import { statesToJson } from '../../core/privacy/private-roots.ts';
import { reasonOf } from '../host/reason.ts';
import type { HttpAnswer } from '../http/http-call.ts';
import { PayloadCache } from './cache.ts';
import type { ConnectedManager } from './connected-manager.ts';
import { Courier, type CourierAnswer, type Fields } from './courier.ts';
import { gatherPayloads } from './gather.ts';
import { heldAs } from './held-payload.ts';
import {
  document,
  hashInPath,
  parseAnswer,
  parseComparison,
  parseGroup,
  parseGroups,
  parseHash,
  parseHeld,
  parseSealedParts,
  parseSent,
  rawQuery,
  sendBody,
  sendSignedBody,
  storeRawBody,
  submitFailed,
} from './messages.ts';
import { participantsOf } from './participants.ts';
import { isNotFound, isRefusal, plainRefusal, refused } from './refusals.ts';
import type { Transport } from './transport.ts';
import { checkFlag } from './versions.ts';

const MEDIA = {
  json: 'application/json',
  tenancy: 'application/vnd.tessera-2.1+json',
  mandatory: 'application/vnd.tessera-4.0+json',
} as const;
/** Fetching a raw payload is retried during a short outage, as in GoQuorum. */
const RAW_TRIES = 5;
const RAW_RETRY_MS = 1000;

export interface ManagerHost {
  readonly say: Log;
  readonly nowMs?: () => number;
  readonly retryMs?: number;
}

/** Created by connectManager, which finds out the manager's features. */
export class HttpManager implements ConnectedManager {
  readonly name = 'Tessera';
  readonly isInUse = true;
  readonly features: ManagerFeatures;
  private readonly transport: Transport;
  readonly compare: Manager['compare'];
  /** What the manager accepts in batches: connect.ts. */
  private readonly batchLevel: number;
  /** Present if the manager accepts sends in batches. */
  private readonly courier: Courier | undefined;
  private readonly host: ManagerHost;
  private readonly cache: PayloadCache;

  constructor(
    transport: Transport,
    features: ManagerFeatures,
    batchLevel: number,
    host: ManagerHost,
  ) {
    this.transport = transport;
    this.features = features;
    this.batchLevel = batchLevel;
    this.courier = batchLevel >= 2 ? new Courier(transport) : undefined;
    if (batchLevel >= 3) {
      this.compare = async (states, when) => {
        const path = when === 'now' ? '/comparison/run' : '/comparison';
        const known = batchLevel >= 4 ? states : states.map(({ digests: _, ...state }) => state);
        const body = document(statesToJson(known));
        return parseComparison(await this.submit('POST', path, body, MEDIA.json));
      };
    }
    this.host = host;
    this.cache = new PayloadCache(host.nowMs ?? Date.now);
  }

  readonly privacyGroups: ManagerGroups = {
    create: async ({ name, description, from, members }) => {
      const fields = { name, description, from, addresses: members };
      const body = await this.askGroups('/createPrivacyGroup', fields);
      return parseGroup(parseAnswer(body, 'POST', '/createPrivacyGroup')).id;
    },
    find: async (members) => {
      const body = await this.askGroups('/findPrivacyGroup', { addresses: members });
      const found = parseAnswer(body, 'POST', '/findPrivacyGroup');
      return Array.isArray(found) ? found.map(parseGroup) : [];
    },
    delete: async (id, from) => {
      await this.askGroups('/deletePrivacyGroup', { privacyGroupId: id, from });
      return id;
    },
  };

  private async askGroups(path: string, fields: Fields): Promise<Uint8Array> {
    const answer = await this.reach('POST', path, () =>
      this.transport.json('POST', path, MEDIA.json, document(fields)),
    );
    if (answer.status !== 200) {
      throw refused(answer.status, Buffer.from(answer.body).toString('utf8'));
    }
    return answer.body;
  }

  /** All or nothing: rejects with the first failure, so that the caller tries again. */
  async ask(queries: readonly PrivateQuery[]): Promise<ReadonlyMap<string, PrivateAnswer>> {
    const answers = new Map<string, PrivateAnswer>();
    const payloads = new Map<string, PayloadHash>();
    const others = new Map<string, PrivateQuery>();
    for (const query of queries) {
      const name = queryKey(query);
      const known = query.kind === 'payload' ? this.cache.get(query.hash) : undefined;
      if (isZeroBytes(query.hash)) answers.set(name, { kind: 'notParty' });
      else if (known) answers.set(name, known);
      else if (query.kind === 'payload') payloads.set(name, query.hash);
      else others.set(name, query);
    }
    const found = await gatherPayloads([...payloads.values()], {
      batch: this.batchLevel >= 1,
      fetchOne: (hash) => this.fetch(hash),
      fetchMany: (hashes) => this.fetchMany(hashes),
    });
    for (const [i, name] of [...payloads.keys()].entries()) {
      const held = found[i];
      if (held) this.cache.set(payloads.get(name)!, held);
      answers.set(name, held ?? { kind: 'notParty' });
    }
    for (const [name, query] of others) answers.set(name, await this.askOther(query));
    return answers;
  }

  async send(payload: OutgoingPayload): Promise<SentPayload> {
    checkFlag(payload, this.features);
    const body = sendBody(payload.payload, payload.from, payload);
    const sent = parseSent(await this.deliver('/send', body));
    this.cache.set(sent.hash, heldAs(payload, payload.payload, sent));
    return sent;
  }

  async storeRaw(payload: Uint8Array, from: string | undefined): Promise<PayloadHash> {
    const fields = await this.deliver('/storeraw', storeRawBody(payload, from));
    const hash = parseHash(fields.key);
    // Without `from` only the manager knows the sender: the payload is fetched when it is needed.
    if (from !== undefined && from !== '') {
      this.cache.setRaw(hash, {
        kind: 'held',
        payload,
        flag: 0,
        affected: [],
        execHash: undefined,
        managedParties: [from],
        senderKey: from,
      });
    }
    return hash;
  }

  async sendSigned(
    terms: Omit<OutgoingPayload, 'payload' | 'from'> & { hash: PayloadHash },
  ): Promise<SentPayload> {
    checkFlag(terms, this.features);
    const sent = this.features.privacyEnhancements
      ? parseSent(await this.deliver('/sendsignedtx', sendSignedBody(terms.hash, terms)))
      : await this.sendSignedOctets(terms.hash, terms.to);
    const raw = this.cache.getRaw(terms.hash);
    if (raw) {
      this.cache.set(terms.hash, heldAs(terms, raw.payload, sent));
      this.cache.deleteRaw(terms.hash);
    }
    return sent;
  }

  async receiveRaw(
    hash: PayloadHash,
  ): Promise<{ payload: Uint8Array; senderKey: string } | undefined> {
    if (isZeroBytes(hash)) return undefined;
    const known = this.cache.getRaw(hash);
    if (known) return known;
    for (let attempt = 1; ; attempt++) {
      try {
        const held = parseHeld(await this.fetchRaw(hash));
        this.cache.setRaw(hash, held);
        return held;
      } catch (error) {
        if (isNotFound(error)) return undefined;
        if (attempt === RAW_TRIES) throw error;
        this.host.say(
          'warn',
          'could not fetch from the private transaction manager; trying again',
          {
            attempt,
            error: reasonOf(error),
          },
        );
        await new Promise((resolve) => setTimeout(resolve, this.host.retryMs ?? RAW_RETRY_MS));
      }
    }
  }

  participants(hash: PayloadHash): Promise<readonly string[]> {
    const alone = () => this.text(hash, 'participants', 'Non');
    return participantsOf(hash, alone, this.batchLevel >= 5 ? this.courier : undefined);
  }

  async mandatory(hash: PayloadHash): Promise<readonly string[]> {
    return (await this.text(hash, 'mandatory', 'Non')).split(',');
  }

  async groups(): Promise<readonly ResidentGroup[]> {
    return parseGroups(await this.submit('GET', '/groups/resident', undefined, MEDIA.json));
  }

  async encryptPayload(payload: Omit<OutgoingPayload, 'mandatory'>): Promise<SealedParts> {
    const body = sendBody(payload.payload, payload.from, { ...payload, mandatory: undefined });
    const fields = await this.submit('POST', '/encodedpayload/create', body);
    return fields as unknown as SealedParts;
  }

  async decryptPayload(parts: SealedParts): Promise<HeldPayload> {
    const body = document({
      senderKey: parts.senderKey,
      cipherText: parts.cipherText,
      cipherTextNonce: parts.cipherTextNonce,
      recipientBoxes: parts.recipientBoxes,
      recipientNonce: parts.recipientNonce,
      recipientKeys: parts.recipientKeys,
    });
    return parseHeld(await this.submit('POST', '/encodedpayload/decrypt', body));
  }

  async ping(): Promise<void> {
    const call = () => this.transport.plain('/upcheck');
    const { status } = await this.reach('GET', '/upcheck', call);
    if (status !== 200) {
      throw fail('PTM_NOT_READY', `private transaction manager is not ready: status ${status}`);
    }
  }

  close(): void {
    this.transport.close();
  }

  private async askOther(query: PrivateQuery): Promise<PrivateAnswer> {
    try {
      if (query.kind === 'isSender') {
        return { kind: 'fact', value: (await this.text(query.hash, 'isSender', 'non')) === 'true' };
      }
      const held = await this.fetch(query.hash);
      const parts = held && parseSealedParts(held.payload);
      return parts ? await this.decryptPayload(parts) : { kind: 'notParty' };
    } catch (error) {
      if (query.kind === 'isSender' ? !isNotFound(error) : !isRefusal(error)) throw error;
      return query.kind === 'isSender' ? { kind: 'fact', value: false } : { kind: 'notParty' };
    }
  }

  private async fetch(hash: PayloadHash): Promise<HeldPayload | undefined> {
    try {
      return parseHeld(await this.submit('GET', `/transaction/${hashInPath(hash)}?isRaw=false`));
    } catch (error) {
      if (isNotFound(error)) return undefined;
      throw error;
    }
  }

  /** May answer only the first of the requested hashes. */
  private async fetchMany(
    hashes: readonly PayloadHash[],
  ): Promise<readonly (HeldPayload | undefined)[]> {
    const body = document({
      hashes: hashes.map((hash) => Buffer.from(hash).toString('base64')),
    });
    const { answers } = await this.submit('POST', '/transactions/batch', body, MEDIA.json);
    if (!Array.isArray(answers) || (answers.length === 0 && hashes.length > 0)) {
      throw fail('PTM_ANSWER_INVALID', 'the private transaction manager answers no batch');
    }
    return answers.map((answer: Record<string, unknown> | null) => {
      if (answer === null) return undefined;
      if (typeof answer.error === 'string') throw refused(500, answer.error);
      return parseHeld(answer);
    });
  }

  private async sendSignedOctets(hash: PayloadHash, to: readonly string[]): Promise<SentPayload> {
    const path = '/sendsignedtx';
    const answer = await this.reach('POST', path, () =>
      this.transport.octets(path, hash, [['c11n-to', to.join(',')]]),
    );
    if (answer.status !== 200) throw plainRefusal(answer, 'Non');
    const header = (name: string): string => {
      const value = answer.headers[name];
      return Array.isArray(value) ? value.join(',') : (value ?? '');
    };
    const parties = header('tesseramanagedparties');
    return {
      hash: parseHash(Buffer.from(answer.body).toString('utf8')),
      managedParties: parties === '' ? [] : parties.split(','),
      senderKey: header('tesserasender'),
    };
  }

  private async text(hash: PayloadHash, what: string, negation: string): Promise<string> {
    const answer = await this.transport.plain(`/transaction/${hashInPath(hash)}/${what}`);
    if (answer.status !== 200) throw plainRefusal(answer, negation);
    return Buffer.from(answer.body).toString('utf8');
  }

  private fetchRaw(hash: PayloadHash): Promise<Fields> {
    const alone = () => this.answer('GET', `/transaction/${hashInPath(hash)}?isRaw=true`);
    return this.deliver('/transaction/raw', rawQuery(hash), alone);
  }

  /** Sends a request, together with others if the manager accepts batches. */
  private async deliver(
    path: string,
    body: string,
    alone = () => this.answer('POST', path, body),
  ): Promise<Fields> {
    const asked = this.courier?.ask({ path, media: this.media(path), body, alone }) ?? alone();
    const { status, body: fields, text } = await asked;
    if (status !== 200 && status !== 201) throw refused(status, text ?? '');
    if (typeof fields === 'object' && fields !== null) return fields;
    throw fail('PTM_ANSWER_INVALID', 'the private transaction manager answers without a body');
  }

  private async answer(
    method: 'GET' | 'POST',
    path: string,
    body?: string,
  ): Promise<CourierAnswer> {
    const call = () => this.transport.json(method, path, this.media(path), body);
    const answer = await this.reach(method, path, call);
    const isGood = answer.status === 200 || answer.status === 201;
    return isGood
      ? { status: answer.status, body: parseAnswer(answer.body, method, path) }
      : { status: answer.status, text: Buffer.from(answer.body).toString('utf8') };
  }

  private async submit(
    method: 'GET' | 'POST',
    path: string,
    body?: string,
    media: string = this.media(path),
  ): Promise<Readonly<Record<string, unknown>>> {
    const answer = await this.reach(method, path, () =>
      this.transport.json(method, path, media, body),
    );
    if (answer.status !== 200 && answer.status !== 201) {
      throw refused(answer.status, Buffer.from(answer.body).toString('utf8'));
    }
    return parseAnswer(answer.body, method, path);
  }

  private async reach(
    method: string,
    path: string,
    call: () => Promise<HttpAnswer>,
  ): Promise<HttpAnswer> {
    try {
      return await call();
    } catch (cause) {
      throw submitFailed(method, path, cause);
    }
  }

  private media(path: string): string {
    if (this.features.mandatoryRecipients && (path === '/send' || path === '/sendsignedtx')) {
      return MEDIA.mandatory;
    }
    return this.features.multiTenancy ? MEDIA.tenancy : MEDIA.json;
  }
}

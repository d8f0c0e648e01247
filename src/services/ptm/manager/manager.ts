/**
 * The private transaction manager: implements its APIs with enclave, store and peers (Tessera
 * TransactionManagerImpl).
 */
import { toBase64 } from '../../../core/base/base64.ts';
import { EMPTY_BYTES, equalBytes } from '../../../core/base/bytes.ts';
import { fail, hasCode, QuorateError } from '../../../core/base/errors.ts';
import type { Watch } from '../../../core/base/ports.ts';
import {
  type AffectedPayload,
  type EncodedPayload,
  hasKey,
  mergeSent,
  type PublicKey,
  RECIPIENTS_MAX,
  withoutDuplicates,
} from '../../../core/payload/payload.ts';
import { decodePayload } from '../../../core/payload/payload-decode.ts';
import { decodeGroup } from '../../../core/payload/payload-group.ts';
import { MANDATORY_RECIPIENTS, STANDARD_PRIVATE } from '../../../core/privacy/flags.ts';
import type { ResidentGroup } from '../../../core/privacy/manager-port.ts';
import type { PayloadHash } from '../../../core/privacy/marker.ts';
import { Arrivals } from './arrivals.ts';
import type { Distributor } from './distributor.ts';
import type { Enclave } from './enclave.ts';
import { checkMember, notOfGroup } from './privacy-groups.ts';
import { acceptsArrival, checkSend, type HeldAffected, withoutForged } from './privacy-rules.ts';
import { metadataOf, type Received, type SendTerms, type Sent } from './send-terms.ts';
import type { SourceBudget } from './source-budget.ts';
import type { PayloadStore } from './store.ts';

export interface ManagerOptions {
  readonly enclave: Enclave;
  readonly store: PayloadStore;
  readonly distributor: Distributor;
  readonly groups: readonly ResidentGroup[];
  /** `features.enablePrivacyEnhancements`. */
  readonly enhancements: boolean;
  /** Searches for the managers of unknown keys; resolves when done. */
  readonly search: (keys: readonly PublicKey[]) => Promise<void>;
  /** Whether the manager of a key is known. */
  readonly knows: (key: PublicKey) => boolean;
  /** Bytes that senders with unknown managers may store here. */
  readonly strangers: SourceBudget;
  /** Reports to the operator how a node's request for a payload was answered. */
  readonly onAsked?: (answer: Asked, hash: PayloadHash) => void;
  /** Records what takes time; undefined: nothing is recorded. */
  readonly watch?: Watch | undefined;
  /** Called when a pushed payload is stored. */
  readonly onStored?: (hash: PayloadHash) => void;
}

/** `notOurs`: held, but for none of our keys. `damaged`: ours, but it does not open. */
export type Asked = 'held' | 'notHeld' | 'notOurs' | 'damaged';

export class PrivateTransactionManager {
  readonly enclave: Enclave;
  readonly groups: readonly ResidentGroup[];
  private readonly store: PayloadStore;
  private readonly distributor: Distributor;
  private readonly enhancements: boolean;
  private readonly search: ManagerOptions['search'];
  private readonly knows: ManagerOptions['knows'];
  private readonly strangers: SourceBudget;
  private readonly arrivals: Arrivals;
  private readonly onAsked: (answer: Asked, hash: PayloadHash) => void;
  private readonly onStored: (hash: PayloadHash) => void;
  private readonly storing: (work: () => Promise<void>) => Promise<void>;

  constructor(options: ManagerOptions) {
    this.enclave = options.enclave;
    this.store = options.store;
    this.distributor = options.distributor;
    this.groups = options.groups;
    this.enhancements = options.enhancements;
    this.search = options.search;
    this.knows = options.knows;
    this.strangers = options.strangers;
    this.arrivals = new Arrivals(options.enclave);
    this.onAsked = options.onAsked ?? (() => undefined);
    this.onStored = options.onStored ?? (() => undefined);
    const { watch } = options;
    this.storing = (work) => (watch ? watch.during('store payload', work) : work());
  }

  /** Resolves when our copy is durable and every recipient has one. */
  async send(message: Uint8Array, from: PublicKey | undefined, terms: SendTerms): Promise<Sent> {
    const sender = from ?? this.enclave.defaultKey();
    checkMember(terms, sender);
    const recipients = this.recipients([...terms.to, sender, ...this.enclave.forwardingKeys]);
    const held = await this.checkedAffected(terms, recipients);
    const payload = this.enclave.encrypt(message, sender, recipients, metadataOf(terms));
    const sent = this.withProofs(payload, held);
    return this.distribute(sent, (hash, owed) => this.store.put(hash, sent, owed));
  }

  /** Sends a payload stored by storeRaw; its hash stays the same. Throws PTM_NOT_FOUND. */
  async sendSigned(hash: PayloadHash, terms: SendTerms): Promise<Sent> {
    const raw = await this.store.getRaw(hash);
    if (!raw) throw notFound('Raw Transaction', hash);
    checkMember(terms, raw.senderKey);
    const { forwardingKeys } = this.enclave;
    const recipients = this.recipients([...terms.to, ...forwardingKeys, raw.senderKey]);
    const held = await this.checkedAffected(terms, recipients);
    const payload = this.enclave.encryptFromRaw(raw, recipients, metadataOf(terms));
    const sent = this.withProofs(payload, held);
    // A stored payload that does not open was not sent by us: it is replaced.
    const merge = (known: EncodedPayload | undefined) =>
      known && this.enclave.open(known) ? mergeSent(known, sent) : sent;
    // Conflicting terms are refused before anything is sent.
    merge(await this.store.get(hash));
    return this.distribute(sent, (same, owed) => this.store.merge(same, merge, owed));
  }

  async storeRaw(message: Uint8Array, from: PublicKey | undefined): Promise<PayloadHash> {
    const raw = this.enclave.encryptRaw(message, from ?? this.enclave.defaultKey());
    const hash = this.enclave.hash(raw);
    await this.storing(() => this.store.putRaw(hash, raw));
    return hash;
  }

  /** Throws PTM_NOT_FOUND if not held or not ours, PTM_PAYLOAD_DAMAGED or STORAGE_DAMAGED. */
  async receive(hash: PayloadHash, to?: PublicKey): Promise<Received> {
    try {
      const payload = await this.store.get(hash);
      if (payload) return this.openHeld(payload, hash, to);
    } catch (error) {
      if (hasCode(error, 'STORAGE_DAMAGED')) this.onAsked('damaged', hash);
      throw error;
    }
    this.onAsked('notHeld', hash);
    throw notFound('Message', hash);
  }

  /**
   * Reads many at once, in their order; undefined instead of PTM_NOT_FOUND, otherwise the error.
   */
  async receiveAll(hashes: readonly PayloadHash[]): Promise<(Received | Error | undefined)[]> {
    const payloads = await this.readAll(hashes);
    return payloads.map((payload, i) => {
      if (!payload) this.onAsked('notHeld', hashes[i]!);
      if (!payload || payload instanceof Error) return payload;
      try {
        return this.openHeld(payload, hashes[i]!, undefined);
      } catch (error) {
        if (!(error instanceof QuorateError)) throw error;
        return error.code === 'PTM_NOT_FOUND' ? undefined : error;
      }
    });
  }

  /** Reads many at once; a damaged payload gives its own error and does not affect the others. */
  private async readAll(
    hashes: readonly PayloadHash[],
  ): Promise<readonly (EncodedPayload | Error | undefined)[]> {
    try {
      return await this.store.getAll(hashes);
    } catch (error) {
      if (!hasCode(error, 'STORAGE_DAMAGED')) throw error;
    }
    const read = (hash: PayloadHash) =>
      this.store.get(hash).catch((error: Error) => {
        if (!hasCode(error, 'STORAGE_DAMAGED')) throw error;
        this.onAsked('damaged', hash);
        return error;
      });
    return Promise.all(hashes.map(read));
  }

  /**
   * For a node, "not held" and "not ours" both mean that it is not a party. A payload that is ours
   * but does not open is an error: treated as "not a party" it would give the node a private state
   * that differs from that of the other parties.
   */
  private openHeld(
    payload: EncodedPayload,
    hash: PayloadHash,
    to: PublicKey | undefined,
  ): Received {
    try {
      const received = this.open(payload, hash, to);
      this.onAsked('held', hash);
      return received;
    } catch (error) {
      if (!hasCode(error, 'PTM_NOT_FOUND')) throw error;
      const isOurs = to
        ? hasKey(payload.recipientKeys, to)
        : this.enclave.owns(payload.senderKey) ||
          payload.recipientKeys.some((key) => this.enclave.owns(key));
      this.onAsked(isOurs ? 'damaged' : 'notOurs', hash);
      if (!isOurs) throw error;
      throw fail(
        'PTM_PAYLOAD_DAMAGED',
        `the payload ${toBase64(hash)} is for a key of this manager, but does not open: run "quorate ptm repair"`,
      );
    }
  }

  async receiveRaw(hash: PayloadHash): Promise<Received> {
    const raw = await this.store.getRaw(hash);
    if (!raw) throw notFound('Raw Message', hash);
    return {
      payload: this.enclave.decryptRaw(raw),
      flag: STANDARD_PRIVATE,
      affected: [],
      execHash: EMPTY_BYTES,
      managedParties: [raw.senderKey],
      senderKey: raw.senderKey,
    };
  }

  async isSender(hash: PayloadHash): Promise<boolean> {
    return this.enclave.owns((await this.held(hash)).senderKey);
  }

  async participants(hash: PayloadHash): Promise<readonly PublicKey[]> {
    return (await this.held(hash)).recipientKeys;
  }

  async mandatory(hash: PayloadHash): Promise<readonly PublicKey[]> {
    const payload = await this.held(hash);
    if (payload.flag !== MANDATORY_RECIPIENTS) {
      throw fail(
        'PTM_REQUEST_INVALID',
        'Operation invalid. Transaction found is not a mandatory recipients privacy type',
      );
    }
    return payload.mandatoryRecipients;
  }

  async delete(hash: PayloadHash): Promise<void> {
    await this.held(hash);
    await this.store.delete(hash);
  }

  /** Encrypts without storing: envelopes of contract extension. */
  async createEnvelope(
    message: Uint8Array,
    from: PublicKey | undefined,
    terms: SendTerms,
  ): Promise<EncodedPayload> {
    const sender = from ?? this.enclave.defaultKey();
    const recipients = this.recipients([...terms.to, sender, ...this.enclave.forwardingKeys]);
    const held = await this.checkedAffected(terms, recipients);
    return this.withProofs(
      this.enclave.encrypt(message, sender, recipients, metadataOf(terms)),
      held,
    );
  }

  openEnvelope(payload: EncodedPayload): Received {
    return this.open(payload, this.enclave.hash(payload), undefined);
  }

  /**
   * Stores a peer's push, in either encoding. Resolves with its hash when it is durable. Throws
   * PTM_DECRYPT_FAILED when it is not for us, PTM_TOO_MANY when its sender is unknown and the
   * budget for unknown senders is used up. `asSender`: accept one of our own payloads that a peer
   * sends back.
   */
  async storePushed(bytes: Uint8Array, source: string, asSender = false): Promise<PayloadHash> {
    return this.storeAdmitted(this.admit(bytes, source, asSender));
  }

  /** The accepted part of a push, not yet stored. */
  admit(bytes: Uint8Array, source: string, asSender: boolean): EncodedPayload {
    const payload = this.arrivals.admit(decodePayload(bytes), asSender);
    this.checkSender(payload.senderKey, source, bytes.length);
    return payload;
  }

  /** Stores a result of `admit` that was staged meanwhile. */
  storeStaged(payload: EncodedPayload): Promise<PayloadHash> {
    return this.storeAdmitted(this.arrivals.admit(payload, true));
  }

  private async storeAdmitted(payload: EncodedPayload): Promise<PayloadHash> {
    const hash = this.enclave.hash(payload);
    await this.checkGroup(payload);
    const held = await this.findAffected(payload.affected.map((one) => one.hash));
    if (!acceptsArrival(payload, held, this.enhancements)) return hash;
    const checked = withoutForged(hash, payload, (affected) => {
      const one = held.find((candidate) => equalBytes(candidate.hash, affected));
      return one && this.enclave.securityHash(payload, one.payload);
    });
    await this.storing(() =>
      this.store.merge(hash, (known) => this.arrivals.merge(known, checked)),
    );
    this.onStored(hash);
    return hash;
  }

  private checkSender(sender: PublicKey, source: string, bytes: number): void {
    if (this.enclave.owns(sender) || this.knows(sender)) return;
    if (this.strangers.take(source, bytes)) return;
    throw fail(
      'PTM_TOO_MANY',
      'too much came from senders whose managers are not known here: try again later, or let this manager know yours',
    );
  }

  /** Only a member may send to a group that we know. Throws PTM_PRIVACY_VIOLATION. */
  private async checkGroup({ privacyGroupId, senderKey }: EncodedPayload): Promise<void> {
    if (privacyGroupId.length === 0) return;
    const bytes = await this.store.getGroup(privacyGroupId);
    if (bytes && !hasKey(decodeGroup(bytes).members, senderKey)) throw notOfGroup();
  }

  private async distribute(
    payload: EncodedPayload,
    store: (hash: PayloadHash, owed: readonly PublicKey[]) => Promise<void>,
  ): Promise<Sent> {
    const hash = this.enclave.hash(payload);
    const remote = payload.recipientKeys.filter((key) => !this.enclave.owns(key));
    await this.search(remote);
    this.distributor.check(payload, remote);
    // In parallel: after a crash a recipient may hold a payload that we have lost. Once we have
    // answered, all hold it.
    const stored = this.storing(() => store(hash, remote));
    const [kept, pushed] = await Promise.allSettled([
      stored,
      this.distributor.distribute(hash, payload, remote, stored),
    ]);
    if (kept.status === 'rejected') throw kept.reason;
    if (pushed.status === 'rejected') throw pushed.reason;
    return {
      hash,
      managedParties: payload.recipientKeys.filter((key) => this.enclave.owns(key)),
      senderKey: payload.senderKey,
    };
  }

  private open(payload: EncodedPayload, hash: PayloadHash, to: PublicKey | undefined): Received {
    const message = this.enclave.decrypt(payload, to);
    if (!message) {
      throw fail(
        'PTM_NOT_FOUND',
        `No suitable recipient keys found to decrypt payload for : ${toBase64(hash)}`,
      );
    }
    return {
      payload: message,
      flag: payload.flag,
      affected: payload.affected.map((one) => one.hash),
      execHash: payload.execHash,
      managedParties: this.enclave.managedParties(payload),
      senderKey: payload.senderKey,
      ...(payload.privacyGroupId.length > 0 ? { privacyGroupId: payload.privacyGroupId } : {}),
    };
  }

  private async held(hash: PayloadHash): Promise<EncodedPayload> {
    const payload = await this.store.get(hash);
    if (!payload) throw notFound('Message', hash);
    return payload;
  }

  private recipients(keys: readonly PublicKey[]): PublicKey[] {
    if (keys.length > RECIPIENTS_MAX) {
      throw fail('PTM_REQUEST_INVALID', `more than ${RECIPIENTS_MAX} recipients`);
    }
    return withoutDuplicates(keys);
  }

  private async checkedAffected(
    terms: SendTerms,
    recipients: readonly PublicKey[],
  ): Promise<HeldAffected[]> {
    const held = await this.findAffected(terms.affected);
    const missing = terms.affected.find((hash) => !held.some((one) => equalBytes(one.hash, hash)));
    if (missing) {
      throw fail(
        'PTM_PRIVACY_VIOLATION',
        `Unable to find affectedContractTransaction ${toBase64(missing)}`,
      );
    }
    checkSend({ ...terms, recipients }, held, this.enhancements);
    return held;
  }

  private async findAffected(hashes: readonly PayloadHash[]): Promise<HeldAffected[]> {
    if (hashes.length === 0) return [];
    const payloads = await this.store.getAll(hashes);
    return payloads.flatMap((payload, i) => (payload ? [{ hash: hashes[i]!, payload }] : []));
  }

  private withProofs(payload: EncodedPayload, held: readonly HeldAffected[]): EncodedPayload {
    const affected: AffectedPayload[] = held.map((one) => {
      const securityHash = this.enclave.securityHash(payload, one.payload);
      if (!securityHash) throw notFound('Message', one.hash);
      return { hash: one.hash, securityHash };
    });
    return { ...payload, affected };
  }
}

function notFound(what: string, hash: PayloadHash): Error {
  return fail('PTM_NOT_FOUND', `${what} with hash ${toBase64(hash)} was not found`);
}

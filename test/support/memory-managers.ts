/**
 * Private transaction managers connected in memory: each payload is at its sender and its
 * recipients only.
 */

import { toBase64 } from '../../src/core/base/base64.ts';
import { fail } from '../../src/core/base/errors.ts';
import { bareHex } from '../../src/core/base/hex.ts';
import { bigIntToFixed } from '../../src/core/base/quantity.ts';
import { type PrivateAnswer, type PrivateQuery, queryKey } from '../../src/core/privacy/inputs.ts';
import type {
  Manager,
  ManagerGroup,
  OutgoingPayload,
  SentPayload,
} from '../../src/core/privacy/manager-port.ts';
import type { PayloadHash } from '../../src/core/privacy/marker.ts';

interface Held extends OutgoingPayload {
  readonly sender: string;
}

export class MemoryManagers {
  private readonly held = new Map<string, Held>();
  private readonly sealed = new Map<
    string,
    { readonly by: string; readonly payload: Uint8Array }
  >();
  private readonly keys = new Set<string>();
  private readonly groups = new Map<string, ManagerGroup>();
  private readonly down = new Set<string>();
  /** Keys whose manager has lost its payloads, as after a restore from an old backup. */
  private readonly emptied = new Set<string>();
  /** Keys with payloads that their manager has lost forever. */
  private readonly lost = new Set<string>();
  private count = 0n;

  /** The number of payloads sent to any of them. */
  get sent(): number {
    return this.held.size;
  }

  /** Keys identify the members to each other. */
  manager(key: string): Manager {
    this.keys.add(key);
    return {
      isInUse: true,
      features: {
        privacyEnhancements: true,
        multiTenancy: true,
        multiplePrivateStates: true,
        mandatoryRecipients: true,
      },
      ask: async (queries) => {
        this.checkUp(key);
        return new Map(queries.map((query) => [queryKey(query), this.answer(key, query)]));
      },
      send: async (payload) => this.store(key, payload),
      storeRaw: () => Promise.reject(new Error('not in this test')),
      sendSigned: () => Promise.reject(new Error('not in this test')),
      receiveRaw: async () => undefined,
      participants: async (hash) => this.partiesOf(key, hash),
      mandatory: async (hash) => this.heldBy(key, hash)?.mandatory ?? [],
      groups: async () => [],
      privacyGroups: {
        create: async ({ from: _, ...group }) => {
          const id = toBase64(bigIntToFixed((1n << 255n) + BigInt(this.groups.size), 32));
          this.groups.set(id, { ...group, id, type: 'PANTHEON' });
          return id;
        },
        find: async (members) =>
          [...this.groups.values()].filter(
            (group) => [...group.members].sort().join() === [...members].sort().join(),
          ),
        delete: async (id) => {
          this.groups.delete(id);
          return id;
        },
      },
      decryptPayload: () => Promise.reject(new Error('not in this test')),
      encryptPayload: async ({ payload }) => {
        const cipherText = `sealed-${this.sealed.size}`;
        this.sealed.set(cipherText, { by: key, payload });
        return {
          senderKey: key,
          cipherText,
          cipherTextNonce: '',
          recipientBoxes: [],
          recipientNonce: '',
          recipientKeys: [key],
        };
      },
    };
  }

  setDown(key: string, isDown: boolean): void {
    if (isDown) this.down.add(key);
    else this.down.delete(key);
  }

  /** Simulates a restore from an old copy; `false`: the payloads are back. */
  setEmptied(key: string, isEmptied: boolean): void {
    if (isEmptied) this.emptied.add(key);
    else this.emptied.delete(key);
  }

  /** The payload is lost at this key forever. */
  lose(key: string, hash: PayloadHash): void {
    this.lost.add(key + bareHex(hash));
  }

  private checkUp(key: string): void {
    if (this.down.has(key)) throw fail('PTM_UNREACHABLE', 'connection refused');
  }

  private store(key: string, payload: OutgoingPayload): SentPayload {
    this.checkUp(key);
    const to = this.membersOf(payload);
    const unknown = to.find((each) => !this.keys.has(each));
    if (unknown !== undefined)
      throw fail('PTM_REFUSED', `404 status: Recipient not found for key: ${unknown}`);
    const hash = bigIntToFixed((1n << 511n) + this.count++, 64);
    this.held.set(bareHex(hash), { ...payload, to, sender: key });
    return { hash, managedParties: [key], senderKey: key };
  }

  private membersOf({ to, privacyGroupId: id }: OutgoingPayload): readonly string[] {
    if (id === undefined) return to;
    const group = this.groups.get(id);
    if (!group) throw fail('PTM_REFUSED', `404 status: Privacy group ${id} not found`);
    return group.members;
  }

  private heldBy(key: string, hash: PayloadHash): Held | undefined {
    const isGone = this.emptied.has(key) || this.lost.has(key + bareHex(hash));
    const held = isGone ? undefined : this.held.get(bareHex(hash));
    return held && (held.sender === key || held.to.includes(key)) ? held : undefined;
  }

  private partiesOf(key: string, hash: PayloadHash): string[] {
    const held = this.heldBy(key, hash);
    return held ? [...new Set([...held.to, held.sender])] : [];
  }

  private answer(key: string, { kind, hash }: PrivateQuery): PrivateAnswer {
    const held = this.heldBy(key, hash);
    if (kind === 'isSender') return { kind: 'fact', value: held?.sender === key };
    if (!held) return { kind: 'notParty' };
    const payload = kind === 'payload' ? held.payload : this.open(key, held.payload);
    if (!payload) return { kind: 'notParty' };
    const { flag, affected, execHash, sender, privacyGroupId } = held;
    return {
      kind: 'held',
      payload,
      flag,
      affected,
      execHash,
      managedParties: [key],
      senderKey: sender,
      ...(privacyGroupId === undefined ? {} : { privacyGroupId }),
    };
  }

  private open(key: string, envelope: Uint8Array): Uint8Array | undefined {
    const { cipherText } = JSON.parse(Buffer.from(envelope).toString('utf8'));
    const sealed = this.sealed.get(cipherText);
    return sealed?.by === key ? sealed.payload : undefined;
  }
}

/** A manager key: base64 of 32 bytes. */
export function memoryKey(number: number): string {
  return toBase64(new Uint8Array(32).fill(number + 1));
}

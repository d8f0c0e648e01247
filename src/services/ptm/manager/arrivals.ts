/**
 * Checks arriving payloads: only boxes that one of our keys opens are accepted. Anyone may know the
 * hash from the chain; only the sender and the recipients can create a box for it. Tessera stores
 * what arrives, and opens only payloads that name it as sender (TransactionManagerImpl,
 * ResendManagerImpl).
 */
import { equalBytes } from '../../../core/base/bytes.ts';
import { fail } from '../../../core/base/errors.ts';
import {
  type EncodedPayload,
  hasKey,
  indexOfKey,
  type PublicKey,
  sameContent,
} from '../../../core/payload/payload.ts';
import { PRIVATE_STATE_VALIDATION } from '../../../core/privacy/flags.ts';
import type { Enclave } from './enclave.ts';

/**
 * Most boxes of an arriving payload that are tried: usually it has one, at most one for each of our
 * keys.
 */
const BOXES_TRIED_MAX = 256;

/** `key` undefined: from a very old peer, which names no keys. */
interface Box {
  readonly key: PublicKey | undefined;
  readonly box: Uint8Array;
}

export class Arrivals {
  private readonly enclave: Enclave;

  constructor(enclave: Enclave) {
    this.enclave = enclave;
  }

  /**
   * The payload with the boxes that we can open first. Throws PTM_DECRYPT_FAILED when there is
   * none. `asSender`: accept one of our own payloads that a peer sends back. Otherwise a payload
   * that names us as its sender is refused: a recipient could forge it, because both sides use the
   * same shared key.
   */
  admit(payload: EncodedPayload, asSender: boolean): EncodedPayload {
    const isOurs = this.enclave.owns(payload.senderKey);
    const boxes = isOurs ? (asSender ? sealedByUs(payload) : []) : this.sealedForUs(payload);
    const opened = this.opening(payload, boxes);
    if (opened.length === 0) {
      throw fail('PTM_DECRYPT_FAILED', 'none of the keys of this manager opens the payload');
    }
    return inFront(payload, opened);
  }

  /**
   * Merges an arrival, as returned by `admit`, into the stored payload. Undefined: nothing new.
   * Throws PTM_PAYLOAD_CONFLICT when it is a different payload with the same hash.
   */
  merge(held: EncodedPayload | undefined, arrived: EncodedPayload): EncodedPayload | undefined {
    if (!held) return this.first(arrived);
    const isSame = sameContent(held, arrived);
    const news = boxesOf(arrived).filter(({ box }) => !hasKey(held.recipientBoxes, box));
    if (isSame && news.length === 0) return undefined;
    if (!this.enclave.open(held)) return this.first(arrived);
    if (!isSame) throw fail('PTM_PAYLOAD_CONFLICT', 'Invalid existing transaction');
    return news.reduce((merged, one) => this.add(merged, one), held);
  }

  /**
   * The stored payload without the boxes that do not open, each of the others at its key's
   * position: 0.1.0 lost that order when strangers pushed boxes. Returns the same object if it was
   * already in order.
   */
  inOrder(payload: EncodedPayload, masterKey: Uint8Array): EncodedPayload {
    const { senderKey, recipientKeys, recipientBoxes, flag } = payload;
    const opens = ({ key, box }: Box): boolean => {
      const inside = this.unseal(payload, key, box);
      return inside !== undefined && equalBytes(inside, masterKey);
    };
    if (recipientKeys.length === 0) {
      const opened = boxesOf(payload).filter(opens);
      if (opened.length === recipientBoxes.length) return payload;
      return { ...payload, recipientBoxes: opened.map(({ box }) => box) };
    }
    const isOurs = this.enclave.owns(senderKey);
    const mine = isOurs ? recipientKeys : recipientKeys.filter((key) => this.enclave.owns(key));
    const found = mine.flatMap((key) => {
      const own = recipientBoxes[indexOfKey(recipientKeys, key)];
      const box = [...(own ? [own] : []), ...recipientBoxes].find((one) =>
        opens({ key, box: one }),
      );
      return box ? [{ key, box }] : [];
    });
    const isInOrder =
      found.length === recipientBoxes.length &&
      found.every(({ key, box }) => recipientBoxes[indexOfKey(recipientKeys, key)] === box);
    if (isInOrder) return payload;
    const ordered = inFront(payload, found);
    // In a payload that we sent, a key without a box was added by a stranger, except under state
    // validation.
    const isShared = flag === PRIVATE_STATE_VALIDATION || !isOurs;
    return isShared ? ordered : { ...ordered, recipientKeys: found.map(({ key }) => key) };
  }

  /**
   * A peer sends back a payload of ours with a recipient's box: puts our own box before it again.
   */
  private first(payload: EncodedPayload): EncodedPayload {
    const { senderKey: sender, recipientKeys } = payload;
    const [key] = recipientKeys;
    if (!this.enclave.owns(sender) || (key && equalBytes(key, sender))) return payload;
    const { masterKey } = this.enclave.open(payload)!;
    const box = this.enclave.seal(payload, masterKey, sender);
    return {
      ...payload,
      recipientBoxes: [box, ...payload.recipientBoxes],
      recipientKeys: [sender, ...recipientKeys.filter((one) => !equalBytes(one, sender))],
    };
  }

  /** Never replaces a box that opens. */
  private add(held: EncodedPayload, { key, box }: Box): EncodedPayload {
    const named = key ?? this.recipientOf(held, box);
    if (held.recipientKeys.length === 0 || !named) {
      return { ...held, recipientBoxes: [box, ...held.recipientBoxes] };
    }
    const index = indexOfKey(held.recipientKeys, named);
    if (held.flag === PRIVATE_STATE_VALIDATION && index < 0) {
      throw fail('PTM_PAYLOAD_CONFLICT', 'expected recipient not found');
    }
    const own = held.recipientBoxes[index];
    if (own && this.opening(held, [{ key: named, box: own }]).length > 0) return held;
    return {
      ...held,
      recipientBoxes: [box, ...held.recipientBoxes.filter((_, i) => i !== index)],
      recipientKeys: [named, ...held.recipientKeys.filter((_, i) => i !== index)],
    };
  }

  private sealedForUs(payload: EncodedPayload): Box[] {
    const { recipientKeys, recipientBoxes } = payload;
    if (recipientKeys.length === 0) return recipientBoxes.map((box) => ({ key: undefined, box }));
    return this.enclave.publicKeys.flatMap((key) => {
      const box = recipientBoxes[indexOfKey(recipientKeys, key)];
      return box ? [{ key, box }] : [];
    });
  }

  /** The boxes whose key opens the cipher text, which is decrypted once for all of them. */
  private opening(payload: EncodedPayload, boxes: readonly Box[]): Box[] {
    let known: Uint8Array | undefined;
    return boxes.slice(0, BOXES_TRIED_MAX).filter(({ key, box }) => {
      const masterKey = this.unseal(payload, key, box);
      if (!masterKey) return false;
      if (known) return equalBytes(masterKey, known);
      if (!this.enclave.openWith(payload, masterKey)) return false;
      known = masterKey;
      return true;
    });
  }

  private unseal(
    payload: EncodedPayload,
    key: PublicKey | undefined,
    box: Uint8Array,
  ): Uint8Array | undefined {
    const { enclave } = this;
    const { senderKey } = payload;
    if (key && enclave.owns(key)) return enclave.unseal(payload, key, senderKey, box);
    if (key) {
      return enclave.owns(senderKey) ? enclave.unseal(payload, senderKey, key, box) : undefined;
    }
    for (const own of enclave.publicKeys) {
      const masterKey = enclave.unseal(payload, own, senderKey, box);
      if (masterKey) return masterKey;
    }
    return undefined;
  }

  private recipientOf(payload: EncodedPayload, box: Uint8Array): PublicKey | undefined {
    return this.enclave.publicKeys.find((key) =>
      this.enclave.unseal(payload, key, payload.senderKey, box),
    );
  }
}

function sealedByUs(payload: EncodedPayload): Box[] {
  return boxesOf(payload).filter(({ key }) => key !== undefined);
}

function boxesOf({ recipientBoxes, recipientKeys }: EncodedPayload): Box[] {
  return recipientBoxes.map((box, i) => ({ key: recipientKeys[i], box }));
}

/**
 * Puts these boxes and their keys first. The other keys follow without a box: under state
 * validation a payload names all parties.
 */
function inFront(payload: EncodedPayload, boxes: readonly Box[]): EncodedPayload {
  const keys = boxes.flatMap(({ key }) => (key ? [key] : []));
  const others = payload.recipientKeys.filter((key) => !hasKey(keys, key));
  return {
    ...payload,
    recipientBoxes: boxes.map(({ box }) => box),
    recipientKeys: [...keys, ...others],
  };
}

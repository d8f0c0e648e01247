/**
 * Extensions of private contracts to new parties, as the logs of their management contracts report
 * them (GoQuorum extension): active extensions, voters' uuids, and the shared state.
 */
import { abiAddressAt, abiStringAt } from '../base/abi.ts';
import { type Address, equalBytes, type Hash32, keyOf } from '../base/bytes.ts';
import { checksumAddress } from '../base/checksum-address.ts';
import { bareHex, fromHex, toHex } from '../base/hex.ts';
import { bigIntToBytes, bigIntToFixed } from '../base/quantity.ts';
import type { Log } from '../chain/receipt.ts';
import type { ExtensionTerms } from './management-contract.ts';
import type { PayloadHash } from './marker.ts';

const CREATED_TOPIC: Hash32 = fromHex(
  '0x04576ede6057794ada68966eebc285c98a2726cbc4929ffd1ad9900336728d93',
);
const FINISHED_TOPIC: Hash32 = fromHex(
  '0x79c47b570b18a8a814b785800e5fcbf104e067663589cef1bba07756e3c6ede9',
);

/** An extension between the creation of its management contract and its end. */
export interface ActiveExtension extends ExtensionTerms {
  readonly manager: Address;
  /** The sender of the management contract's creation. */
  readonly initiator: Address;
  /** Payload hash of the management contract's creation. */
  readonly creationHash: PayloadHash;
}

/** The meaning of one log of a management contract; undefined for other logs. */
export type ExtensionEvent =
  | { readonly kind: 'created'; readonly manager: Address; readonly terms: ExtensionTerms }
  | { readonly kind: 'finished'; readonly manager: Address };

/** Callers must already have checked that the log's emitter is a management contract. */
export function readExtensionLog({ address, topics, data }: Log): ExtensionEvent | undefined {
  const topic = topics[0];
  if (topics.length !== 1 || topic === undefined) return undefined;
  if (equalBytes(topic, FINISHED_TOPIC)) return { kind: 'finished', manager: address };
  if (!equalBytes(topic, CREATED_TOPIC)) return undefined;
  const toExtend = abiAddressAt(data, 0);
  const recipient = abiAddressAt(data, 2);
  const recipientKey = abiStringAt(data, 1);
  if (!toExtend || !recipient || recipientKey === undefined) return undefined;
  return { kind: 'created', manager: address, terms: { toExtend, recipient, recipientKey } };
}

/** Topics to search for in blooms. */
export const EXTENSION_TOPICS: readonly Hash32[] = [CREATED_TOPIC, FINISHED_TOPIC];

/** The active extensions of one private state, by management contract. */
export class ActiveExtensions {
  private readonly byManager = new Map<string, ActiveExtension>();

  constructor(extensions: readonly ActiveExtension[] = []) {
    for (const each of extensions) this.byManager.set(keyOf(each.manager), each);
  }

  begin(extension: ActiveExtension): void {
    this.byManager.set(keyOf(extension.manager), extension);
  }

  /** Ends an extension. False: it was not active. */
  end(manager: Address): boolean {
    return this.byManager.delete(keyOf(manager));
  }

  list(): readonly ActiveExtension[] {
    return [...this.byManager.values()];
  }

  of(contract: Address): readonly ActiveExtension[] {
    return this.list().filter(({ toExtend }) => equalBytes(toExtend, contract));
  }
}

/**
 * An encrypted payload that no manager stores, in the base64 parts that the encryption call
 * returns.
 */
export interface SealedParts {
  readonly senderKey: string;
  readonly cipherText: string;
  readonly cipherTextNonce: string;
  readonly recipientBoxes: readonly string[];
  readonly recipientNonce: string;
  readonly recipientKeys: readonly string[];
}

/**
 * The payload to which a uuid refers: the management contract's address, encrypted so that only the
 * voter's own manager can decrypt it. By that, a party recognises its own vote when the state is
 * shared. Parts are in GoQuorum's order.
 */
export function uuidPayload(parts: SealedParts): Uint8Array {
  const { senderKey, cipherText, cipherTextNonce, recipientBoxes } = parts;
  const { recipientNonce, recipientKeys } = parts;
  return asBytes(
    JSON.stringify({
      senderKey,
      cipherText,
      cipherTextNonce,
      recipientBoxes,
      recipientNonce,
      recipientKeys,
    }),
  );
}

/** The uuid of a voter's envelope, as text in the management contract. */
export function uuidOf(hash: PayloadHash): string {
  return toHex(hash);
}

/** An account whose state is shared. */
export interface DumpSource {
  readonly address: Address;
  readonly account: {
    readonly balance: bigint;
    readonly nonce: bigint;
    readonly storageRoot: Hash32;
    readonly codeHash: Hash32;
  };
  readonly code: Uint8Array;
  readonly storage: readonly { readonly slot: bigint; readonly value: bigint }[];
}

/**
 * The state dump of one contract, byte for byte as GoQuorum writes it; parseStateDump() parses it.
 */
export function formatStateDump({ address, account, code, storage }: DumpSource): Uint8Array {
  const slots = storage.map(
    ({ slot, value }) => [toHex(bigIntToFixed(slot, 32)), bareHex(bigIntToBytes(value))] as const,
  );
  // COMPAT: Go writes the members of a map in order of their names.
  slots.sort(([a], [b]) => (a < b ? -1 : 1));
  const state = {
    balance: String(account.balance),
    nonce: Number(account.nonce),
    root: bareHex(account.storageRoot),
    codeHash: bareHex(account.codeHash),
    ...(code.length > 0 ? { code: bareHex(code) } : {}),
    ...(slots.length > 0 ? { storage: Object.fromEntries(slots) } : {}),
  };
  return asBytes(JSON.stringify({ [checksumAddress(address)]: { state } }));
}

function asBytes(ascii: string): Uint8Array {
  return Uint8Array.from(ascii, (character) => character.charCodeAt(0));
}

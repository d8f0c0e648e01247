/** The operations of its private transaction manager that a node uses. */
import type { SealedParts } from './extension.ts';
import type { HeldPayload, PrivacyFlag, PrivateAnswer, PrivateQuery } from './inputs.ts';
import type { PayloadHash } from './marker.ts';

export interface OutgoingPayload {
  payload: Uint8Array;
  /** Base64 public key; undefined: the manager's default key. */
  from: string | undefined;
  to: readonly string[];
  flag: PrivacyFlag;
  affected: readonly PayloadHash[];
  execHash: Uint8Array | undefined;
  mandatory: readonly string[] | undefined;
  /** Base64 id of a privacy group whose members the manager knows: `to` is then empty. */
  privacyGroupId?: string | undefined;
}

export interface SentPayload {
  hash: PayloadHash;
  managedParties: readonly string[];
  senderKey: string;
}

export interface ResidentGroup {
  /** The name of the private state (PSI). */
  name: string;
  description: string;
  members: readonly string[];
}

/** A privacy group that clients created, as in Besu and with the same API. */
export interface ManagerGroup {
  /** The group's id, base64. */
  id: string;
  name: string;
  description: string;
  type: string;
  members: readonly string[];
}

/** `from` undefined: the manager's default key. */
export interface ManagerGroups {
  /** Resolves with the group's id. */
  create(group: {
    name: string;
    description: string;
    from: string | undefined;
    members: readonly string[];
  }): Promise<string>;
  /** Finds the groups with exactly these members. */
  find(members: readonly string[]): Promise<readonly ManagerGroup[]>;
  /** Resolves with the group's id. */
  delete(id: string, from: string | undefined): Promise<string>;
}

/** Root of a private state after a block. */
export interface PrivateRoot {
  readonly number: number;
  readonly root: Uint8Array;
}

/** One digest of the results of a private transaction and of everything on which they depend. */
export interface PayloadDigest {
  readonly number: number;
  readonly payload: PayloadHash;
  readonly digest: Uint8Array;
  /**
   * Keys that are party to everything on which the transaction depends, and so may know the digest.
   */
  readonly parties: readonly Uint8Array[];
}

/** The roots of one private state of a node, and digests of its latest transactions. */
export interface StateRoots {
  /** The state's name if the node has several; undefined: it is the only one. */
  readonly psi?: string | undefined;
  /** Keys of the manager to which the payloads of this state belong; undefined: all of them. */
  readonly keys?: readonly Uint8Array[] | undefined;
  readonly roots: readonly PrivateRoot[];
  readonly digests?: readonly PayloadDigest[] | undefined;
}

/** A payload that, according to a peer, is for a key of this manager but is missing here. */
export interface MissingPayload {
  readonly hash: PayloadHash;
  /** URL of the peer's manager. */
  readonly peer: string;
}

/**
 * What a manager knows about missing payloads and about differences from its peers
 * (docs/privacy.md).
 */
export interface PeerComparison {
  /**
   * Changes with each start, and whenever a payload arrives after the manager told a node that it
   * does not hold it.
   */
  readonly arrivals: string;
  readonly missing: readonly MissingPayload[];
  /**
   * Blocks after which a peer that is party to the same payloads has a different private state, or
   * in which a transaction had another outcome there or depends on other transactions.
   */
  readonly differing: readonly {
    readonly number: number;
    readonly peer: string;
    /** The private state of this node; undefined: it has only one. */
    readonly psi?: string | undefined;
    /** The payload of the transaction; undefined: the whole state differs. */
    readonly payload?: PayloadHash | undefined;
  }[];
}

/** Returns the last known comparison; with `now`, compares first. */
export type Compare = (states: readonly StateRoots[], when?: 'now') => Promise<PeerComparison>;

/**
 * GoQuorum private/engine/tessera/model.go. Rejections contain the manager's text in a QuorateError
 * (`PTM_…`).
 */
export interface Manager {
  /** Highest version of the manager's client API, such as "4.0"; its features follow from it. */
  readonly features: ManagerFeatures;
  /** False: this node has no manager and is not a party to any transaction. */
  readonly isInUse: boolean;
  ask(queries: readonly PrivateQuery[]): Promise<ReadonlyMap<string, PrivateAnswer>>;
  send(payload: OutgoingPayload): Promise<SentPayload>;
  storeRaw(payload: Uint8Array, from: string | undefined): Promise<PayloadHash>;
  sendSigned(
    payload: Omit<OutgoingPayload, 'payload' | 'from'> & { hash: PayloadHash },
  ): Promise<SentPayload>;
  /** A payload that storeRaw stored and that is not sent yet. */
  receiveRaw(hash: PayloadHash): Promise<{ payload: Uint8Array; senderKey: string } | undefined>;
  participants(hash: PayloadHash): Promise<readonly string[]>;
  mandatory(hash: PayloadHash): Promise<readonly string[]>;
  groups(): Promise<readonly ResidentGroup[]>;
  /** Encrypts without storing (contract extension). */
  encryptPayload(payload: Omit<OutgoingPayload, 'mandatory'>): Promise<SealedParts>;
  /**
   * Decrypts a payload that a manager encrypted without storing. Rejects with PTM_REFUSED when it
   * cannot.
   */
  decryptPayload(parts: SealedParts): Promise<HeldPayload>;
  /** Present only in managers that keep privacy groups. */
  readonly privacyGroups?: ManagerGroups;
  /** Present only in managers that compare with their peers; they receive the roots. */
  readonly compare?: Compare | undefined;
}

export interface ManagerFeatures {
  privacyEnhancements: boolean;
  multiTenancy: boolean;
  multiplePrivateStates: boolean;
  mandatoryRecipients: boolean;
}

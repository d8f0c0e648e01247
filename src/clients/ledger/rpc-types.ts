/** Types of the parameters and answers of GoQuorum's JSON-RPC methods. */

export type Hex = `0x${string}`;
/** A number or a tag. */
export type BlockTag = bigint | 'latest' | 'earliest' | 'pending';

/** Privacy flags (GoQuorum private/engine/privacyflag.go). */
export const PrivacyFlag = {
  standard: 0,
  /** Only parties may change the contract, and each party knows that the other parties have it. */
  partyProtection: 1,
  /** Party protection; each of `mandatoryFor` must be a party of every transaction. */
  mandatoryRecipients: 2,
  /** All parties agree on the contract's state and on who the parties are. */
  privateStateValidation: 3,
} as const;
export type PrivacyFlag = (typeof PrivacyFlag)[keyof typeof PrivacyFlag];

/** The recipients of a private transaction's payload. Keys are those of managers, in base64. */
export interface PrivateTerms {
  readonly privateFor: readonly string[];
  /** Absent: the manager's first key. */
  readonly privateFrom?: string;
  readonly privacyFlag?: PrivacyFlag;
  /** Only with `PrivacyFlag.mandatoryRecipients`. */
  readonly mandatoryFor?: readonly string[];
}

/** A transaction that the node signs. */
export interface NodeTransaction extends Partial<PrivateTerms> {
  readonly from: Hex;
  readonly to?: Hex;
  readonly data?: Hex;
  readonly gas?: bigint;
  readonly gasPrice?: bigint;
  readonly value?: bigint;
  readonly nonce?: bigint;
}

/** Whose private data a stranger asks for. */

/** Somebody else's private transaction, and everything public about it. */
export interface Target {
  readonly hash: string;
  readonly blockNumber: string;
  readonly blockHash: string;
  readonly blockRlp: string;
  /** The private contract. */
  readonly contract: string;
  /** The hash of the payload. */
  readonly payload: string;
  readonly raw: string;
  /** Its sender. */
  readonly from: string;
  /** The envelope sealed for the party, as hex of its JSON. */
  readonly envelope: string;
  /** The management contract of its extension; an unused address if there is no extension. */
  readonly management: string;
  /** A filter id of the party. */
  readonly filter: string;
  /** The privacy group of an EEA transaction; undefined: it is not one. */
  readonly group?: string;
  /** Manager keys of the sender and of the recipients. */
  readonly groupKeys?: readonly [string, readonly string[]];
}

/** Parameters of one call. */
export type Params = readonly unknown[];
export type Probe = (target: Target) => readonly Params[];

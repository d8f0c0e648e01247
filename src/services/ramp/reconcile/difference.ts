/** Results of a reconciliation. */

export interface Difference {
  readonly where: 'books' | 'ledger' | 'provider';
  /** Stable, for scripts. */
  readonly code: string;
  readonly orderId?: string | undefined;
  /** A sentence that identifies the money; amounts are in smallest units. */
  readonly text: string;
}

export interface Section {
  /** Numbers of compared items. */
  readonly counts: Readonly<Record<string, number>>;
  readonly differences: readonly Difference[];
}

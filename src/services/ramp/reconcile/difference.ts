/** What a reconciliation finds. */

export interface Difference {
  readonly where: 'books' | 'ledger' | 'provider';
  /** Stable, for scripts. */
  readonly code: string;
  readonly orderId?: string | undefined;
  /** A sentence with everything that names the money: amounts in smallest units. */
  readonly text: string;
}

export interface Section {
  /** The compared part. */
  readonly counts: Readonly<Record<string, number>>;
  readonly differences: readonly Difference[];
}

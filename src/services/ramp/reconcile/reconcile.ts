/**
 * The daily reconciliation: books against themselves, against the ledger, and against the payment
 * providers.
 */
import type { Database } from '../../../io/database/database.ts';
import type { PaymentAdapter } from '../payment/adapter.ts';
import { bookSection } from './books.ts';
import type { Section } from './difference.ts';
import { ledgerSection, type ReadLedger } from './ledger.ts';
import { providerSection } from './provider.ts';

export interface ReconcileParts {
  readonly database: Database;
  readonly ledger: ReadLedger;
  /** Undefined: nothing is compared with the ledger. */
  readonly from: string | undefined;
  readonly adapters: readonly PaymentAdapter[];
  readonly sinceMs: number;
  readonly nowMs: number;
  readonly isAccepted: boolean;
}

/** Results by compared part: `books`, `ledger`, the names of providers. */
export async function reconcile(parts: ReconcileParts): Promise<Readonly<Record<string, Section>>> {
  const { database, from, adapters, sinceMs } = parts;
  const sections: Record<string, Section> = { books: await bookSection(database, sinceMs) };
  if (from !== undefined) sections.ledger = await ledgerSection({ ...parts, from });
  for (const adapter of adapters) {
    sections[adapter.name] = await providerSection(database, adapter, sinceMs);
  }
  return sections;
}

/**
 * Rows of Tessera's tables, from any kind of database (Tessera EncryptedTransaction,
 * EncryptedRawTransaction, PrivacyGroupEntity).
 */
import { fail } from '../../../core/base/errors.ts';
import type { RawPayload } from '../../../core/payload/payload.ts';
import type { PayloadHash } from '../../../core/privacy/marker.ts';

export type TesseraRow =
  | { readonly kind: 'payload'; readonly hash: PayloadHash; readonly encoded: Uint8Array }
  | { readonly kind: 'raw'; readonly hash: PayloadHash; readonly raw: RawPayload }
  | {
      readonly kind: 'group';
      readonly id: Uint8Array;
      readonly lookupId: Uint8Array;
      readonly data: Uint8Array;
    }
  /** A row of an unfinished recovery of Tessera. */
  | { readonly kind: 'staged' };

export interface TesseraRows {
  /** File or address, for messages. */
  readonly place: string;
  /** Reads the rows again at each call. Throws SQL_DUMP_INVALID, STORAGE_… */
  rows(): AsyncIterable<TesseraRow> | Iterable<TesseraRow>;
}

export const TESSERA_TABLES = [
  'encrypted_transaction',
  'encrypted_raw_transaction',
  'privacy_group',
  'st_transaction',
] as const;
export type TesseraTable = (typeof TESSERA_TABLES)[number];

/** `column`: its name in lower case. Throws SQL_DUMP_INVALID naming table and column. */
export function tesseraRow(
  place: string,
  table: TesseraTable,
  column: (name: string) => unknown,
): TesseraRow {
  const bytes = (name: string): Uint8Array => {
    const value = column(name);
    if (value instanceof Uint8Array) return value;
    throw fail('SQL_DUMP_INVALID', `${place}: a row of ${table} has no bytes in ${name}`);
  };
  switch (table) {
    case 'encrypted_transaction':
      return { kind: 'payload', hash: bytes('hash'), encoded: bytes('encoded_payload') };
    case 'encrypted_raw_transaction':
      return {
        kind: 'raw',
        hash: bytes('hash'),
        raw: {
          senderKey: bytes('sender'),
          cipherText: bytes('encrypted_payload'),
          encryptedKey: bytes('encrypted_key'),
          nonce: bytes('nonce'),
        },
      };
    case 'privacy_group':
      return { kind: 'group', id: bytes('id'), lookupId: bytes('lookup_id'), data: bytes('data') };
    case 'st_transaction':
      return { kind: 'staged' };
  }
}

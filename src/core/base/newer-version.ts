/**
 * Refuses files that a newer version of the program wrote. Every stored file states its version:
 * docs/storage.md, "Formats".
 */
import { fail, type QuorateError } from './errors.ts';

/** `what`: the file or folder, by name. `known`: the newest version that this program reads. */
export function newerVersion(
  code: string,
  what: string,
  { found, known }: { readonly found: number; readonly known: number },
): QuorateError {
  return fail(
    code,
    `${what} was written by a newer Quorate: version ${found}, this one reads up to ${known}. Start that version, or restore a backup made by this one`,
    { data: { found, known } },
  );
}

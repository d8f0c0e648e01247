/**
 * The stamp of a data directory: which layout its files have. A program that does not know the
 * layout refuses the directory.
 */
import { fail } from '../base/errors.ts';
import { newerVersion } from '../base/newer-version.ts';

/**
 * Raise with any change that an older program would misread, and extend UPGRADED. 2: the rows of
 * the index carry checksums. 5: all rows of an account are neighbours (keys.ts). 6 (before: 3): for
 * a chain whose states begin at a later block (base-records.ts). 7 (before: 4): like 5 or 6, with
 * an index without the states of older blocks (pruning.ts), for which an older program would answer
 * with later ones.
 */
export const FORMAT_VERSION = 5;
export const BASE_FORMAT_VERSION = 6;
export const PRUNED_FORMAT_VERSION = 7;
/** What a folder of an older version becomes once its index is dropped. */
const UPGRADED: ReadonlyMap<number, number> = new Map([
  [1, FORMAT_VERSION],
  [2, FORMAT_VERSION],
  [3, BASE_FORMAT_VERSION],
  [4, PRUNED_FORMAT_VERSION],
]);
const OLDEST_FORMAT = 1;
const FORMAT_PATTERN = /^quorate data format (\d{1,9})\n$/;

export function formatStamp(version = FORMAT_VERSION): string {
  return `quorate data format ${version}\n`;
}

/** The version of today for one that `checkFormat` returned. */
export function upgradedFormat(version: number): number {
  return UPGRADED.get(version) ?? version;
}

/**
 * The version of a stamp that this program can open. Throws STORE_FORMAT_UNKNOWN or
 * STORE_FORMAT_NEWER, each saying what to do.
 */
export function checkFormat(stamp: string, directory: string): number {
  const version = Number(FORMAT_PATTERN.exec(stamp)?.[1] ?? 0);
  if (version < OLDEST_FORMAT) {
    throw fail(
      'STORE_FORMAT_UNKNOWN',
      `${directory}/format is damaged, or the folder does not belong to Quorate. If it does, delete that file: it will be written again. Otherwise choose another --datadir`,
    );
  }
  if (version > PRUNED_FORMAT_VERSION) {
    throw newerVersion('STORE_FORMAT_NEWER', `the data folder ${directory}`, {
      found: version,
      known: PRUNED_FORMAT_VERSION,
    });
  }
  return version;
}

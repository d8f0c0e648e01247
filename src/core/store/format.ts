/** The stamp of a data directory: which layout its files have. A program that does not know the layout does not touch it. */
import { fail } from '../base/errors.ts';

/** Raise with any change that an older program would misread. */
export const FORMAT_VERSION = 1;
const FORMAT_PATTERN = /^quorate data format (\d{1,9})\n$/;

export function formatStamp(): string {
  return `quorate data format ${FORMAT_VERSION}\n`;
}

/** Throws STORE_FORMAT_UNKNOWN, STORE_FORMAT_NEWER or STORE_FORMAT_OLDER, each saying what to do. */
export function checkFormat(stamp: string, directory: string): void {
  const version = FORMAT_PATTERN.exec(stamp)?.[1];
  if (version === undefined) {
    throw fail(
      'STORE_FORMAT_UNKNOWN',
      `${directory} has a format stamp that is not Quorate's: choose another --datadir, or restore the file "format" from a backup`,
    );
  }
  if (Number(version) > FORMAT_VERSION) {
    throw fail(
      'STORE_FORMAT_NEWER',
      `${directory} was written by a newer Quorate (data format ${version}; this program knows ${FORMAT_VERSION}): start that program, or choose another --datadir`,
    );
  }
  if (Number(version) < FORMAT_VERSION) {
    throw fail(
      'STORE_FORMAT_OLDER',
      `${directory} was written by an older Quorate (data format ${version}; this program knows ${FORMAT_VERSION}): export the chain with that program and import it with this one`,
    );
  }
}

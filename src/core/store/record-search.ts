/** Looks for a good record behind a broken one, at any byte. */
import type { LogFile } from '../base/ports.ts';
import { crc32c } from './crc32c.ts';
import {
  type LogPosition,
  placeChecksum,
  RECORD_HEADER_BYTES,
  recordAt,
  recordChecksum,
  recordLength,
} from './log-record.ts';
import { RangeChecksums } from './range-checksums.ts';

const CHUNK_BYTES = 4 * 1024 * 1024;
/** Length and checksum of a record, which the checksum does not cover. */
const PREFIX_BYTES = 8;

/**
 * The first good record at or after `from`. The bytes are read twice, and up to half a kilobyte for
 * each place where a record may begin: its checksum follows from those of the file's parts.
 */
export function findRecord(file: LogFile, from: LogPosition): LogPosition | undefined {
  const { segment } = from;
  const first = from.offset + PREFIX_BYTES;
  if (first >= file.size()) return undefined;
  const checksums = new RangeChecksums(file, first);
  let before = 0;
  for (let base = from.offset; base < file.size(); base += CHUNK_BYTES) {
    const chunk = file.read(base, CHUNK_BYTES + RECORD_HEADER_BYTES);
    const count = Math.min(chunk.length - PREFIX_BYTES, CHUNK_BYTES);
    for (let i = 0; i < count; i++) {
      const position = { segment, offset: base + i };
      const length = recordLength(chunk, i);
      if (length !== undefined && base + i + PREFIX_BYTES + length <= file.size()) {
        const start = base + i + PREFIX_BYTES;
        const place = placeChecksum(length, position);
        const found = checksums.continued(place, before, { start, end: start + length });
        if (found === recordChecksum(chunk, i) && recordAt(file, position)) return position;
      }
      before = crc32c(chunk, before, i + PREFIX_BYTES, i + PREFIX_BYTES + 1);
    }
  }
  return undefined;
}

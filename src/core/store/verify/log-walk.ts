/** Walks the block log from its first byte, past damaged parts. Cuts nothing. */
import type { LogFile, LogFolder } from '../../base/ports.ts';
import {
  type LogPosition,
  type LogRecord,
  RECORD_HEADER_BYTES,
  recordAt,
  recordLength,
} from '../log-record.ts';

const SEARCH_CHUNK_BYTES = 4 * 1024 * 1024;

export type WalkStep =
  | { readonly kind: 'record'; readonly record: LogRecord; readonly position: LogPosition }
  /** No record begins here. `to`: where the segment's next one begins; undefined: there is none. */
  | { readonly kind: 'gap'; readonly position: LogPosition; readonly to: number | undefined }
  | { readonly kind: 'missing'; readonly segment: number };

export function blockFile(segment: number): string {
  return `blocks/${String(segment).padStart(6, '0')}.log`;
}

export function* walkLog(folder: LogFolder): Generator<WalkStep> {
  let expected = 0;
  for (const segment of folder.segments()) {
    for (; expected < segment; expected++) yield { kind: 'missing', segment: expected };
    expected = segment + 1;
    const file = folder.open(segment);
    try {
      yield* walkSegment(file, segment);
    } finally {
      file.close();
    }
  }
}

function* walkSegment(file: LogFile, segment: number): Generator<WalkStep> {
  let offset = 0;
  while (offset < file.size()) {
    const position = { segment, offset };
    const record = recordAt(file, position);
    if (record) {
      yield { kind: 'record', record, position };
      offset += RECORD_HEADER_BYTES + record.body.length;
      continue;
    }
    const to = nextRecord(file, position);
    yield { kind: 'gap', position, to };
    if (to === undefined) return;
    offset = to;
  }
}

function nextRecord(file: LogFile, { segment, offset }: LogPosition): number | undefined {
  for (let base = offset + 1; base < file.size(); base += SEARCH_CHUNK_BYTES) {
    const chunk = file.read(base, SEARCH_CHUNK_BYTES + RECORD_HEADER_BYTES);
    for (let i = 0; i < Math.min(chunk.length, SEARCH_CHUNK_BYTES); i++) {
      if (recordLength(chunk, i) === undefined) continue;
      if (recordAt(file, { segment, offset: base + i })) return base + i;
    }
  }
  return undefined;
}

/** The rewinds in the block log. */
import type { LogFolder } from '../base/ports.ts';
import {
  comparePositions,
  type LogPosition,
  RECORD_HEADER_BYTES,
  RECORD_KIND,
  recordAt,
  recordLength,
} from './log-record.ts';
import { decodeRewindRecord } from './record-bodies.ts';

const LOG_START: LogPosition = { segment: 0, offset: 0 };

export interface Rewind {
  readonly position: LogPosition;
  /** Undefined: the chain itself. */
  readonly psi: string | undefined;
  readonly to: number;
}

/** Rewind records from `from` on, found by walking each segment's frames up to a damaged one. */
export function rewindsOf(folder: LogFolder, from: LogPosition = LOG_START): Rewind[] {
  const rewinds: Rewind[] = [];
  for (const segment of folder.segments()) {
    if (segment < from.segment) continue;
    const file = folder.open(segment);
    let offset = segment === from.segment ? from.offset : 0;
    for (;;) {
      const header = file.read(offset, RECORD_HEADER_BYTES);
      const length = recordLength(header);
      if (length === undefined) break;
      const position = { segment, offset };
      if (header[8] === RECORD_KIND.rewind) {
        const record = recordAt(file, position);
        if (!record) break;
        const { psi, to } = decodeRewindRecord(record.body);
        rewinds.push({ position, psi, to });
      }
      offset += 8 + length;
    }
    file.close();
  }
  return rewinds;
}

/** Whether block `number` of a state, recorded at `position`, was taken back later. */
export function isTakenBack(
  rewinds: readonly Rewind[],
  psi: string | undefined,
  number: number,
  position: LogPosition,
): boolean {
  return rewinds.some(
    (rewind) =>
      comparePositions(rewind.position, position) > 0 &&
      rewind.to < number &&
      (rewind.psi === undefined || rewind.psi === psi),
  );
}

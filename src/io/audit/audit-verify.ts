/** Checks the chain of an audit log line by line, over any number of consecutive files. */

import { createReadStream } from 'node:fs';
import { fail } from '../../core/base/errors.ts';
import { type ChainEnd, chainFault } from '../crypto/hash-chain.ts';
import { checkFile } from '../host/files.ts';
import { checkLine, checkVersion, LINE_BYTES_MAX } from './audit-chain.ts';

const CURE = 'Keep the file as evidence, and restore it from a backup';

export interface AuditReport {
  readonly lines: number;
  /** Hash of the last line: recorded elsewhere, it reveals a truncated log. */
  readonly lastHash: string;
  /** Bytes after the last line feed: a line torn by a crash. */
  readonly tornBytes: number;
}

/**
 * Takes the files in the order in which they were written. Throws AUDIT_BROKEN, which names file
 * and line.
 */
export async function verifyAuditLogs(paths: readonly string[]): Promise<AuditReport> {
  let end: ChainEnd | undefined;
  let lines = 0;
  let tornBytes = 0;
  for (const path of paths) {
    if (tornBytes > 0) throw fail('AUDIT_BROKEN', `${path} does not continue a torn line`);
    let number = 0;
    for await (const { line, isWhole } of linesOf(path)) {
      number++;
      if (!isWhole) {
        tornBytes = Buffer.byteLength(line);
        break;
      }
      checkVersion(path, line);
      end = next(end, line, `${path}: line ${number}`);
      lines++;
    }
  }
  return { lines, lastHash: end?.hash ?? '', tornBytes };
}

function next(end: ChainEnd | undefined, line: string, where: string): ChainEnd {
  const found = checkLine(line);
  if (found.kind === 'broken') throw fail('AUDIT_BROKEN', `${where}: ${found.why}. ${CURE}`);
  const { record } = found;
  const fault = chainFault(end, record);
  if (fault === undefined) return record;
  const why =
    fault === 'number'
      ? `its number is ${record.seq}, not ${end!.seq + 1}`
      : 'it does not follow the previous line';
  throw fail('AUDIT_BROKEN', `${where}: ${why}. ${CURE}`);
}

async function* linesOf(path: string): AsyncGenerator<{ line: string; isWhole: boolean }> {
  checkFile(path);
  let rest = '';
  for await (const chunk of createReadStream(path, 'utf8') as AsyncIterable<string>) {
    const parts = (rest + chunk).split('\n');
    rest = parts.pop()!;
    if (rest.length > LINE_BYTES_MAX)
      throw fail('AUDIT_BROKEN', `${path}: a line is longer than ${LINE_BYTES_MAX} bytes`);
    for (const line of parts) yield { line, isWhole: true };
  }
  if (rest !== '') yield { line: rest, isWhole: false };
}

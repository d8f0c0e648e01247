/**
 * Compares an answer with the recorded one, and finds the row of `test/known-differences.json` that
 * explains an intended difference.
 */
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { isDeepStrictEqual } from 'node:util';

/** Found by method and recorded text, never by file name. */
export interface KnownDifference {
  readonly method: string;
  /** When it happens, as text for people. */
  readonly condition: string;
  /** A part of the recorded answer. */
  readonly recorded: string;
  /** A part of our answer. */
  readonly ours: string;
  readonly reason: string;
}

const FILE = join(resolve(import.meta.dirname, '..'), 'known-differences.json');

export class KnownDifferences {
  readonly rows: readonly KnownDifference[];
  private readonly used = new Set<KnownDifference>();

  constructor(
    rows: readonly KnownDifference[] = JSON.parse(readFileSync(FILE, 'utf8')) as KnownDifference[],
  ) {
    this.rows = rows;
  }

  /** The row that explains the difference between `ours` and `recorded`. */
  explain(method: string, recorded: string, ours: string): KnownDifference | undefined {
    const row = this.rows.find(
      (each) =>
        each.method === method && recorded.includes(each.recorded) && ours.includes(each.ours),
    );
    if (row) this.used.add(row);
    return row;
  }

  unused(): readonly KnownDifference[] {
    return this.rows.filter((row) => !this.used.has(row));
  }
}

/**
 * undefined: the answers agree. `shape`: errors must be equal, results need only have the same
 * structure.
 */
export function answerFault(
  kind: 'replay' | 'shape',
  recorded: any,
  ours: any,
): string | undefined {
  if (kind === 'replay' || hasError(recorded) || hasError(ours)) {
    const [a, b] = [withoutTimes(recorded), withoutTimes(ours)];
    if (isDeepStrictEqual(a, b)) return undefined;
    return `recorded ${shown(a)}, ours ${shown(b)}`;
  }
  return shapeFault(recorded, ours, '');
}

function hasError(answer: any): boolean {
  return answer !== null && typeof answer === 'object' && 'error' in answer;
}

/** The duration of a trace differs in every run. */
function withoutTimes(value: unknown): unknown {
  if (value === undefined) return undefined;
  return JSON.parse(JSON.stringify(value), (key, field) => (key === 'time' ? undefined : field));
}

function shapeFault(recorded: any, ours: any, path: string): string | undefined {
  if (recorded === null) return undefined;
  if (Array.isArray(recorded)) {
    if (!Array.isArray(ours)) return `${path}: recorded an array, ours ${shown(ours)}`;
    if (recorded.length === 0 || ours.length === 0) return undefined;
    return shapeFault(recorded[0], ours[0], `${path}/0`);
  }
  if (typeof recorded !== 'object') {
    return typeof recorded === typeof ours
      ? undefined
      : `${path}: recorded ${shown(recorded)}, ours ${shown(ours)}`;
  }
  if (ours === null || typeof ours !== 'object')
    return `${path}: recorded an object, ours ${shown(ours)}`;
  const extra = Object.keys(ours).find((name) => !isData(name) && !(name in recorded));
  if (extra !== undefined) return `${path}: ours has ${extra} besides`;
  for (const [name, value] of Object.entries(recorded)) {
    if (isData(name)) continue;
    if (!(name in ours)) return `${path}: ours lacks ${name}`;
    const fault = shapeFault(value, ours[name], `${path}/${name}`);
    if (fault !== undefined) return fault;
  }
  return undefined;
}

/** Names that are data: addresses and nonces. */
function isData(name: string): boolean {
  return /^(0x|\d)/.test(name);
}

function shown(value: unknown): string {
  const text = JSON.stringify(value) ?? 'nothing';
  return text.length > 400 ? `${text.slice(0, 400)}…` : text;
}

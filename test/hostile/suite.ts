/** Runs the cases of a network one after the other, and judges each. */
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { type Bounds, type Case, USUAL_BOUNDS } from './case.ts';
import type { Target } from './target.ts';
import { type Findings, Watch } from './watch.ts';

const SECONDS = 8;
/** The time before the first case, without any attack. */
const CALM_SECONDS = 6;
/**
 * On a busy machine the chain need only keep this share of the pace that it had without an attack.
 */
const BUSY_PACE_SHARE = 0.5;
/** An attack that does not end within this time after its end is abandoned. */
const GRACE_MS = 25_000;
/** When other processes use more cores than this, a missed time bound may be their fault. */
const OTHER_CORES_MAX = 0.5;

export interface Verdict {
  readonly name: string;
  readonly findings: Findings;
  /** The bounds that were broken; empty: none. */
  readonly faults: readonly string[];
  /** Time bounds that were broken while the machine was busy with other work: no verdict. */
  readonly unclear: readonly string[];
  readonly note: string | undefined;
}

export interface SuiteOptions {
  readonly seconds?: number;
  readonly progress?: (verdict: Verdict) => void;
  /** Path of GoQuorum's binary: its validators are attacked, where it has the same. */
  readonly reference?: string | undefined;
}

/** The cases that one network is attacked with. */
export interface Suite {
  readonly cases: readonly Pick<Case, 'name' | 'group' | 'isShort' | 'covers'>[];
  /** Plays those of its cases that are wanted; without any, no network is started. */
  play(
    isWanted: (each: Suite['cases'][number]) => boolean,
    options?: SuiteOptions,
  ): Promise<Verdict[]>;
}

type Start<N> = (folder: string, options: SuiteOptions) => Promise<N>;

export function suiteOf<N extends Target>(start: Start<N>, cases: readonly Case<N>[]): Suite {
  return {
    cases,
    play: (isWanted, options = {}) => playCases(start, cases.filter(isWanted), options),
  };
}

async function playCases<N extends Target>(
  start: Start<N>,
  cases: readonly Case<N>[],
  options: SuiteOptions,
): Promise<Verdict[]> {
  if (cases.length === 0) return [];
  const { seconds = SECONDS, progress } = options;
  const network = await start(mkdtempSync(join(tmpdir(), 'quorate-hostile-')), options);
  const verdicts: Verdict[] = [];
  try {
    const calm = await watchCalm(network);
    for (const each of cases) {
      const verdict = await play(network, each, each.seconds ?? seconds, calm);
      verdicts.push(verdict);
      progress?.(verdict);
      await network.recover();
    }
    return verdicts;
  } finally {
    await network.stop();
  }
}

/** Measures the same network on the same machine without an attack. */
async function watchCalm(network: Target): Promise<Findings> {
  const watch = await Watch.begin(network);
  await pause(CALM_SECONDS * 1000);
  return watch.end();
}

async function play<N extends Target>(
  network: N,
  each: Case<N>,
  seconds: number,
  calm: Findings,
): Promise<Verdict> {
  if (each.absent !== undefined) await network.nodes[each.absent]!.stop();
  const watch = await Watch.begin(network);
  const end = performance.now() + seconds * 1000;
  const isOver = () => performance.now() > end;
  const broken: string[] = [];
  const attack = each.attack(network, isOver).catch((error: Error) => {
    broken.push(error.message);
    return undefined;
  });
  const ended = pause(seconds * 1000 + GRACE_MS).then(() => 'the attack did not end');
  await pause(seconds * 1000);
  const findings = await watch.end();
  const note = await Promise.race([attack, ended]);
  const bounds = { ...USUAL_BOUNDS, ...each.bounds };
  const late = [...lateness(findings, bounds), ...broken];
  const isUnclear = findings.otherCores > OTHER_CORES_MAX;
  return {
    name: each.name,
    findings,
    faults: [...damage(findings, bounds), ...(isUnclear ? slowness(findings, bounds, calm) : late)],
    unclear: isUnclear ? late : [],
    note,
  };
}

function damage({ residentMb, ended }: Findings, bounds: Bounds): string[] {
  return [
    residentMb > bounds.residentMb && `${Math.round(residentMb)} MB resident`,
    ended.length > 0 && `ended: ${ended.join(', ')}`,
  ].filter((fault) => fault !== false);
}

function lateness(found: Findings, bounds: Bounds): string[] {
  const wanted = Math.floor(found.seconds * bounds.blockShare);
  return [
    found.blocks < wanted && `${found.blocks} blocks, not ${wanted}`,
    found.rounds > bounds.rounds && `${found.rounds} rounds changed`,
    found.gapSeconds > bounds.gapSeconds && `${found.gapSeconds} s between two blocks`,
    found.lagMs > bounds.lagMs && `the consensus thread was blocked for ${found.lagMs} ms`,
  ].filter((fault) => fault !== false);
}

/** Bounds that must hold even on a busy machine: counts, compared with those without an attack. */
export function slowness(found: Findings, bounds: Bounds, calm: Findings): string[] {
  const pace = Math.min(1, calm.blocks / calm.seconds);
  const wanted = Math.floor(found.seconds * pace * bounds.blockShare * BUSY_PACE_SHARE);
  const roundsMax = bounds.rounds + calm.rounds + Math.ceil(found.seconds / CALM_SECONDS);
  return [
    found.blocks < wanted &&
      `${found.blocks} blocks, not ${wanted} (calm: ${pace.toFixed(2)} a second)`,
    found.rounds > roundsMax && `${found.rounds} rounds changed (calm: ${calm.rounds})`,
  ].filter((fault) => fault !== false);
}

const WIDTHS = {
  name: 66,
  blocks: 10,
  rounds: 6,
  gap: 5,
  lag: 8,
  answer: 9,
  resident: 8,
  others: 6,
};

export function reportLine({ name, findings, faults, unclear, note }: Verdict): string {
  const { blocks, seconds, rounds, gapSeconds, lagMs, lagBy, answerMs } = findings;
  const verdict =
    faults.length > 0
      ? `FAILED: ${faults.join('; ')}`
      : unclear.length > 0
        ? `unclear, the machine was busy: ${unclear.join('; ')}`
        : 'held';
  return line({
    name,
    blocks: `${blocks} in ${seconds.toFixed(0)} s`,
    rounds: String(rounds),
    gap: `${gapSeconds} s`,
    lag: `${lagMs} ms`,
    answer: `${answerMs} ms`,
    resident: `${findings.residentMb} MB`,
    others: findings.otherCores.toFixed(1),
    verdict: [verdict, note, lagBy && `longest: ${lagBy}`].filter(Boolean).join('; '),
  });
}

/** `others`: processor cores used by other processes. */
export function reportHead(): string {
  const names = Object.keys(WIDTHS).map((name) => [name, name]);
  return line({ ...Object.fromEntries(names), name: 'case', resident: 'RSS', verdict: 'verdict' });
}

function line({ verdict = '', ...cells }: Record<string, string>): string {
  const padded = Object.entries(WIDTHS).map(([name, width]) => {
    const text = cells[name] ?? '';
    return name === 'name' ? text.padEnd(width) : text.padStart(width);
  });
  return `${padded.join('  ')}   ${verdict}`;
}

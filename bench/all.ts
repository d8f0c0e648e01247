/**
 * All benches one after the other, each in a process of its own: one that fails is run once more,
 * and one that fails again, or lacks its reference, does not stop the others. Gives their figures,
 * and the table of docs/performance-table.md.
 */
import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { cpuSeconds, descendantsCpuSeconds, machineCpuSeconds } from './processes.ts';
import { median, short, type WrittenFigure, type WrittenFigures } from './report.ts';

const BENCH_MINUTES_MAX = 30;
const RUNS_SHOWN = 8;

/** Sizes with which all benches together end within 90 minutes; the environment has priority. */
const SIZES: Readonly<Record<string, string>> = {
  NET_ROUNDS: '2',
  // Rounds of some seconds would measure how processes start.
  ...{ NET_TXS: '20000', PRIVATE_TXS: '16000' },
  RAMP_ORDERS: '100000',
  MIGRATE_LONG_BLOCKS: '20000',
  ...{ GROW_BLOCKS: '6000', GROW_ACCOUNTS: '40000', GROW_PIECES: '6' },
};

/** The variable that names the program with which a bench compares. */
const REFERENCES: Readonly<Record<string, string>> = {
  ...{ net: 'REFERENCE_GETH', private: 'REFERENCE_GETH', rpc: 'REFERENCE_GETH' },
  ...{ readers: 'REFERENCE_GETH', import: 'REFERENCE_GETH', agreement: 'REFERENCE_GETH' },
  validators: 'REFERENCE_GETH',
  grow: 'REFERENCE_GETH',
  evm: 'REFERENCE_EVM',
  precompiles: 'REFERENCE_VM_TEST',
};

interface BenchReport {
  readonly bench: string;
  readonly seconds: number;
  /** Cores that other programs used on average while it ran. */
  readonly other: number;
  /** Why there are no ratios; undefined: there is nothing to compare with, or it was compared. */
  readonly lacks?: string | undefined;
  /** Why there are no figures. */
  readonly failure?: string | undefined;
  readonly figures: readonly WrittenFigure[];
}

export interface AllOptions {
  readonly names: readonly string[];
  readonly json: string | undefined;
  readonly markdown: string | undefined;
}

/** Returns whether all benches gave figures. Results so far are on disk after each bench. */
export async function all({ names, json, markdown }: AllOptions): Promise<boolean> {
  const reports: BenchReport[] = [];
  for (const name of names) {
    console.log(`\n=== ${name}`);
    const first = await run(name);
    if (first.failure !== undefined) console.error(`${name}: ${first.failure}; once more`);
    const report = first.failure === undefined ? first : await run(name);
    reports.push(report);
    if (report.lacks !== undefined) console.log(`${name}: ${report.lacks}`);
    if (report.failure !== undefined) console.error(`${name}: ${report.failure}`);
    const cores = availableParallelism();
    if (json !== undefined) {
      const text = JSON.stringify({ node: process.version, cores, benches: reports }, null, 2);
      writeFileSync(json, `${text}\n`);
    }
    if (markdown !== undefined) writeFileSync(markdown, tableOf(reports));
  }
  console.log(`\n${tableOf(reports)}`);
  return reports.every(({ failure }) => failure === undefined);
}

async function run(name: string): Promise<BenchReport> {
  const folder = mkdtempSync(join(tmpdir(), 'quorate-bench-'));
  const file = join(folder, 'figures.json');
  const before = { machine: machineCpuSeconds(), own: ownCpuSeconds(), ms: performance.now() };
  const failure = await runBench(name, file);
  const seconds = (performance.now() - before.ms) / 1000;
  const ownCpu = ownCpuSeconds() - before.own;
  const other = Math.max(0, (machineCpuSeconds() - before.machine - ownCpu) / seconds);
  const figures = existsSync(file)
    ? (JSON.parse(readFileSync(file, 'utf8')) as WrittenFigures).figures
    : [];
  rmSync(folder, { recursive: true, force: true });
  return { bench: name, seconds, other, lacks: lackOf(name), failure, figures };
}

function lackOf(name: string): string | undefined {
  const variable = REFERENCES[name];
  if (variable === undefined) return undefined;
  const file = process.env[variable];
  if (file === undefined) return `no ratios: ${variable} is not set`;
  return existsSync(file) ? undefined : `no ratios: ${variable}: ${file} does not exist`;
}

/** Returns why it failed. */
function runBench(name: string, file: string): Promise<string | undefined> {
  const env: NodeJS.ProcessEnv = { ...SIZES, ...process.env };
  const variable = REFERENCES[name];
  if (variable !== undefined && lackOf(name) !== undefined) delete env[variable];
  const main = join(import.meta.dirname, 'main.ts');
  const args = ['--import', 'tsx', main, name, '--json', file];
  const stdio = ['ignore', 'inherit', 'inherit'] as const;
  // A group of its own: the nodes that it starts end with it.
  const child = spawn(process.execPath, args, { env, stdio: [...stdio], detached: true });
  const end = () => process.kill(-child.pid!, 'SIGTERM');
  const interrupted = () => {
    end();
    process.exit(130);
  };
  process.once('SIGINT', interrupted);
  return new Promise((resolve, reject) => {
    const patience = setTimeout(end, BENCH_MINUTES_MAX * 60_000);
    child.once('error', reject);
    child.once('close', (status, signal) => {
      clearTimeout(patience);
      process.removeListener('SIGINT', interrupted);
      if (status === 0) resolve(undefined);
      else if (signal) resolve(`stopped by ${signal}, after at most ${BENCH_MINUTES_MAX} minutes`);
      else resolve(`ended with status ${status}`);
    });
  });
}

function ownCpuSeconds(): number {
  return cpuSeconds([process.pid]) + descendantsCpuSeconds(process.pid);
}

/** One row a figure; `other` says how much the rows of a bench can be trusted. */
export function tableOf(reports: readonly BenchReport[]): string {
  const rows = reports.flatMap(({ bench, other, lacks, failure, figures }) => {
    const title = `| **${bench}**: other work ${other.toFixed(2)} cores | | | |`;
    const remarks = [lacks, failure].flatMap((each) => (each === undefined ? [] : [each]));
    return [
      title,
      ...remarks.map((remark) => `| ${remark} | | | |`),
      ...figures.map((figure) => rowOf(figure)),
    ];
  });
  return ['| figure | Quorate | reference | ratio |', '|---|---|---|---|', ...rows, ''].join('\n');
}

function rowOf({ name, unit, runs, reference, ratio }: WrittenFigure): string {
  const valuesOf = (all: readonly number[]) => `${shortRuns(all)} ${unit}`.trim();
  const theirs = reference ? `${valuesOf(reference.runs)} (${reference.name})` : '';
  const cells = [name, valuesOf(runs), theirs, ratio?.toFixed(2) ?? ''];
  return `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
}

/** All runs if they are few, otherwise their median and range. */
function shortRuns(runs: readonly number[]): string {
  if (runs.length <= RUNS_SHOWN) return runs.map(short).join(', ');
  const [least, most] = [Math.min(...runs), Math.max(...runs)];
  return `${short(median(runs))} (${short(least)} to ${short(most)})`;
}

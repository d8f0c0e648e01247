/**
 * Damages one stored file at a time and opens the store that it belongs to. Three outcomes are
 * right: the store starts with all its content; it repairs itself and logs that; or it refuses with
 * an error that names the file and the command to run. Anything else is a fault.
 */
import { type ChildProcess, execFileSync, fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { apply, type Damage, damagesOf } from './damage.ts';
import { type Opened, type Subject, UNREADABLE } from './subject.ts';
import { SUBJECTS } from './subjects/index.ts';

const OPENER = join(import.meta.dirname, 'opener.ts');
const NAMES_A_FILE =
  /\.log\b|genesis\.json|\/format|folder "(index|accounts|blocks|raft)"|index\/data\.mdb|raft-member|payloads|tm\.(key|pub)|audit\.jsonl|public-keys|(staking|ramp)\.db|secret/;
const NAMES_A_CURE =
  /"quorate [a-z]+|delete that file|[Ss]tart that program|[Rr]estore|Keep it as evidence|put .* back/;

export interface CorruptReport {
  readonly whole: number;
  readonly mended: number;
  readonly refused: number;
  readonly faults: readonly string[];
}

export interface CorruptOptions {
  readonly seed: number;
  /** How often the whole matrix is repeated, each time with other bytes. */
  readonly rounds: number;
  readonly subjects?: readonly string[] | undefined;
  /** The number of damages to try; undefined: all. */
  readonly count?: number | undefined;
  /** Receives one line per damage. */
  say(line: string): void;
}

export async function runCorruptions(options: CorruptOptions): Promise<CorruptReport> {
  const { seed, rounds, count, say } = options;
  const subjects = SUBJECTS.filter(({ name }) => options.subjects?.includes(name) ?? true);
  const scratch = mkdtempSync(join(tmpdir(), 'quorate-corrupt-'));
  const report = { whole: 0, mended: 0, refused: 0, faults: [] as string[] };
  const opener = new Opener();
  try {
    const right = new Map<Subject, Opened>();
    for (const subject of subjects) {
      await subject.make(join(scratch, subject.name), join(scratch, `${subject.name}.older`));
      copy(join(scratch, subject.name), join(scratch, 'damaged'));
      right.set(subject, await wholeOf(opener, subject, join(scratch, 'damaged')));
    }
    const damages = Array.from({ length: rounds }, (_, at) =>
      damagesOf(subjects, seed + at),
    ).flat();
    for (const [number, damage] of damages.slice(0, count).entries()) {
      const { subject } = damage;
      copy(join(scratch, subject.name), join(scratch, 'damaged'));
      apply(damage, join(scratch, 'damaged'), join(scratch, `${subject.name}.older`));
      const found = await opener.ask(subject, join(scratch, 'damaged'));
      const verdict = judge(damage, found, right.get(subject)!);
      if (typeof verdict === 'string') report[verdict]++;
      else report.faults.push(`${number} ${lineOf(damage)}: ${verdict.fault}`);
      const outcome = typeof verdict === 'string' ? verdict : `FAULT: ${verdict.fault}`;
      say(`${number} ${lineOf(damage)}: ${outcome}${reasonIn(found)}`);
    }
    return report;
  } finally {
    opener.stop();
    rmSync(scratch, { recursive: true, force: true });
  }
}

async function wholeOf(opener: Opener, subject: Subject, place: string): Promise<Opened> {
  const found = await opener.ask(subject, place);
  if (!('content' in found) || found.told.length > 0) {
    throw new Error(`the whole ${subject.name}: ${JSON.stringify(found)}`);
  }
  return found;
}

type Found = Opened | { readonly crash: string };

function judge(
  { subject, file, kind }: Damage,
  found: Found,
  right: Opened,
): 'whole' | 'mended' | 'refused' | { readonly fault: string } {
  if ('crash' in found) return { fault: `the process ended: ${found.crash}` };
  const { refusal, content, told } = found;
  if (refusal) {
    const { message } = refusal;
    if (NAMES_A_FILE.test(message) && NAMES_A_CURE.test(message)) return 'refused';
    return { fault: `refused without file or cure: ${message}` };
  }
  const may = subject.mayDiffer(file, kind);
  const parts = new Set([...Object.keys(content!), ...Object.keys(right.content!)]);
  const other = [...parts].filter((part) => content![part] !== right.content![part]);
  // A part that is refused must be named, in the error or in the log of the start.
  const isNamed = told.some((line) => NAMES_A_FILE.test(line) && NAMES_A_CURE.test(line));
  const unsaid = other.filter(
    (part) => !may.includes(part) && !(isNamed && [UNREADABLE, undefined].includes(content![part])),
  );
  if (unsaid.length > 0) {
    return {
      fault: `it answers differently: ${unsaid.map((part) => `${part} ${content![part]}`).join()}`,
    };
  }
  if (other.some((part) => !may.includes(part))) return 'refused';
  return told.length > 0 || other.length > 0 ? 'mended' : 'whole';
}

class Opener {
  private child = start();

  async ask(subject: Subject, place: string): Promise<Found> {
    const { child } = this;
    let words = '';
    child.stderr!.on('data', (text: Buffer) => {
      words += text.toString();
    });
    const over = new AbortController();
    const { signal } = over;
    try {
      child.send({ name: subject.name, place });
      return await Promise.race([
        once(child, 'message', { signal }).then(([found]) => found as Opened),
        once(child, 'exit', { signal }).then(([code, name]) => {
          this.child = start();
          return { crash: `${name ?? `status ${code}`} ${words.slice(0, 2_000)}` };
        }),
      ]);
    } finally {
      over.abort();
      child.stderr!.removeAllListeners('data');
    }
  }

  stop(): void {
    this.child.kill();
  }
}

function start(): ChildProcess {
  return fork(OPENER, {
    execArgv: ['--import', 'tsx'],
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
  });
}

/** Keeps files sparse: the file of votes has a hole of 32 MiB. */
function copy(from: string, to: string): void {
  rmSync(to, { recursive: true, force: true });
  execFileSync('cp', ['-a', '--sparse=always', from, to]);
}

function lineOf({ subject, file, place, kind }: Damage): string {
  return `${subject.name} ${file} ${kind} ${place}`;
}

function reasonIn(found: Found): string {
  return 'refusal' in found && found.refusal ? ` (${found.refusal.message})` : '';
}

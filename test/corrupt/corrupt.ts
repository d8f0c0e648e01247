/**
 * Damages one file of a data folder at a time and starts on it. Three outcomes are right: it starts with everything, it mends
 * itself and says so, or it refuses with a text that names the file and the command. Anything else is a fault.
 */
import { type ChildProcess, execFileSync, fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { TransactionJournal } from '../../src/core/store/transaction-journal.ts';
import { openChain } from '../../src/services/ledger/store/data.ts';
import { unpackFixture } from '../support/fixtures.ts';
import { recordedChain } from '../support/recorded-chain.ts';
import { apply, type Damage, damageOf } from './damage.ts';
import type { Opened } from './opener.ts';

const OPENER = join(import.meta.dirname, 'opener.ts');
const NAMES_A_FILE =
  /blocks\/\d+\.log|genesis\.json|\/format|data format|folder "(index|blocks)"|index\/data\.mdb/;
const NAMES_A_CURE = /"quorate [a-z]+|delete that file|start that program|[Rr]estore/;
const VOTE_ROUND = 1;
const JOURNALED = 3;

export interface CorruptReport {
  readonly whole: number;
  readonly mended: number;
  readonly refused: number;
  readonly faults: readonly string[];
}

/** `say` hears of each damage. */
export async function runCorruptions(
  count: number,
  seed: number,
  say: (line: string) => void,
): Promise<CorruptReport> {
  const scratch = mkdtempSync(join(tmpdir(), 'quorate-corrupt-'));
  const whole = join(scratch, 'whole');
  const older = join(scratch, 'older');
  const report = { whole: 0, mended: 0, refused: 0, faults: [] as string[] };
  let opener = startOpener();
  try {
    unpackFixture('0.1.0', 'node', older);
    await (await openChain(older)).close();
    await recordedChain(whole);
    await addVotesAndJournal(whole);
    const place = join(scratch, 'damaged');
    copy(whole, place);
    const right = await ask(opener, place);
    if (!('digest' in right)) throw new Error(`the whole folder: ${JSON.stringify(right)}`);
    for (let number = 0; number < count; number++) {
      const damage = damageOf(number, seed);
      rmSync(place, { recursive: true });
      copy(whole, place);
      apply(damage, join(place, 'quorate'), join(older, 'quorate'));
      const found = await ask(opener, place);
      if (opener.exitCode !== null || opener.signalCode !== null) opener = startOpener();
      const verdict = judge(damage, found, right);
      if (typeof verdict === 'string') report[verdict]++;
      else report.faults.push(`${number} ${lineOf(damage)}: ${verdict.fault}`);
      const outcome = typeof verdict === 'string' ? verdict : `FAULT: ${verdict.fault}`;
      say(`${number} ${lineOf(damage)}: ${outcome}${reasonIn(found)}`);
    }
    return report;
  } finally {
    opener.kill();
    rmSync(scratch, { recursive: true, force: true });
  }
}

type Found = Opened | { readonly crash: string };

function judge(
  damage: Damage,
  found: Found,
  right: Opened,
): 'whole' | 'mended' | 'refused' | { readonly fault: string } {
  if ('crash' in found) return { fault: `the process ended: ${found.crash}` };
  const { refusal, digest, told, vote, journal } = found;
  if (refusal) {
    const { message } = refusal;
    if (NAMES_A_FILE.test(message) && NAMES_A_CURE.test(message)) return 'refused';
    return { fault: `refused without file or cure: ${message}` };
  }
  if (digest !== right.digest) return { fault: 'it answers otherwise than before' };
  const isOfVotes = damage.file.startsWith('votes');
  if (vote !== VOTE_ROUND && !(isOfVotes && vote === 'lost')) {
    // An older copy of the votes cannot be told from the newest by itself; docs/consensus.md.
    if (!(isOfVotes && damage.kind === 'older')) return { fault: `its vote is ${vote}` };
  }
  if (journal !== JOURNALED && !damage.file.startsWith('journal')) {
    return { fault: `its journal has ${journal} entries` };
  }
  const isMended = told.length > 0 || vote === 'lost' || journal !== JOURNALED;
  return isMended ? 'mended' : 'whole';
}

async function addVotesAndJournal(place: string): Promise<void> {
  const chain = await openChain(place);
  const height = chain.store.head()!.number + 1;
  for (const round of [0, VOTE_ROUND]) {
    await chain.votes.remember({ height, round, bytes: Uint8Array.of(round) });
  }
  const journal = new TransactionJournal(chain.folder.journal);
  for (let entry = 1; entry <= JOURNALED; entry++)
    await journal.add(new Uint8Array(99).fill(entry));
  await journal.close();
  await chain.close();
}

function startOpener(): ChildProcess {
  return fork(OPENER, {
    execArgv: ['--import', 'tsx'],
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
  });
}

async function ask(opener: ChildProcess, place: string): Promise<Found> {
  let words = '';
  opener.stderr!.on('data', (text: Buffer) => {
    words += text.toString();
  });
  const over = new AbortController();
  const { signal } = over;
  try {
    opener.send(place);
    return await Promise.race([
      once(opener, 'message', { signal }).then(([found]) => found as Opened),
      once(opener, 'exit', { signal }).then(([code, name]) => ({
        crash: `${name ?? `status ${code}`} ${words.slice(0, 2_000)}`,
      })),
    ]);
  } finally {
    over.abort();
    opener.stderr!.removeAllListeners('data');
  }
}

/** Holes stay holes: the file of votes has 32 MiB of them. */
function copy(from: string, to: string): void {
  execFileSync('cp', ['-a', '--sparse=always', from, to]);
}

function lineOf({ file, place, kind }: Damage): string {
  return `${file} ${kind} ${place}`;
}

function reasonIn(found: Found): string {
  return 'refusal' in found && found.refusal ? ` (${found.refusal.message})` : '';
}

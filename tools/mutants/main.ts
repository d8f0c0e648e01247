/**
 * `npm run mutants [-- WORDS] [-- 2/4]`: removes each limit of docs/limits.md and each protection
 * of docs/threat-model.md from a copy of the project (those whose names contain WORDS; the second
 * quarter of them), and runs the test that should fail. Exits with 1 when a test passes.
 */
import { execFileSync, spawn } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { type Limit, mutated } from './limit.ts';
import { LIMITS } from './limits.ts';
import { PROTECTIONS } from './protections.ts';

const ROOT = resolve(import.meta.dirname, '../..');
const TIMEOUT_MS = 240_000;
/** A mutant may run forever: it gets so many times as long as the test on unchanged code. */
const PATIENCE = 4;
const PATIENCE_MS = 20_000;

const say = (line: string) => process.stdout.write(`${line}\n`);
const isPart = (word: string) => /^[1-9]\d*\/[1-9]\d*$/.test(word);
const words = process.argv.slice(2).map((word) => word.toLowerCase());
const [part, parts] = (words.find(isPart) ?? '1/1').split('/').map(Number) as [number, number];
const named = [...LIMITS, ...PROTECTIONS].filter(({ name }) =>
  words.every((word) => isPart(word) || name.toLowerCase().includes(word)),
);
const chosen = named.filter((_, at) => Math.floor((at * parts) / named.length) === part - 1);
const copy = mkdtempSync(join(tmpdir(), 'quorate-mutants-'));
process.on('exit', () => rmSync(copy, { recursive: true, force: true }));
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => process.exit(130));
makeCopy();

const survivors: string[] = [];
/** The time that each test takes on unchanged code, in ms; undefined: it fails there. */
const seen = new Map<string, number | undefined>();
for (const limit of chosen) {
  const outcome = await judge(limit);
  if (outcome !== 'killed') survivors.push(`${limit.name}: ${outcome} (${limit.test})`);
  say(`${outcome.padEnd(10)} ${limit.name}`);
}
const killed = chosen.length - survivors.length;
say(`\ntests notice ${killed} of ${chosen.length} removed limits`);
for (const line of survivors) say(`  ${line}`);
process.exit(survivors.length === 0 ? 0 : 1);

function makeCopy(): void {
  const files = execFileSync(
    'git',
    ['ls-files', '-z', '--cached', '--others', '--exclude-standard'],
    {
      cwd: ROOT,
      maxBuffer: 64 * 1024 * 1024,
    },
  );
  for (const file of files.toString().split('\0')) {
    if (file !== '') cpSync(join(ROOT, file), join(copy, file), { recursive: true });
  }
  for (const folder of ['node_modules', 'dist'])
    symlinkSync(join(ROOT, folder), join(copy, folder));
}

async function judge(limit: Limit): Promise<'killed' | 'survived' | 'not run'> {
  const path = join(copy, limit.file);
  const source = readFileSync(path, 'utf8');
  const mutant = mutated(source, limit);
  const { test } = limit;
  // The test must pass on unchanged code, or its failure would prove nothing.
  if (!seen.has(test)) seen.set(test, await msOf({ test }, TIMEOUT_MS));
  const ms = seen.get(test);
  if (ms === undefined) return 'not run';
  const patienceMs = Math.min(TIMEOUT_MS, PATIENCE_MS + PATIENCE * ms);
  writeFileSync(path, mutant);
  try {
    return (await msOf(limit, patienceMs)) === undefined ? 'killed' : 'survived';
  } finally {
    writeFileSync(path, source);
  }
}

/** The time in which the test passes; undefined: it does not. */
function msOf(
  { test, only }: Pick<Limit, 'test' | 'only'>,
  patienceMs: number,
): Promise<number | undefined> {
  const begunMs = performance.now();
  const project = test.endsWith('.service.test.ts') ? 'service' : 'unit';
  const vitest = join(ROOT, 'node_modules/vitest/vitest.mjs');
  const args = [vitest, 'run', '--project', project, '--bail', '1', test];
  if (only !== undefined) args.push('-t', only);
  const child = spawn(process.execPath, args, { cwd: copy, stdio: 'ignore', detached: true });
  return new Promise((done) => {
    const timer = setTimeout(() => process.kill(-child.pid!, 'SIGKILL'), patienceMs);
    child.once('close', (code) => {
      clearTimeout(timer);
      done(code === 0 ? performance.now() - begunMs : undefined);
    });
  });
}

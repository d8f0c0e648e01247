import { execFileSync, spawn } from 'node:child_process';
import {
  appendFileSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { until } from '../../../test/support/conditions.ts';
import { endsWithTest } from '../../../test/support/ends-with-test.ts';
import type { Intent } from '../../core/signing/guard.ts';
import { eventLine, NO_HASH } from './audit-chain.ts';
import { AuditLog } from './audit-log.ts';
import { verifyAuditLogs } from './audit-verify.ts';

let folder = '';
let path = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'audit-'));
  path = join(folder, 'audit.jsonl');
});
afterEach(() => rmSync(folder, { recursive: true }));

const clock = { nowMs: () => 1_700_000_000_000 };
const open = () => AuditLog.open(path, clock, () => {});
const intent: Intent = {
  method: 'eth_sendTransaction',
  account: `0x${'aa'.repeat(20)}`,
  kind: 'transaction',
  value: 5n,
};
const entry = (outcome: string) => ({ caller: 'pay', intent, outcome });
const lines = () => readFileSync(path, 'utf8').trimEnd().split('\n');

it('entries are linked, numbered, and continue after a restart', async () => {
  const first = await open();
  await Promise.all(Array.from({ length: 50 }, (_, i) => first.append(entry(`0x${i}`))));
  await first.close();
  const second = await open();
  await second.append(entry('signed'));
  await second.close();
  expect(statSync(path).mode & 0o777).toBe(0o600);
  const report = await verifyAuditLogs([path]);
  expect(report).toMatchObject({ lines: 55, tornBytes: 0 });
  const all = lines().map((line) => JSON.parse(line));
  expect(all[0]).toMatchObject({ seq: 1, event: 'start', previous: '0'.repeat(64) });
  expect(all[1]).toMatchObject({ seq: 2, caller: 'pay', value: '5', outcome: '0x0' });
  expect(all.at(-1)).toMatchObject({ seq: 55, event: 'stop', hash: report.lastHash });
});

it('any change of any line shows, and which', async () => {
  const log = await open();
  for (let i = 0; i < 5; i++) await log.append(entry(`0x${i}`));
  await log.close();
  const sound = lines();
  const check = (changed: readonly string[]) => {
    writeFileSync(path, `${changed.join('\n')}\n`);
    return expect(verifyAuditLogs([path])).rejects;
  };
  await check(sound.with(3, sound[3]!.replace('0x2', '0x9'))).toThrow(/line 4: its hash/);
  await check(sound.toSpliced(2, 1)).toThrow(/line 3: it does not follow/);
  await check(sound.toSpliced(2, 2, sound[3]!, sound[2]!)).toThrow(/line 3/);
  await check([...sound, '']).toThrow(/line 8: it is not a line/);
  await check(sound.with(6, 'x')).toThrow(/line 7/);
});

it('a torn last line is cut off and told of; a changed last line stops the start', async () => {
  const log = await open();
  await log.append(entry('0x1'));
  await log.close();
  const whole = readFileSync(path, 'utf8');
  appendFileSync(path, whole.split('\n')[1]!.slice(0, 40));
  expect(await verifyAuditLogs([path])).toMatchObject({ lines: 3, tornBytes: 40 });
  await (await open()).close();
  expect(JSON.parse(lines()[3]!)).toMatchObject({ event: 'start', tornBytes: 40 });
  expect(await verifyAuditLogs([path])).toMatchObject({ lines: 5, tornBytes: 0 });
  writeFileSync(path, whole.replace('"event":"stop"', '"event":"spot"'));
  await expect(open()).rejects.toMatchObject({ code: 'AUDIT_BROKEN' });
  for (const text of ['\n', 'nonsense\n', 'x'.repeat(40_000)]) {
    writeFileSync(path, text);
    await expect(open()).rejects.toMatchObject({ code: 'AUDIT_BROKEN' });
  }
});

it('a renamed file is followed by one that continues its chain', async () => {
  const log = await open();
  await log.append(entry('0x1'));
  const old = join(folder, 'audit.1');
  renameSync(path, old);
  await log.append(entry('0x2'));
  await log.reopen();
  await log.append(entry('0x3'));
  await log.reopen();
  await log.close();
  expect(await verifyAuditLogs([old, path])).toMatchObject({ lines: 6 });
  expect(await verifyAuditLogs([path])).toMatchObject({ lines: 3 });
  await expect(verifyAuditLogs([path, old])).rejects.toThrow(/does not follow/);
});

it('what cannot be written is refused until the file is opened again', async () => {
  const log = await open();
  await (log as any).file.close();
  await expect(log.append(entry('0x1'))).rejects.toMatchObject({ code: 'AUDIT_FAILED' });
  await expect(log.append(entry('0x2'))).rejects.toMatchObject({ code: 'AUDIT_FAILED' });
  expect(log.isBroken).toBe(true);
  await log.reopen();
  expect(log.isBroken).toBe(false);
  await log.append(entry('0x3'));
  await log.close();
  const outcomes = lines().map((line) => JSON.parse(line).outcome);
  expect(outcomes.filter(Boolean)).toEqual(['0x3']);
  await verifyAuditLogs([path]);
});

it('a second writer, or a cut, is noticed before anything more is signed', async () => {
  const first = await open();
  await first.append(entry('0x1'));
  const second = await open();
  await expect(first.append(entry('0x2'))).rejects.toThrow(/another process writes it/);
  await second.append(entry('0x3'));
  writeFileSync(path, `${lines().slice(0, 2).join('\n')}\n`);
  await expect(second.append(entry('0x4'))).rejects.toThrow(/was changed from outside/);
  await first.close();
  await second.close();
});

it('kill -9 in the middle: every entry that was confirmed is there, and the chain is sound', async () => {
  const script = join(folder, 'writer.mts');
  const source = join(import.meta.dirname, 'audit-log.ts');
  writeFileSync(
    script,
    `import { writeSync } from 'node:fs';
     import { AuditLog } from ${JSON.stringify(source)};
     const log = await AuditLog.open(${JSON.stringify(path)}, { nowMs: () => 0 }, () => {});
     const intent = { method: 'm', account: '0x', kind: 'message' };
     for (let i = 0; ; i++) {
       await Promise.all([0, 1, 2].map((j) => log.append({ caller: 'c', intent, outcome: i + '.' + j })));
       writeSync(1, i + '\\n');
     }`,
  );
  const tsx = execFileSync('node', ['-p', 'require.resolve("tsx")'], { encoding: 'utf8' }).trim();
  const child = endsWithTest(
    spawn('node', ['--import', `file://${tsx}`, script], {
      stdio: ['ignore', 'pipe', 'inherit'],
    }),
  );
  let told = '';
  child.stdout.on('data', (chunk) => {
    told += chunk;
  });
  await until('some entries are confirmed', () => told.split('\n').length > 20);
  const gone = new Promise((resolve) => child.once('exit', resolve));
  child.kill('SIGKILL');
  await gone;
  const confirmed = told.split('\n').slice(0, -1).map(Number);
  await verifyAuditLogs([path]);
  await (await open()).close();
  await verifyAuditLogs([path]);
  const kept = new Set(lines().map((line) => JSON.parse(line).outcome));
  for (const i of confirmed)
    for (const j of [0, 1, 2]) expect(kept.has(`${i}.${j}`), `${i}.${j}`).toBe(true);
});

it('says its version where a run begins, and is refused by name when a newer one wrote it', async () => {
  await (await open()).close();
  expect(JSON.parse(lines()[0]!)).toMatchObject({ event: 'start', version: 1 });
  const { line } = eventLine({ seq: 0, hash: NO_HASH }, 0, 'start', { version: 2 });
  writeFileSync(path, `${line}\n`);
  const refusal = /the audit log .* newer Quorate: version 2, this one reads up to 1/;
  await expect(open()).rejects.toThrow(refusal);
  await expect(verifyAuditLogs([path])).rejects.toThrow(refusal);
  rmSync(`${path}.end`);
  const old = eventLine({ seq: 0, hash: NO_HASH }, 0, 'start').line;
  writeFileSync(path, `${old}\n`);
  await (await open()).close();
  expect(await verifyAuditLogs([path])).toMatchObject({ lines: 3 });
});

it('notices a log that lost its end or was restored, and continues where the file was moved away', async () => {
  const log = await open();
  await log.append(entry('0x1'));
  await log.close();
  const older = readFileSync(path);
  await (await open()).close();
  const newer = readFileSync(path);
  for (const bytes of [older, newer.subarray(0, newer.length - 30), Buffer.alloc(newer.length)]) {
    writeFileSync(path, bytes);
    await expect(open()).rejects.toMatchObject({
      code: 'AUDIT_BROKEN',
      message: expect.stringMatching(
        /audit\.jsonl was truncated, or replaced by an older copy.*but 5 were written/,
      ),
    });
    expect(readFileSync(path)).toEqual(bytes);
  }
  writeFileSync(path, newer);
  await (await open()).close();
  const rotated = `${path}.1`;
  renameSync(path, rotated);
  await (await open()).close();
  expect(await verifyAuditLogs([rotated, path])).toMatchObject({ lines: 9 });
  // A note that a power failure damaged is ignored.
  for (const note of ['', 'quorate audit end 1 0000000000000099 ']) {
    writeFileSync(`${path}.end`, note);
    await (await open()).close();
  }
});

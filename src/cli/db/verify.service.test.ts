/** Output of `quorate db verify` for operators and scripts: text, JSON and exit status. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, it } from 'vitest';
import { commandRun } from '../../../test/support/command-run.ts';
import { OLDER, olderManager } from '../../../test/support/older-manager.ts';
import { recordedChain } from '../../../test/support/recorded-chain.ts';
import { scratchFolder } from '../../../test/support/scratch.ts';

const place = join(scratchFolder('quorate-db-verify-'), 'data');
const verify = (...flags: string[]) => commandRun('db', 'verify', '--datadir', place, ...flags);

beforeAll(async () => {
  await recordedChain(place);
}, 60_000);

it('says that all is whole, of a manager too', async () => {
  const whole = await verify();
  expect(whole.status).toBe(0);
  expect(whole.lines.join('\n')).toMatch(
    /Read \d+ records of the block log .* up to block \d+.*\nEverything is intact\./,
  );
  const config = join(olderManager('one'), 'config.json');
  const manager = await verify('--configfile', config);
  expect(manager.status).toBe(2);
  expect(manager.lines.join('\n')).toMatch(/Everything is intact\.[\s\S]*Payloads: \d+ whole/);
  const json = await verify('--configfile', config, '--json');
  const report = JSON.parse(json.lines.find((line) => line.startsWith('{'))!);
  expect(report).toMatchObject({
    isWhole: true,
    findings: [],
    manager: { payloads: { foreign: 1 } },
  });
  const forged = OLDER.rows.find(({ now }) => now === 'forged')!;
  expect(report.manager.findings.map(({ hash }: { hash: string }) => hash)).toContain(forged.hash);
}, 60_000);

it('names what is damaged, and ends with 2; with 1 where it cannot look', async () => {
  const log = join(place, 'quorate/blocks/000000.log');
  const bytes = readFileSync(log);
  bytes[Math.floor(bytes.length / 2)]! ^= 1;
  writeFileSync(log, bytes);
  const { status, lines } = await verify();
  expect(status).toBe(2);
  expect(lines.join('\n')).toMatch(
    /DAMAGED: blocks\/000000\.log, byte \d+ \(block \d+\): no good record begins here.*\n {2}restore the folder "blocks"/,
  );
  const json = await verify('--json');
  expect(json.status).toBe(2);
  expect(JSON.parse(json.lines.find((line) => line.startsWith('{'))!)).toMatchObject({
    isWhole: false,
    findings: expect.arrayContaining([
      expect.objectContaining({ file: 'blocks/000000.log', offset: expect.any(Number) }),
    ]),
  });
  const nowhere = await commandRun('db', 'verify', '--datadir', join(place, 'nothing'));
  expect(nowhere.status).toBe(1);
  expect(nowhere.lines.join('\n')).toMatch(/there is no chain in/);
}, 60_000);

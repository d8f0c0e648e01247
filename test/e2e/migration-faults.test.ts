/**
 * The commands of a migration, killed at random moments and on full disks: an incomplete target is
 * never accepted as complete, the migration continues, and the source does not change.
 */
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { openChain } from '../../src/services/ledger/store/data.ts';
import { MAIN } from '../support/devnet.ts';
import { expectedDatadir, folderHash, gethDatadir } from '../support/geth-datadir.ts';
import '../support/install-crypto.ts';
import { mayMount } from '../support/may-mount.ts';
import { scratchFolder } from '../support/scratch.ts';
import { tesseraFolder } from '../support/tessera-export.ts';

const KILLS = 5;
const PATIENCE_MS = 180_000;
/** Covers the start of the process and the whole migration of this source. */
const WORK_MS = 2_500;
const SIZES_KB = [64, 500] as const;
const EXPECTED = expectedDatadir();

interface Ended {
  readonly status: number | null;
  readonly text: string;
}

async function quorate(args: readonly string[], killAfterMs?: number): Promise<Ended> {
  const child = spawn(process.execPath, [MAIN, ...args]);
  let text = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk) => {
      text += chunk;
    });
  const timer =
    killAfterMs === undefined ? undefined : setTimeout(() => child.kill('SIGKILL'), killAfterMs);
  const [status] = (await once(child, 'close')) as [number | null];
  clearTimeout(timer);
  return { status, text };
}

async function headOfTarget(target: string): Promise<string> {
  const { store, close } = await openChain(target);
  const hash = Buffer.from(store.head()!.hash).toString('hex');
  await close();
  return `0x${hash}`;
}

describe('migrate datadir', () => {
  it(`continues after ${KILLS} kills at random moments`, { timeout: PATIENCE_MS }, async () => {
    const folder = scratchFolder('quorate-killed-');
    const source = gethDatadir(folder);
    const target = join(folder, 'target');
    const before = folderHash(source);
    const command = ['migrate', 'datadir', source, '--datadir', target];
    for (let kill = 0; kill < KILLS; kill++) {
      const afterMs = Math.random() * WORK_MS;
      const { status, text } = await quorate(command, afterMs);
      expect([0, null], `${afterMs} ms: ${text}`).toContain(status);
      if (!existsSync(join(target, 'quorate/format'))) continue;
      if (existsSync(join(target, 'quorate/migrating'))) {
        // An unfinished target is never opened as a chain.
        await expect(openChain(target)).rejects.toMatchObject({ code: 'MIGRATION_UNFINISHED' });
        continue;
      }
      // The last run was complete but killed before it said so: the next run starts again.
      expect(await headOfTarget(target)).toBe(EXPECTED.hash);
      rmSync(target, { recursive: true });
    }
    const { status, text } = await quorate(command);
    expect(status, text).toBe(0);
    expect(await headOfTarget(target)).toBe(EXPECTED.hash);
    expect(readdirSync(join(target, 'quorate'))).not.toContain('migrate-scratch');
    expect(folderHash(source)).toBe(before);
  });

  it('says that the disk is full, and continues when there is space', {
    timeout: PATIENCE_MS,
  }, async ({ skip }) => {
    if (!mayMount())
      skip('this machine does not allow unshare -rm, so no file system can be mounted');
    const folder = scratchFolder('quorate-full-');
    const source = gethDatadir(folder);
    const before = folderHash(source);
    const target = join(folder, 'disk');
    mkdirSync(target);
    for (const size of SIZES_KB) {
      const { first, second, text } = await onSmallDisk(target, size, [
        ...['migrate', 'datadir', source, '--datadir', join(target, 'data')],
      ]);
      expect(first, text).not.toBe(0);
      expect(text).toMatch(/Fatal: .*(no space left|is full|full disk)/i);
      expect(text).toContain(target);
      expect(text).toContain('free some space');
      expect(text).not.toContain('copy the whole data folder again');
      expect(text).not.toMatch(/ENOSPC|MDB_|at .*:\d+:\d+/);
      expect(second, text).toBe(0);
      expect(text).toContain(`Head: ${EXPECTED.head} ${EXPECTED.hash}`);
    }
    expect(folderHash(source)).toBe(before);
  });
});

describe('migrate manager', () => {
  it('has a target folder only when it is complete', { timeout: PATIENCE_MS }, async ({ skip }) => {
    const tessera = tesseraFolder('mysql-hex');
    const before = folderHash(tessera.folder);
    const target = join(tessera.folder, '..', 'ptm');
    const inputs = ['migrate', 'manager', '--configfile', tessera.config, '--dump', tessera.dump];
    for (let kill = 0; kill < KILLS - 3; kill++) {
      const { status } = await quorate([...inputs, '--ptmdir', target], 300 + Math.random() * 900);
      expect([0, null]).toContain(status);
      if (!existsSync(target)) continue;
      // The run was complete, but killed before it said so.
      const check = ['ptm', 'check', '--configfile', join(target, 'config.json')];
      expect((await quorate(check)).status).toBe(0);
      rmSync(target, { recursive: true });
    }
    const { status, text } = await quorate([...inputs, '--ptmdir', target]);
    expect(status, text).toBe(0);
    if (!mayMount())
      skip('this machine does not allow unshare -rm, so no file system can be mounted');
    const disk = join(tessera.folder, '..', 'disk');
    mkdirSync(disk);
    const full = await onSmallDisk(disk, 64, [...inputs, '--ptmdir', join(disk, 'ptm')]);
    expect([full.first, full.second], full.text).toEqual([1, 0]);
    expect(full.text).toMatch(/Fatal: .*(no space left|is full|full disk)/i);
    expect(folderHash(tessera.folder)).toBe(before);
  });
});

/** Runs the command on a disk of this many kilobytes, and again after the disk was enlarged. */
async function onSmallDisk(disk: string, kilobytes: number, args: readonly string[]) {
  const command = [process.execPath, MAIN, ...args].map((word) => `'${word}'`).join(' ');
  const script = [
    `mount -t tmpfs -o size=${kilobytes}k tmpfs '${disk}'`,
    `${command} 2>&1; echo "first $?"`,
    `mount -o remount,size=64m '${disk}'`,
    `${command} 2>&1; echo "second $?"`,
  ].join('\n');
  const { stdout } = await promisify(execFile)('unshare', ['-rm', 'sh', '-c', script]);
  const statusOf = (which: string) =>
    Number(new RegExp(`^${which} (\\d+)$`, 'm').exec(stdout)?.[1]);
  return { first: statusOf('first'), second: statusOf('second'), text: stdout };
}

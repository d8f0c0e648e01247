/** Files damaged by a power failure or a user, and a disk that is full. */
import { execFileSync } from 'node:child_process';
import {
  appendFileSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { until } from '../support/conditions.ts';
import { headOf, startTestDevnet, type TestDevnet, untilBlock } from '../support/devnet.ts';

const DISK = '24m';
const MAIN = resolve(import.meta.dirname, '../../dist/bundle/cli/main.js');

async function untilAgreed(net: TestDevnet, at: number): Promise<void> {
  const number = (await headOf(net.rpc[0]!)) + 2;
  await untilBlock(net.rpc[0]!, number);
  await untilBlock(net.rpc[at]!, number);
  const tag = `0x${number.toString(16)}`;
  const blocks = await Promise.all(
    [0, at].map((each) =>
      net.rpc[each]!.call<{ hash: string }>('eth_getBlockByNumber', tag, false),
    ),
  );
  expect(blocks[1]!.hash).toBe(blocks[0]!.hash);
}

describe('a damaged block log', () => {
  it('drops a torn end, and is refused when synced data is missing', async () => {
    const net = await startTestDevnet();
    try {
      const log = join(net.folder, 'node4/quorate/blocks/000000.log');
      const tornEnds: (() => Uint8Array)[] = [
        () => new Uint8Array(1000).fill(0xa5),
        () => new Uint8Array(4096),
        () => readFileSync(log).subarray(0, 100),
      ];
      await untilBlock(net.rpc[3]!, 3);
      for (const torn of tornEnds) {
        await net.devnet.process('node4').stop();
        appendFileSync(log, torn());
        await net.devnet.restart('node4');
        await untilAgreed(net, 3);
      }
      await net.devnet.process('node4').stop();
      truncateSync(log, statSync(log).size - 7);
      await expect(net.devnet.restart('node4')).rejects.toThrow(
        /000000.log.*(damaged|cut)|block log/,
      );
      rmSync(join(net.folder, 'node4/quorate'), { recursive: true });
      await net.devnet.restart('node4');
      await untilAgreed(net, 3);
    } finally {
      await net.close();
    }
  });
});

describe('a lost file of votes', () => {
  it('keeps its validator from voting until a block is decided, or its operator sets the height from which it votes', async () => {
    const net = await startTestDevnet({ inProcesses: true });
    const victim = join(net.folder, 'node4');
    const said = (words: string) =>
      readFileSync(join(net.folder, 'node4.log'), 'utf8').split(words).length - 1;
    const loseVotes = async () => {
      await net.devnet.process('node4').stop();
      for (const file of ['votes', 'votes-written']) rmSync(join(victim, 'quorate', file));
    };
    const resetVotes = (height: number) =>
      execFileSync(
        process.execPath,
        [MAIN, 'db', 'reset-votes', '--datadir', victim, '--height', String(height)],
        { encoding: 'utf8', stdio: 'pipe' },
      );
    try {
      await untilBlock(net.rpc[3]!, 3);
      await loseVotes();
      await net.devnet.restart('node4');
      await until('it votes again', async () => said('This validator votes again') === 1);
      expect(said('This validator abstains until it has seen a block decided')).toBe(1);
      await untilAgreed(net, 3);
      await loseVotes();
      expect(() => resetVotes(1)).toThrow(/--height 1 is already on the chain/);
      const height = (await headOf(net.rpc[0]!)) + 2;
      expect(resetVotes(height)).toBe(`This validator votes from block ${height} on\n`);
      await net.devnet.restart('node4');
      await untilAgreed(net, 3);
      expect(said('This validator abstains')).toBe(1);
    } finally {
      await net.close();
    }
  });
});

describe('a full disk', () => {
  it('ends the node with a clear error, and nothing is lost once there is space', async (context) => {
    const folder = mkdtempSync(join(tmpdir(), 'quorate-disk-'));
    const disk = join(folder, 'node4');
    mkdirSync(disk);
    try {
      execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${DISK}`, 'none', disk], { stdio: 'pipe' });
    } catch {
      rmSync(folder, { recursive: true });
      context.skip('this user may not mount a small disk, to be filled');
    }
    const filler = join(disk, 'filler');
    let net: TestDevnet | undefined;
    try {
      net = await startTestDevnet({ folder, inProcesses: true });
      const before = await headOf(net.rpc[3]!);
      const victim = net.devnet.process('node4');
      fill(filler);
      expect(await victim.ended).toBe('status 1');
      const log = readFileSync(join(folder, 'node4.log'), 'utf8');
      expect(log).toMatch(/no space left|ENOSPC|disk/i);
      await untilBlock(net.rpc[0]!, (await headOf(net.rpc[0]!)) + 2);
      rmSync(filler);
      await net.devnet.restart('node4');
      expect(await headOf(net.rpc[3]!)).toBeGreaterThanOrEqual(before);
      await untilAgreed(net, 3);
      await until(
        'it has peers again',
        async () => (await net!.rpc[3]!.call('net_peerCount')) === '0x3',
      );
    } finally {
      await net?.devnet.stop();
      execFileSync('umount', [disk]);
      rmSync(folder, { recursive: true, force: true });
    }
  });
});

/** Writes until the disk is full. */
function fill(file: string): void {
  for (const size of [1 << 16, 1 << 12, 1]) {
    try {
      for (;;) appendFileSync(file, new Uint8Array(size));
    } catch {
      // A block of this size no longer fits.
    }
  }
}

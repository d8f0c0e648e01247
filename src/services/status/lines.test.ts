import { expect, it } from 'vitest';
import { statusLine, statusLines } from './lines.ts';
import { liveLine } from './live-line.ts';
import type { NetworkStatus } from './look.ts';

const PLAIN = {
  good: (text: string) => text,
  bad: (text: string) => text,
  head: (text: string) => text,
};
const WELL: NetworkStatus = {
  isWell: true,
  nodes: [
    {
      ...{ name: 'node1', url: 'http://a', isUp: true, head: 12, hash: '0x1', isReady: true },
      ...{ transactionsPerSecond: 4, secondsPerBlock: 1, peers: 3, pending: 2, queued: 1 },
      ...{ privateBehind: 0, reasons: [] },
    },
  ],
  services: [{ name: 'signer', url: 'http://b', isUp: true, reasons: [] }],
};
const DOWN = { name: 'node2', url: 'http://c', isUp: false, reasons: ['nobody listens there'] };

it('shows a row for each node, and why one is down', () => {
  const lines = statusLines({ ...WELL, nodes: [...WELL.nodes, DOWN] }, PLAIN);
  expect(lines.slice(0, 4)).toEqual([
    'node   state  head  s/block  tx/s  peers  pool  private',
    'node1  up     12    1.0      4.0   3      2+1   up to date',
    'node2  down   –     –        –     –      –     –',
    '  nobody listens there',
  ]);
  expect(lines.at(-1)).toBe('signer  up    http://b');
});

it('one line names what is not well', () => {
  expect(statusLine(WELL)).toBe('block 12 · 4.0 tx/s · 3 peers · private up to date');
  expect(statusLine({ ...WELL, nodes: [...WELL.nodes, DOWN] })).toContain('not well: node2');
  expect(statusLine({ ...WELL, nodes: [DOWN] })).toBe('no node answers');
});

it('writes over one line of a terminal, and nothing into a file', async () => {
  const written: string[] = [];
  const write = (text: string) => written.push(text);
  liveLine({ write }, async () => WELL).end();
  expect(written).toEqual([]);
  const live = liveLine({ isTTY: true, columns: 20, write }, async () => WELL);
  await expect.poll(() => written.length, { timeout: 60_000 }).toBeGreaterThan(0);
  live.end();
  expect(written[0]).toBe('\r\u001b[2K  block 12 · 4.0 tx');
  expect(written.at(-1)).toBe('\r\u001b[2K');
  expect(written.join('')).not.toContain('\n');
});

it('stays below the lines of a log', async () => {
  const written: string[] = [];
  const write = (text: string) => written.push(text);
  const live = liveLine({ isTTY: true, columns: 20, write }, async () => WELL);
  live.above(() => write('INFO first\n'));
  expect(written).toEqual(['INFO first\n']);
  await expect.poll(() => written.length, { timeout: 60_000 }).toBeGreaterThan(1);
  const shown = written.at(-1)!;
  live.above(() => write('INFO second\n'));
  expect(written.slice(-3)).toEqual(['\r\u001b[2K', 'INFO second\n', shown]);
  live.end();
  live.above(() => write('INFO last\n'));
  expect(written.at(-1)).toBe('INFO last\n');
});

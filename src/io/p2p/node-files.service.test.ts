import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { isLanAddress, plainAddress } from './addresses.ts';
import { readNodeList } from './node-files.ts';

const A =
  '6c4a4972e5ab2617cd318bd28753e16b03e7a67399587a69cfe911b4be65ccc9baa09ba968b641c0a45ab21886fa5147a3ebeed64b849b141b9039f3ecc2be4e';
const B =
  '1dd9d65c4552b5eb43d5ad55a2ee3f56c6cbc1c64a5c8d659f51fcd51bace24351232b8d7821617d2b29b54b81cdefb9b3e9c37d7fd5f63270bcc9e1a6f6a439';
const url = (id: string) => `enode://${id}@node.example:30303?discport=0&raftport=50400`;
let folder: string;
const logged: string[] = [];
const log = (_: string, message: string) => {
  logged.push(message);
};

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'quorate-nodes-'));
  logged.length = 0;
});
afterEach(() => rmSync(folder, { recursive: true }));

function write(name: string, value: unknown): void {
  writeFileSync(join(folder, name), typeof value === 'string' ? value : JSON.stringify(value));
}

describe('node lists', () => {
  it('from the data directory, then its geth folder', () => {
    expect(readNodeList(folder, 'static-nodes.json', log)).toEqual([]);
    mkdirSync(join(folder, 'geth'));
    write('geth/static-nodes.json', [url(B)]);
    expect(readNodeList(folder, 'static-nodes.json', log)).toMatchObject([
      { id: B, raftPort: 50_400 },
    ]);
    write('static-nodes.json', [url(A), 'enode://oops', '']);
    expect(readNodeList(folder, 'static-nodes.json', log)).toMatchObject([
      { id: A, host: 'node.example' },
    ]);
    expect(logged).toEqual(['Node URL is not valid']);
  });
});

it('addresses', () => {
  expect(plainAddress('::ffff:10.1.2.3')).toBe('10.1.2.3');
  expect(
    ['10.1.2.3', '127.0.0.1', '192.168.1.1', '172.20.0.1', '::1', 'fd00::1'].every(isLanAddress),
  ).toBe(true);
  expect(['8.8.8.8', '172.32.0.1', '2001:db8::1', '', 'name'].some(isLanAddress)).toBe(false);
});

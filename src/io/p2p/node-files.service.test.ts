import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import {
  A,
  B,
  folder,
  log,
  logged,
  nodeListFolders,
  url,
  write,
} from '../../../test/support/node-lists.ts';
import { isLanAddress, plainAddress } from './addresses.ts';
import { readNodeList } from './node-files.ts';

nodeListFolders();

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

/**
 * The data folder of a signing proxy that version 0.1.0 wrote: two pending transactions, one of
 * them accepted.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { unpackFixture } from '../../../test/support/fixtures.ts';
import { scratchFolder } from '../../../test/support/scratch.ts';
import type { Log } from '../../core/base/ports.ts';
import { secp256k1 } from '../../core/base/secp256k1.ts';
import { crc32c } from '../../core/store/crc32c.ts';
import { stampFolder } from '../../io/storage/folder-stamp.ts';
import { nodeLogFolder } from '../../io/storage/node-log-file.ts';
import { PublicKeyIndex } from './keys/public-key-index.ts';
import { FileJournal } from './proxy/journal.ts';

const folder = scratchFolder('quorate-signer-');
const FORMAT = { of: 'signer', version: 1 };

it('continues with the transactions that were under way', () => {
  unpackFixture('0.1.0', 'signer', folder);
  stampFolder(folder, FORMAT);
  stampFolder(folder, FORMAT);
  const journal = new FileJournal(nodeLogFolder(join(folder, 'journal')), () => {});
  expect(
    journal.restored().map(({ send, isAccepted }) => [send.nonce, send.method, isAccepted]),
  ).toEqual([
    [0, 'eth_sendRawTransaction', true],
    [1, 'eth_sendRawTransaction', false],
  ]);
});

it.each([
  [
    'quorate signer format 2\n',
    'STORAGE_FORMAT_NEWER',
    /the signer folder .* newer Quorate: version 2/,
  ],
  ['quorate data format 1\n', 'STORAGE_FORMAT_UNKNOWN', /format is damaged.*delete that file/],
])('refuses a folder that says %j', (stamp, code, message) => {
  const place = scratchFolder('quorate-signer-');
  writeFileSync(join(place, 'format'), stamp);
  expect(() => stampFolder(place, FORMAT)).toThrow(
    expect.objectContaining({ code, message: expect.stringMatching(message) }),
  );
});

it('says its version in the journal, and refuses a newer one by name', async () => {
  const place = scratchFolder('quorate-signer-');
  const open = () => new FileJournal(nodeLogFolder(join(place, 'journal')), () => {});
  await open().close();
  const path = join(place, 'journal/000001.log');
  expect(readFileSync(path, 'utf8')).toMatch(/^[0-9a-f]{8}\["version",2\]\n$/);
  const json = '["version",3]';
  const sum = crc32c(new TextEncoder().encode(json)).toString(16).padStart(8, '0');
  writeFileSync(path, `${sum}${json}\n`);
  expect(open).toThrow(
    'the transaction journal journal/000001.log was written by a newer Quorate: version 3, this one reads up to 2',
  );
});

it('names a damaged line of the journal, and keeps those behind it', () => {
  const place = scratchFolder('quorate-signer-');
  unpackFixture('0.1.0', 'signer', place);
  const path = join(place, 'journal/000001.log');
  const bytes = readFileSync(path);
  bytes[20]! ^= 1;
  writeFileSync(path, bytes);
  const told: unknown[] = [];
  const log: Log = (level, message, fields) => told.push([level, message, fields]);
  const journal = new FileJournal(nodeLogFolder(join(place, 'journal')), log);
  expect(journal.restored().map(({ send }) => send.nonce)).toEqual([1]);
  expect(told).toEqual([
    [
      'warn',
      'A line of the transaction journal is torn or damaged',
      { file: 'journal/000001.log', line: 1 },
    ],
  ]);
});

it('says its version in the index of public keys, and refuses a newer one by name', () => {
  const path = join(scratchFolder('quorate-signer-'), 'public-keys');
  const key = secp256k1().publicKey(new Uint8Array(32).fill(1));
  new PublicKeyIndex(path, () => {}).set('ab'.repeat(32), key);
  const text = readFileSync(path, 'utf8');
  expect(text).toMatch(/^# quorate public keys 1\nabab/);
  expect(new PublicKeyIndex(path, () => {}).get('ab'.repeat(32))).toEqual(key);
  // Version 0.1.0 wrote the file without the first line.
  writeFileSync(path, text.split('\n').slice(1).join('\n'));
  expect(new PublicKeyIndex(path, () => {}).get('ab'.repeat(32))).toEqual(key);
  writeFileSync(path, text.replace('keys 1', 'keys 2'));
  expect(() => new PublicKeyIndex(path, () => {})).toThrow(
    /index of public keys .* newer Quorate: version 2, this one reads up to 1/,
  );
});

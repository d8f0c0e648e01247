/** The data folder of a signing proxy that version 0.1.0 wrote: two transactions under way, one of them accepted. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { unpackFixture } from '../../../test/support/fixtures.ts';
import { scratchFolder } from '../../../test/support/scratch.ts';
import { stampFolder } from '../../io/storage/folder-stamp.ts';
import { nodeLogFolder } from '../../io/storage/node-log-file.ts';
import { FileJournal } from './proxy/journal.ts';

const folder = scratchFolder('quorate-signer-');
const FORMAT = { of: 'signer', version: 1 };

it('goes on with the transactions that were under way', () => {
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
  ['quorate signer format 2\n', 'STORAGE_FORMAT_NEWER', /newer Quorate \(signer format 2/],
  ['quorate data format 1\n', 'STORAGE_FORMAT_UNKNOWN', /format is damaged.*delete that file/],
])('refuses a folder that says %j', (stamp, code, message) => {
  const place = scratchFolder('quorate-signer-');
  writeFileSync(join(place, 'format'), stamp);
  expect(() => stampFolder(place, FORMAT)).toThrow(
    expect.objectContaining({ code, message: expect.stringMatching(message) }),
  );
});

/**
 * A damaged index is rebuilt from the block log when the chain is opened, and no answer is ever
 * wrong.
 */
import {
  copyFileSync,
  cpSync,
  existsSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, it } from 'vitest';
import { recordedChain } from '../../../../test/support/recorded-chain.ts';
import { scratchFolder } from '../../../../test/support/scratch.ts';
import { openChain } from '../store/data.ts';

const folder = scratchFolder('quorate-index-');
const whole = join(folder, 'whole');
let head: number;

beforeAll(async () => {
  head = await recordedChain(whole);
}, 60_000);

interface Files {
  readonly data: string;
  readonly state: string;
}

/**
 * Opens a copy of the whole folder after `damage` has changed it. Resolves with the logged lines.
 */
async function opened(name: string, damage: (files: Files) => void): Promise<string[]> {
  const place = join(folder, name);
  cpSync(whole, place, { recursive: true, preserveTimestamps: true });
  damage({
    data: join(place, 'quorate/index/data.mdb'),
    state: join(place, 'quorate/index-state'),
  });
  const told: string[] = [];
  const log = (_: string, message: string, fields?: object) =>
    told.push(`${message} ${JSON.stringify(fields)}`);
  const chain = await openChain(place, { log });
  for (let number = 0; number <= head; number++) expect(chain.store.block(number)).toBeDefined();
  await chain.close();
  expect(existsSync(join(place, 'quorate/index-damaged'))).toBe(false);
  const again: string[] = [];
  await (await openChain(place, { log: (_, message) => again.push(message) })).close();
  expect(again).toEqual([]);
  return told;
}

it('does not mention an index that is whole', async () => {
  expect(await opened('same', () => {})).toEqual([]);
});

it.each([
  ['empty', 0],
  ['shorter than its meta pages', 5_000],
  ['half', 0.5],
])('does not map a file that is %s', async (name, size) => {
  const told = await opened(name.replaceAll(' ', '-'), ({ data }) => {
    truncateSync(data, size < 1 ? Math.floor(statSync(data).size * size) : size);
  });
  expect(told.join()).toMatch(/rebuilt from the block log .*index\/data\.mdb: it/);
});

it('reads an index through that was changed since it was closed', async () => {
  const told = await opened('flipped', ({ data }) => {
    const bytes = readFileSync(data);
    for (let at = 20_000; at < bytes.length; at += 4096) bytes[at]! ^= 0xff;
    writeFileSync(data, bytes);
  });
  expect(told.join()).toMatch(/rebuilt from the block log/);
});

it('rebuilds an index whose damage its time does not show, when a row is read', async () => {
  const told = await opened('rot', ({ data }) => {
    const { atime, mtime } = statSync(data);
    const bytes = readFileSync(data);
    // Damages the row of the checkpoint, which is the first row that is read.
    for (let at = bytes.indexOf('checkpoint'); at >= 0; at = bytes.indexOf('checkpoint', at + 1)) {
      bytes[at + 20]! ^= 0xff;
    }
    writeFileSync(data, bytes);
    utimesSync(data, atime, mtime);
  });
  expect(told.join()).toMatch(/rebuilt from the block log .*table \\"meta\\"/);
});

it('takes an older copy of a whole index, and replays the rest', async () => {
  expect(
    await opened('older', ({ data, state }) => {
      copyFileSync(data, `${data}.copy`);
      rmSync(data);
      copyFileSync(`${data}.copy`, data);
      rmSync(state);
    }),
  ).toEqual([]);
});

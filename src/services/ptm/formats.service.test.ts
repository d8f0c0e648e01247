/**
 * What version 0.1.0 wrote is opened, what a newer program wrote is refused with an error that says
 * so, and damaged data is never accepted.
 */
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, describe, expect, it } from 'vitest';
import { OLDER, olderManager, olderSnapshot } from '../../../test/support/older-manager.ts';
import { scratchFolder } from '../../../test/support/scratch.ts';
import { toBase64 } from '../../core/base/base64.ts';
import { type EncodedPayload, NO_METADATA } from '../../core/payload/payload.ts';
import { SnapshotReader } from '../../io/snapshot/reader.ts';
import { openLmdbKv } from '../../io/storage/lmdb-kv.ts';
import { MemoryKv } from '../../io/storage/memory-kv.ts';
import { loadPtm, restorePtmFolder } from './backup.ts';
import { readTesseraConfig } from './config.ts';
import { dumpStore } from './dump.ts';
import { KvPayloadStore, PTM_TABLES } from './manager/kv-store.ts';
import { embeddedStorePath, openStore, openStoreToRead } from './open-store.ts';
import { type RunningPtm, recoverPtm, startPtm } from './start.ts';

const clock = { nowMs: () => 0 };
const running: RunningPtm[] = [];
afterEach(async () => {
  for (const one of running.splice(0)) await one.close();
});

async function start(folder: string, lines: string[] = []): Promise<RunningPtm> {
  const { config } = await readTesseraConfig(join(folder, 'config.json'));
  const ptm = await startPtm(config, { say: (_level, message) => void lines.push(message) });
  running.push(ptm);
  return ptm;
}

async function read(ptm: RunningPtm, hash: string, path = '') {
  const answer = await fetch(`${ptm.q2tUrl}/transaction/${encodeURIComponent(hash)}${path}`);
  return { status: answer.status, text: await answer.text() };
}

async function holdsAll(ptm: RunningPtm): Promise<void> {
  for (const { hash, text, flag, sender, now } of OLDER.rows) {
    const { status, text: body } = await read(ptm, hash);
    if (now === 'whole' || now === 'poisoned') {
      expect([status, JSON.parse(body).privacyFlag]).toEqual([200, flag]);
      expect(Buffer.from(JSON.parse(body).payload, 'base64').toString()).toBe(text);
      const isOurs = (await read(ptm, hash, '/isSender')).text;
      expect(isOurs).toBe(String(sender === OLDER.keys[0]));
    } else expect([status, now]).toEqual([now === 'forged' ? 500 : 404, now]);
  }
  const raw = await read(ptm, OLDER.raw.hash, '?isRaw=true');
  expect(Buffer.from(JSON.parse(raw.text).payload, 'base64').toString()).toBe(OLDER.raw.text);
  const asked = { method: 'POST', body: JSON.stringify({ addresses: OLDER.group.members }) };
  const groups = (await (await fetch(`${ptm.q2tUrl}/findPrivacyGroup`, asked)).json()) as object[];
  expect(groups).toEqual([OLDER.group]);
  const metrics = await (await fetch(`${ptm.q2tUrl}/metrics`)).text();
  expect(metrics).toContain('ptm_payloads_owed 1\n');
}

describe('the store of a manager', () => {
  it('of version 0.1.0 opens unchanged, the second time without a message', async () => {
    const folder = olderManager('one');
    for (const isFirst of [true, false]) {
      const lines: string[] = [];
      const ptm = await start(folder, lines);
      await holdsAll(ptm);
      expect(lines.some((line) => line.includes('is of version 0.1.0'))).toBe(isFirst);
      await ptm.close();
    }
  });

  it('of version 0.1.0 is only read beside who writes it, and goes back by a snapshot', async () => {
    const folder = olderManager('one');
    const before = readFileSync(join(folder, 'data/payloads/data.mdb'));
    const { config } = await readTesseraConfig(join(folder, 'config.json'));
    const opened = await openStoreToRead(config, clock, () => undefined, {});
    const dump = join(scratchFolder('ptm-dump-'), 'dump');
    await dumpStore(opened.store, dump, () => undefined);
    await opened.close();
    expect(readFileSync(join(folder, 'data/payloads/data.mdb')).equals(before)).toBe(true);
    // Identical to a dump by 0.1.0 itself, so that 0.1.0 can restore it.
    const older = readFileSync(join(olderSnapshot(), 'ptm/payloads.dump'));
    expect(readFileSync(dump).equals(older)).toBe(true);
    const upgraded = await openStore(config, clock, () => undefined, {});
    const again = join(scratchFolder('ptm-dump-'), 'dump');
    await dumpStore(upgraded.store, again, () => undefined);
    await upgraded.close();
    expect(readFileSync(again).equals(older)).toBe(true);
  });

  it('is made of a snapshot of version 0.1.0', async () => {
    const snapshot = new SnapshotReader(olderSnapshot());
    await snapshot.check(() => undefined);
    const folder = join(scratchFolder('ptm-restored-'), 'ptm');
    const file = await restorePtmFolder(snapshot, folder);
    const { config } = await readTesseraConfig(file);
    const host = { clock, say: () => undefined, env: {} };
    expect(await loadPtm(snapshot, config, host, () => undefined)).toEqual({
      payloads: 16,
      raw: 1,
      owed: 1,
    });
    expect(existsSync(embeddedStorePath(config))).toBe(true);
    await holdsAll(await start(folder));
  });

  it('of a newer program is refused by name, and not touched', async () => {
    const folder = olderManager('one');
    const { config } = await readTesseraConfig(join(folder, 'config.json'));
    const kv = openLmdbKv({ path: embeddedStorePath(config), tables: PTM_TABLES });
    await kv.commit(function* (writer) {
      writer.put('meta', new TextEncoder().encode('format'), Uint8Array.of(0, 0, 0, 3));
      yield;
    });
    await kv.close();
    const refusal = {
      code: 'STORAGE_FORMAT_NEWER',
      message: `the payload store in ${config.dataFolder} was written by a newer Quorate: version 3, this one reads up to 2. Start that version, or restore a backup made by this one`,
    };
    for (const open of [openStore, openStoreToRead]) {
      await expect(open(config, clock, () => undefined, {})).rejects.toMatchObject(refusal);
    }
    await expect(startPtm(config)).rejects.toMatchObject(refusal);
  });

  it('that is gone, or empty, is not taken for a new one; a recovery refills it', async () => {
    const folder = olderManager('one');
    const { config } = await readTesseraConfig(join(folder, 'config.json'));
    await (await start(folder)).close();
    const data = join(embeddedStorePath(config), 'data.mdb');
    const whole = readFileSync(data);
    for (const lose of [
      () => rmSync(data),
      () => writeFileSync(data, ''),
      () => rmSync(embeddedStorePath(config), { recursive: true }),
    ]) {
      lose();
      await expect(startPtm(config)).rejects.toMatchObject({
        code: 'STORAGE_MISSING',
        message: expect.stringContaining(`${data} is missing or empty, and was not: restore`),
      });
    }
    expect(await recoverPtm(config)).toMatchObject({ outcome: 'failure' });
    await (await start(folder)).close();
    writeFileSync(data, whole);
    await holdsAll(await start(folder));
  });

  it('belongs to one manager at a time', async () => {
    const folder = olderManager('one');
    const ptm = await start(folder);
    const { config } = await readTesseraConfig(join(folder, 'config.json'));
    await expect(startPtm(config)).rejects.toMatchObject({
      code: 'STORAGE_LOCKED',
      message: `the payload store in ${config.dataFolder} is in use by process ${process.pid}: stop that one first, or give each manager its own quorate.dataDir`,
    });
    await holdsAll(ptm);
  });
});

describe('a damaged record', () => {
  const bytes = (length: number, fill: number) => new Uint8Array(length).fill(fill);
  const hash = bytes(64, 1);
  const payload: EncodedPayload = {
    ...NO_METADATA,
    senderKey: bytes(32, 2),
    cipherText: bytes(40, 3),
    cipherTextNonce: bytes(24, 4),
    recipientBoxes: [bytes(48, 5)],
    recipientNonce: bytes(24, 6),
    recipientKeys: [bytes(32, 7)],
    flag: 1,
  };
  const raw = {
    senderKey: bytes(32, 2),
    cipherText: bytes(40, 3),
    encryptedKey: bytes(48, 4),
    nonce: bytes(24, 5),
  };

  it('is never believed, wherever a bit of it flips, or whatever record is in its place', async () => {
    const kv = new MemoryKv();
    const store = new KvPayloadStore(kv);
    await store.put(hash, payload);
    await store.putRaw(hash, raw);
    await store.putGroup(bytes(32, 1), bytes(32, 2), bytes(50, 3));
    await store.put(bytes(64, 9), payload);
    const readers = {
      payloads: () => store.get(hash),
      raw: () => store.getRaw(hash),
      groups: () => store.getGroup(bytes(32, 1)),
    };
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...(Object.keys(readers) as (keyof typeof readers)[])),
        fc.nat(),
        fc.integer({ min: 0, max: 7 }),
        async (table, at, bit) => {
          const rows = kv.tables.get(table)!.rows;
          const [name] = [...rows.keys()].sort();
          const whole = rows.get(name!)!;
          const flipped = whole.slice();
          flipped[at % whole.length]! ^= 1 << bit;
          rows.set(name!, flipped);
          await expect(
            readers[table]().then((one) => one ?? Promise.reject(damagedOf())),
          ).rejects.toMatchObject({ code: 'STORAGE_DAMAGED' });
          rows.set(name!, whole);
        },
      ),
      { numRuns: 400 },
    );
    const rows = kv.tables.get('payloads')!.rows;
    const [first, second] = [...rows.keys()].sort();
    rows.set(first!, rows.get(second!)!);
    await expect(store.get(hash)).rejects.toThrow(
      `the payload ${toBase64(hash)} is damaged: run "quorate ptm repair"`,
    );
    const page = await store.page(10);
    expect(page.map(([, one]) => one === undefined)).toEqual([true, false]);
    // A payload that arrives again replaces the damaged one.
    await store.merge(hash, (held) => (held ? undefined : payload));
    expect(await store.get(hash)).toEqual(payload);
  });
});

function damagedOf(): Error {
  return Object.assign(new Error('nothing was read'), { code: 'STORAGE_DAMAGED' });
}

/**
 * `quorate ptm check` and `repair`: on a store of 0.1.0 that an attacker changed, and on every kind
 * of damage.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, describe, expect, it } from 'vitest';
import { OLDER, type OlderName, olderManager } from '../../../test/support/older-manager.ts';
import { type TestPtm, testPtm, untilKnown } from '../../../test/support/ptm.ts';
import { toBase64 } from '../../core/base/base64.ts';
import { MemoryKv } from '../../io/storage/memory-kv.ts';
import { checkPtm, repairPtm } from './check.ts';
import { readTesseraConfig } from './config.ts';
import { embeddedStorePath } from './open-store.ts';
import { type RunningPtm, startPtm } from './start.ts';

const running: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const one of running.splice(0)) await one.close();
});

async function configOf(folder: string) {
  return (await readTesseraConfig(join(folder, 'config.json'))).config;
}

async function start(folder: string): Promise<RunningPtm> {
  const ptm = await startPtm(await configOf(folder));
  running.push(ptm);
  return ptm;
}

async function read(ptm: RunningPtm, hash: string) {
  const answer = await fetch(`${ptm.q2tUrl}/transaction/${encodeURIComponent(hash)}`);
  const text = await answer.text();
  return answer.status === 200
    ? Buffer.from(JSON.parse(text).payload, 'base64').toString()
    : answer.status;
}

/** Writes a configuration with peers and, if `more` contains it, the ADMIN server. */
function configure(name: OlderName, peers: readonly string[], more: object[] = []): string {
  const folder = olderManager(name);
  const config = {
    serverConfigs: [
      { app: 'Q2T', serverAddress: 'http://127.0.0.1:0' },
      { app: 'P2P', serverAddress: 'http://127.0.0.1:0' },
      ...more,
    ],
    peer: peers.map((url) => ({ url })),
    features: { enablePrivacyEnhancements: true },
    quorate: { dataDir: 'data' },
    keys: { keyData: [{ publicKeyPath: 'tm.pub', privateKeyPath: 'tm.key' }] },
  };
  writeFileSync(join(folder, 'config.json'), JSON.stringify(config));
  return folder;
}

const hashesOf = (now: string) =>
  OLDER.rows.filter((row) => row.now === now).map(({ hash }) => hash);

describe('a store that an attacker reached', () => {
  it('is reported, beside the manager that runs on it', async () => {
    const folder = configure('one', []);
    await start(folder);
    const report = await checkPtm(await configOf(folder), {});
    expect(report.payloads).toEqual({
      whole: 12,
      disordered: 2,
      unopened: 1,
      foreign: 1,
      damaged: 0,
    });
    expect(report.raw).toMatchObject({ whole: 1 });
    expect(report.owedMissing).toBe(0);
    const found = (condition: string) =>
      report.findings
        .filter((one) => one.condition === condition)
        .map(({ hash }) => toBase64(hash));
    expect(found('disordered').sort()).toEqual(hashesOf('poisoned').sort());
    expect(found('unopened')).toEqual(hashesOf('forged'));
    expect(found('foreign')).toEqual(hashesOf('foreign'));
  });

  it('is repaired: boxes by their order, payloads from peers, and the rest from the source in the flags', async () => {
    const two = await start(configure('two', []));
    const folder = configure('one', [two.p2pUrl]);
    const config = await configOf(folder);
    const report = await repairPtm(config, {}, []);
    expect(report).toMatchObject({ ordered: 2, fetched: 1, discarded: 0, peers: 1 });
    expect(report.after.payloads).toEqual({
      whole: 15,
      disordered: 0,
      unopened: 0,
      foreign: 1,
      damaged: 0,
    });
    const again = await repairPtm(config, {}, ['foreign']);
    expect(again).toMatchObject({ ordered: 0, fetched: 0, discarded: 1 });
    expect(again.after.payloads).toMatchObject({ whole: 15, foreign: 0 });
    const one = await start(folder);
    for (const { hash, text, now } of OLDER.rows) {
      expect(await read(one, hash)).toBe(now === 'foreign' ? 404 : text);
    }
    // As before the attack: every box is at its key's position.
    const [sent] = hashesOf('poisoned');
    const parties = await fetch(
      `${one.q2tUrl}/transaction/${encodeURIComponent(sent!)}/participants`,
    );
    expect((await parties.text()).split(',').sort()).toEqual([...OLDER.keys].sort());
  });

  it('keeps what no peer gives, and says so', async () => {
    const folder = configure('one', ['http://127.0.0.1:9/']);
    const config = await configOf(folder);
    const report = await repairPtm(config, {}, []);
    expect(report).toMatchObject({ ordered: 2, fetched: 0, discarded: 0, peers: 0 });
    expect(report.after.payloads).toMatchObject({ unopened: 1, foreign: 1 });
    const last = await repairPtm(config, {}, ['unopened']);
    expect(last).toMatchObject({ discarded: 1 });
    expect(last.after.payloads).toMatchObject({ unopened: 0, foreign: 1 });
    expect((await checkPtm(config, {})).payloads).toEqual(last.after.payloads);
  });

  it('is not repaired while a manager runs on it', async () => {
    const folder = configure('one', []);
    await start(folder);
    await expect(repairPtm(await configOf(folder), {}, [])).rejects.toMatchObject({
      code: 'STORAGE_LOCKED',
    });
  });

  it('shows its operator, and nobody else, what is not held, not ours, and damaged', async () => {
    const two = await start(configure('two', []));
    const admin = { app: 'ADMIN', serverAddress: 'http://127.0.0.1:0' };
    const one = await start(configure('one', [two.p2pUrl], [admin]));
    const ask = async (hash: string, method = 'GET', path = '') => {
      const url = `${one.adminUrl}/payloads/${encodeURIComponent(hash)}${path}`;
      return (await fetch(url, { method })).json() as Promise<Record<string, unknown>>;
    };
    const absent = toBase64(new Uint8Array(64).fill(1));
    const [whole, forged, foreign] = ['whole', 'forged', 'foreign'].map((now) => hashesOf(now)[0]);
    expect(await ask(absent)).toEqual({ hash: absent, condition: 'notHeld' });
    expect(await ask(foreign!)).toMatchObject({ condition: 'foreign', ours: [] });
    expect(await ask(forged!)).toMatchObject({ condition: 'unopened' });
    expect(await ask(whole!)).toMatchObject({
      condition: 'whole',
      sender: OLDER.keys[0],
      ours: [OLDER.keys[0]],
    });
    // For the first two, the node learns that it is not a party; the third is an error instead.
    expect(await Promise.all([absent, foreign!, forged!].map((hash) => read(one, hash)))).toEqual([
      404, 404, 500,
    ]);
    const metrics = await (await fetch(`${one.q2tUrl}/metrics`)).text();
    for (const line of [
      'held_total 0',
      'not_held_total 1',
      'not_ours_total 1',
      'damaged_total 1',
    ]) {
      expect(metrics).toContain(`ptm_asked_${line}\n`);
    }
    const mended = await ask(forged!, 'POST', '/fetch');
    expect(mended).toMatchObject({ condition: 'whole', givenBy: [`${two.p2pUrl}/`] });
    expect(await read(one, forged!)).toBe('kept out by a forgery');
    expect(await ask(absent, 'POST', '/fetch')).toMatchObject({
      condition: 'notHeld',
      givenBy: [],
    });
  });
});

describe('any damage', () => {
  it('is found, never read as something else, and repaired from the peers', async () => {
    const [kvOne, kvTwo] = [new MemoryKv(), new MemoryKv()];
    const one = await testPtm(1, [], { kv: kvOne });
    const two = await testPtm(2, [one.p2pUrl], { kv: kvTwo });
    running.push(two);
    await untilKnown(one, two.key);
    await untilKnown(two, one.key);
    const texts = new Map<string, string>();
    const execHash = Buffer.alloc(32, 1).toString('base64');
    const send = async (from: TestPtm, to: TestPtm, fields: object) => {
      const text = `payload ${texts.size}`;
      const payload = Buffer.from(text).toString('base64');
      const body = JSON.stringify({ payload, to: [to.key], privacyFlag: 0, ...fields });
      const type = 'application/vnd.tessera-4.0+json';
      const headers = { 'content-type': type, accept: type };
      const sent = await fetch(`${from.q2tUrl}/send`, { method: 'POST', headers, body });
      texts.set(((await sent.json()) as { key: string }).key, text);
    };
    for (const fields of [{}, { privacyFlag: 1 }, { privacyFlag: 3, execHash }]) {
      await send(one, two, fields);
      await send(two, one, fields);
    }
    await one.close();
    const { rows } = kvOne.tables.get('payloads')!;
    const before = new Map(rows);
    const config = { ...one.config, peers: [two.p2pUrl] };
    await fc.assert(
      fc.asyncProperty(
        fc.nat({ max: 5 }),
        fc.nat(),
        fc.constantFrom('flip', 'cut', 'zero', 'swap'),
        async (which, at, how) => {
          const names = [...rows.keys()].sort();
          const name = names[which]!;
          const whole = rows.get(name)!;
          const bytes = whole.slice();
          if (how === 'flip') bytes[at % bytes.length]! ^= 1 << (at % 8);
          if (how === 'zero') bytes.fill(0, at % bytes.length);
          const other = before.get(names[(which + 1) % names.length]!)!;
          rows.set(
            name,
            how === 'cut' ? bytes.slice(0, at % bytes.length) : how === 'swap' ? other : bytes,
          );
          const kv = new MemoryKv(new Map(kvOne.tables));
          const report = await repairPtm(config, { kv }, []);
          expect(report.after.payloads).toMatchObject({ whole: 6, damaged: 0, unopened: 0 });
          const again = await startPtm(config, { kv });
          for (const [hash, text] of texts) expect(await read(again, hash)).toBe(text);
          await again.close();
        },
      ),
      { numRuns: 25 },
    );
  });

  it('of the file itself is refused by name, before anything is mapped', async () => {
    const folder = configure('one', []);
    const config = await configOf(folder);
    const file = join(embeddedStorePath(config), 'data.mdb');
    const whole = readFileSync(file);
    const root = whole.readUInt16LE(4096 + 136) * 4096;
    const zeroed = Buffer.from(whole);
    zeroed.fill(0, root, root + 4096);
    for (const [bytes, why] of [
      [Buffer.alloc(8192, 7), 'it does not begin as an lmdb file'],
      [whole.subarray(0, 100), 'it ends too early'],
      [whole.subarray(0, whole.length / 2), 'is beyond its end'],
      [zeroed, 'has unexpected content'],
    ] as const) {
      writeFileSync(file, bytes);
      for (const open of [() => startPtm(config), () => checkPtm(config, {})]) {
        const error = await open().then(
          () => undefined,
          (refused: Error & { code?: string }) => refused,
        );
        expect(error).toMatchObject({ code: 'STORAGE_DAMAGED' });
        expect(error!.message).toContain(`${file} is damaged: `);
        expect(error!.message).toContain(why);
        expect(error!.message).toContain('"quorate ptm recover"');
      }
    }
    writeFileSync(file, whole);
    await start(folder);
  });
});

import { Client } from 'pg';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import {
  POSTGRES_PATIENCE_MS,
  postgresFor,
  startTestPostgres,
  type TestPostgres,
} from '../../../test/support/postgres.ts';
import { type TestPtm, testKey, testPtm, until, untilKnown } from '../../../test/support/ptm.ts';
import { encodeCbor } from '../../core/payload/payload-cbor.ts';
import { encodeLegacy } from '../../core/payload/payload-legacy.ts';
import { loadEnclaveCrypto } from '../../io/sodium/nacl.ts';
import { checkPtm, repairPtm } from './check.ts';
import { Enclave } from './manager/enclave.ts';
import type { DatabaseSource } from './open-store.ts';

let postgres: TestPostgres | undefined;
const running: TestPtm[] = [];
beforeAll(async () => {
  postgres = await startTestPostgres();
}, POSTGRES_PATIENCE_MS);
afterEach(async () => {
  for (const ptm of running.splice(0)) await ptm.close();
});
afterAll(() => postgres?.remove(), POSTGRES_PATIENCE_MS);

const withServer = (name: string, test: (url: string, server: TestPostgres) => Promise<void>) =>
  it(name, async (context) => {
    const server = postgresFor(postgres, context);
    await test(await server.newDatabase(), server);
  });

const source = (url: string, fields: Partial<DatabaseSource> = {}): DatabaseSource => ({
  url,
  user: undefined,
  password: undefined,
  createTables: true,
  connectionsMax: 4,
  ...fields,
});

async function start(number: number, peers: string[], database?: DatabaseSource) {
  const ptm = await testPtm(number, peers, database ? { database } : {});
  running.push(ptm);
  return ptm;
}

async function stop(ptm: TestPtm): Promise<void> {
  running.splice(running.indexOf(ptm), 1);
  await ptm.close();
}

async function sql(url: string, text: string, values: unknown[] = []) {
  const client = new Client({ connectionString: url });
  await client.connect();
  const { rows } = await client.query(text, values);
  await client.end();
  return rows as Record<string, unknown>[];
}

const b64 = (text: string) => Buffer.from(text).toString('base64');

async function send(from: TestPtm, message: string, to: readonly TestPtm[]) {
  const response = await fetch(`${from.q2tUrl}/send`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ payload: b64(message), to: to.map(({ key }) => key) }),
  });
  const text = await response.text();
  return { status: response.status, text, hash: response.ok ? JSON.parse(text).key : '' };
}

async function read(ptm: TestPtm, hash: string): Promise<{ status: number; text: string }> {
  const got = await fetch(`${ptm.q2tUrl}/transaction/${encodeURIComponent(hash)}`);
  const text = await got.text();
  const payload = got.ok ? Buffer.from(JSON.parse(text).payload, 'base64').toString() : text;
  return { status: got.status, text: payload };
}

/** The tables that Tessera creates; version 21.10 added `codec`. */
const tesseraTables = (codec: boolean) => `
  CREATE TABLE ENCRYPTED_TRANSACTION (ENCODED_PAYLOAD BYTEA NOT NULL, ${codec ? 'PAYLOAD_CODEC VARCHAR(50) NOT NULL,' : ''}
    HASH BYTEA NOT NULL, TIMESTAMP BIGINT, PRIMARY KEY (HASH));
  CREATE TABLE ENCRYPTED_RAW_TRANSACTION (ENCRYPTED_KEY BYTEA NOT NULL, ENCRYPTED_PAYLOAD BYTEA NOT NULL,
    NONCE BYTEA NOT NULL, SENDER BYTEA NOT NULL, TIMESTAMP BIGINT, HASH BYTEA NOT NULL, PRIMARY KEY (HASH));`;

describe('a manager over PostgreSQL', () => {
  withServer('keeps payloads over a restart, and gives them to nobody else', async (url) => {
    const two = await start(2, []);
    const one = await start(1, [two.p2pUrl], source(url));
    await untilKnown(one, two.key);
    await untilKnown(two, one.key);
    const sent = await send(one, 'to two', [two]);
    const got = await send(two, 'from two', [one]);
    const foreign = await send(two, 'for nobody', []);
    expect([sent.status, got.status]).toEqual([201, 201]);
    await stop(one);
    const again = await start(1, [], source(url));
    expect(await read(again, sent.hash)).toEqual({ status: 200, text: 'to two' });
    expect(await read(again, got.hash)).toEqual({ status: 200, text: 'from two' });
    expect((await read(again, foreign.hash)).status).toBe(404);
    const stored = JSON.stringify(
      await sql(url, 'SELECT encoded_payload FROM encrypted_transaction'),
    );
    expect(stored).not.toContain(Buffer.from('to two').toString('hex'));
  });

  withServer('many sends share few connections; two managers share one database', async (url) => {
    const two = await start(2, []);
    const database = source(url, { connectionsMax: 2 });
    const one = await start(1, [two.p2pUrl], database);
    const other = await start(1, [two.p2pUrl], database);
    await untilKnown(one, two.key);
    await untilKnown(other, two.key);
    const sends = await Promise.all(
      Array.from({ length: 300 }, (_, i) => send(i % 2 ? one : other, `payload ${i}`, [two])),
    );
    expect(new Set(sends.map(({ status }) => status))).toEqual(new Set([201]));
    for (const [i, { hash }] of sends.entries()) {
      if (i % 29 === 0) expect((await read(i % 2 ? other : one, hash)).text).toBe(`payload ${i}`);
    }
    const [stored] = await sql(url, 'SELECT count(*)::int FROM encrypted_transaction');
    expect(stored).toEqual({ count: 300 });
    // Deliveries are recorded with the next commit, or when the manager stops.
    await stop(one);
    await stop(other);
    expect(await sql(url, 'SELECT 1 FROM quorate_outbox')).toEqual([]);
  });

  withServer('is checked while the manager runs, and repaired from the peers', async (url) => {
    const two = await start(2, []);
    const one = await start(1, [two.p2pUrl], source(url));
    await untilKnown(one, two.key);
    await untilKnown(two, one.key);
    const texts = ['cut', 'flipped', 'zeroed', 'another', 'whole'];
    const sends = await Promise.all(texts.map((text) => send(one, text, [two])));
    const damage = (at: number, expression: string) =>
      sql(url, `UPDATE encrypted_transaction SET encoded_payload = ${expression} WHERE hash = $1`, [
        Buffer.from(sends[at]!.hash, 'base64'),
      ]);
    await damage(0, 'substr(encoded_payload, 1, 60)');
    await damage(1, 'set_byte(encoded_payload, 120, get_byte(encoded_payload, 120) # 1)');
    await damage(2, "decode(repeat('00', length(encoded_payload)), 'hex')");
    const other = Buffer.from(sends[4]!.hash, 'base64').toString('hex');
    await damage(
      3,
      `(SELECT encoded_payload FROM encrypted_transaction WHERE hash = '\\x${other}')`,
    );
    const config = { ...one.config, peers: [two.p2pUrl] };
    const { payloads } = await checkPtm(config, {});
    expect(payloads.whole).toBe(1);
    for (const [at, text] of texts.entries()) {
      const got = await read(one, sends[at]!.hash);
      expect(got.status === 200 ? got.text : text).toBe(text);
    }
    await stop(one);
    const report = await repairPtm(config, {}, []);
    expect(report).toMatchObject({ ordered: 1, fetched: 3, discarded: 0 });
    expect(report.after.payloads).toMatchObject({ whole: 5, damaged: 0, unopened: 0 });
    const again = await start(1, [], source(url));
    for (const [at, text] of texts.entries())
      expect(await read(again, sends[at]!.hash)).toEqual({ status: 200, text });
  });

  const CODECS = [true, false];
  it.for(CODECS)('takes over a database of Tessera, codec column: %s', async (codec, context) => {
    const url = await postgresFor(postgres, context).newDatabase();
    await sql(url, tesseraTables(codec));
    const crypto = await loadEnclaveCrypto();
    const key = async (number: number) => {
      const { publicKey, privateKey } = await testKey(number);
      const bytes = (text: string) => new Uint8Array(Buffer.from(text, 'base64'));
      return { publicKey: bytes(publicKey), secretKey: bytes(privateKey) };
    };
    const entropy = {
      bytes: (length: number) => crypto.digest(Uint8Array.of(length)).slice(0, length),
    };
    const enclave = new Enclave({ keys: [await key(1)], forwardingKeys: [], crypto, entropy });
    const recipient = (await key(2)).publicKey;
    const message = (text: string) => new TextEncoder().encode(text);
    const insert = codec
      ? 'INSERT INTO ENCRYPTED_TRANSACTION (HASH, ENCODED_PAYLOAD, TIMESTAMP, PAYLOAD_CODEC) VALUES ($1, $2, 1, $3)'
      : 'INSERT INTO ENCRYPTED_TRANSACTION (HASH, ENCODED_PAYLOAD, TIMESTAMP) VALUES ($1, $2, 1)';
    const hashes: string[] = [];
    for (const name of codec ? ['LEGACY', 'CBOR'] : ['LEGACY']) {
      const payload = enclave.encrypt(message(name), enclave.defaultKey(), [
        enclave.defaultKey(),
        recipient,
      ]);
      const encoded = name === 'CBOR' ? encodeCbor(payload) : encodeLegacy(payload);
      const hash = Buffer.from(enclave.hash(payload));
      await sql(url, insert, [hash, Buffer.from(encoded), ...(codec ? [name] : [])]);
      hashes.push(hash.toString('base64'));
    }
    const raw = enclave.encryptRaw(message('raw'), enclave.defaultKey());
    const rawHash = Buffer.from(enclave.hash(raw));
    await sql(
      url,
      'INSERT INTO ENCRYPTED_RAW_TRANSACTION (HASH, ENCRYPTED_PAYLOAD, ENCRYPTED_KEY, NONCE, SENDER, TIMESTAMP) VALUES ($1,$2,$3,$4,$5,1)',
      [rawHash, raw.cipherText, raw.encryptedKey, raw.nonce, raw.senderKey].map((one) =>
        Buffer.from(one),
      ),
    );
    const ptm = await start(1, [], source(url, { createTables: false }));
    for (const [i, hash] of hashes.entries()) {
      expect(await read(ptm, hash)).toEqual({ status: 200, text: ['LEGACY', 'CBOR'][i] });
    }
    const signed = await fetch(`${ptm.q2tUrl}/sendsignedtx`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ hash: rawHash.toString('base64'), to: [] }),
    });
    expect(signed.status).toBe(201);
    expect(await read(ptm, rawHash.toString('base64'))).toEqual({ status: 200, text: 'raw' });
    const written = await sql(
      url,
      'SELECT payload_codec, timestamp FROM encrypted_transaction WHERE hash = $1',
      [rawHash],
    );
    expect(written[0]!.payload_codec).toBe('LEGACY');
    expect(Number(written[0]!.timestamp)).toBeGreaterThan(1_600_000_000_000);
  });

  withServer(
    'refuses while the server is away, and has lost nothing when it is back',
    async (url, server) => {
      const one = await start(1, [], source(url));
      const kept: string[] = [];
      for (let i = 0; i < 20; i++) kept.push((await send(one, `kept ${i}`, [])).hash);
      await server.stop();
      try {
        const away = await send(one, 'lost', []);
        expect(away.status).toBe(503);
        expect(away.text).toMatch(
          /^the database at 127\.0\.0\.1:\d+\/test\d+ does not answer \(.*\): nothing acknowledged is lost, try again when it is back$/s,
        );
        expect((await read(one, kept[0]!)).status).toBe(503);
        await expect(start(3, [], source(url))).rejects.toMatchObject({
          code: 'STORAGE_UNREACHABLE',
        });
      } finally {
        await server.start();
      }
      await until(
        async () => (await send(one, 'back', [])).status === 201,
        'the manager continues',
      );
      for (const [i, hash] of kept.entries()) {
        expect(await read(one, hash)).toEqual({ status: 200, text: `kept ${i}` });
      }
    },
  );

  withServer('says what is wrong with a database, never with its password', async (url) => {
    const refused = async (text: RegExp, database: DatabaseSource) => {
      const error = (await testPtm(1, [], { database }).then(
        (ptm) => ptm.close(),
        (cause: Error) => cause,
      )) as Error;
      expect(error.message).toMatch(text);
      expect(`${error.message}${error.stack}`).not.toContain('wrong-secret');
    };
    await refused(
      /has no table encrypted_transaction, encrypted_raw_transaction: set jdbc\.autoCreateTables/,
      source(url, { createTables: false }),
    );
    await refused(
      /password authentication failed/,
      source(url.replace(':test@', ':wrong-secret@')),
    );
    await refused(/database "none" does not exist/, source(url.replace(/test\d+$/, 'none')));
    await sql(url, tesseraTables(true).replace('ENCODED_PAYLOAD BYTEA', 'ENCODED_PAYLOAD OID'));
    await refused(/encrypted_transaction\.encoded_payload is oid, and must be bytea/, source(url));
    await sql(url, 'DROP TABLE encrypted_transaction');
    await (await start(1, [], source(url))).close();
    running.length = 0;
    await sql(url, 'INSERT INTO quorate_format VALUES (99)');
    await refused(/written by a newer Quorate: version 99, this one reads up to 1/, source(url));
  });
});

import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import {
  POSTGRES_PATIENCE_MS,
  postgresFor,
  startTestPostgres,
  type TestPostgres,
} from '../../../test/support/postgres.ts';
import { scratchFolder } from '../../../test/support/scratch.ts';
import { concatBytes } from '../../core/base/bytes.ts';
import { fail } from '../../core/base/errors.ts';
import type { Clock } from '../../core/base/ports.ts';
import { type EncodedPayload, NO_METADATA } from '../../core/payload/payload.ts';
import { encodeGroup, groupId, groupLookupId } from '../../core/payload/payload-group.ts';
import { MemoryKv } from '../../io/storage/memory-kv.ts';
import { dumpStore, loadStore } from './dump.ts';
import type { PayloadStore } from './manager/store.ts';
import { type OpenedStore, openStore, overKv } from './open-store.ts';

let postgres: TestPostgres | undefined;
beforeAll(async () => {
  postgres = await startTestPostgres();
}, POSTGRES_PATIENCE_MS);
afterAll(() => postgres?.remove(), POSTGRES_PATIENCE_MS);

const clock: Clock = { nowMs: () => 1_700_000_000_000 };
const bytes = (length: number, fill: number) => new Uint8Array(length).fill(fill);
/** Cipher texts sorted by their hashes, so that the order of the payloads is known. */
const CIPHERS = Array.from({ length: 2_000 }, (_, i) => {
  const cipherText = concatBytes(bytes(38, 7), Uint8Array.of(i >> 8, i));
  const hash = new Uint8Array(createHash('sha3-512').update(cipherText).digest());
  return { cipherText, hash };
}).sort((a, b) => Buffer.compare(a.hash, b.hash));
const hashOf = (number: number) => CIPHERS[number]!.hash;

function payload(number: number, recipients: readonly number[] = [1]): EncodedPayload {
  return {
    ...NO_METADATA,
    senderKey: bytes(32, 200),
    cipherText: CIPHERS[number]!.cipherText,
    cipherTextNonce: bytes(24, number),
    recipientBoxes: recipients.map((key) => bytes(48, key)),
    recipientNonce: bytes(24, 1),
    recipientKeys: recipients.map((key) => bytes(32, key)),
  };
}

const KINDS: readonly (readonly [string, () => Promise<OpenedStore | undefined>])[] = [
  ['embedded', async () => overKv(new MemoryKv())],
  [
    'PostgreSQL',
    async () => {
      const url = await postgres?.newDatabase();
      if (url === undefined) return undefined;
      const login = { user: undefined, password: undefined };
      const database = { url, ...login, createTables: true, connectionsMax: 4 };
      return openStore({ dataFolder: '', database }, clock, () => undefined, {});
    },
  ],
];

/** Does nothing without a database server; needsServer has reported that. */
async function withStore(
  open: () => Promise<OpenedStore | undefined>,
  test: (store: PayloadStore) => Promise<void>,
): Promise<void> {
  const opened = await open();
  if (!opened) return;
  try {
    await test(opened.store);
  } finally {
    await opened.close();
  }
}

const needsServer = (name: string) =>
  beforeEach((context) => {
    if (name === 'PostgreSQL') postgresFor(postgres, context);
  });

describe.each(KINDS)('a dump of the payload store, %s', (name, open) => {
  needsServer(name);
  const path = (name: string) => join(scratchFolder('ptm-dump-'), name);

  it('is the same wherever it is loaded', async () => {
    const files: Buffer[] = [];
    await withStore(open, async (store) => {
      const numbers = Array.from({ length: 600 }, (_, i) => i);
      await Promise.all(
        numbers.map((i) => store.put(hashOf(i), payload(i, [1, 2]), [bytes(32, 2)])),
      );
      const raw = {
        senderKey: bytes(32, 1),
        cipherText: bytes(40, 2),
        encryptedKey: bytes(48, 3),
        nonce: bytes(24, 4),
      };
      for (const i of numbers.slice(0, 300)) await store.putRaw(hashOf(i), raw);
      await store.stage([[hashOf(9), payload(9)]]);
      const members = [bytes(32, 1), bytes(32, 2)];
      const group = {
        id: bytes(0, 0),
        name: 'a',
        description: 'b',
        members,
        seed: bytes(20, 1),
        type: 'PANTHEON',
        state: 'ACTIVE',
      } as const;
      await store.putGroup(
        groupId(members, group.seed),
        groupLookupId(members),
        encodeGroup(group),
      );
      const file = path('dump');
      const counts = { payloads: 600, raw: 300, owed: 600 };
      expect(await dumpStore(store, file, () => undefined)).toEqual(counts);
      for (const [, openOther] of KINDS) {
        await withStore(openOther, async (other) => {
          expect(await loadStore(other, file, () => undefined)).toEqual(counts);
          expect(await other.get(hashOf(599))).toEqual(payload(599, [1, 2]));
          expect(await other.getRaw(hashOf(7))).toEqual(raw);
          expect(await other.countOwed(bytes(32, 2), 1000)).toBe(600);
          expect(await other.isStaged(hashOf(9))).toBe(true);
          const next = path('dump');
          await dumpStore(other, next, () => undefined);
          files.push(readFileSync(next));
        });
      }
      for (const one of files) expect(one.equals(readFileSync(file))).toBe(true);
      const whole = readFileSync(file);
      for (const [content, code] of [
        [whole.subarray(0, whole.length - 1), 'SNAPSHOT_DAMAGED'],
        [whole.subarray(0, 5000), 'SNAPSHOT_DAMAGED'],
        [
          Buffer.from(whole.toString('latin1').replace('payloads 1', 'payloads 2'), 'latin1'),
          'SNAPSHOT_NEWER',
        ],
        [Buffer.from('nonsense that is long enough'), 'SNAPSHOT_DAMAGED'],
      ] as const) {
        const bad = path('bad');
        writeFileSync(bad, content);
        const loaded = loadStore(overKv(new MemoryKv()).store, bad, () => undefined);
        await expect(loaded).rejects.toMatchObject({ code });
      }
    });
  });
});

describe.each(KINDS)('the payload store, %s', (name, open) => {
  needsServer(name);
  it('holds payloads, raw payloads and groups, and gives them as they were', () =>
    withStore(open, async (store) => {
      const one = {
        ...payload(1, [1, 2]),
        flag: 2 as const,
        affected: [{ hash: hashOf(9), securityHash: bytes(64, 3) }],
        mandatoryRecipients: [bytes(32, 1)],
        privacyGroupId: bytes(32, 6),
      };
      await Promise.all([store.put(hashOf(1), one), store.put(hashOf(2), payload(2))]);
      expect(await store.get(hashOf(1))).toEqual(one);
      expect(await store.getAll([hashOf(2), hashOf(3), hashOf(1)])).toEqual([
        payload(2),
        undefined,
        one,
      ]);
      await store.put(hashOf(2), payload(2, [1, 2]));
      expect(await store.get(hashOf(2))).toEqual(payload(2, [1, 2]));
      await store.delete(hashOf(1));
      expect(await store.get(hashOf(1))).toBeUndefined();
      const raw = {
        senderKey: bytes(32, 1),
        cipherText: bytes(40, 2),
        encryptedKey: bytes(48, 3),
        nonce: bytes(24, 4),
      };
      await store.putRaw(hashOf(5), raw);
      await store.putRaw(hashOf(5), raw);
      expect(await store.getRaw(hashOf(5))).toEqual(raw);
      expect(await store.getRaw(hashOf(6))).toBeUndefined();
      await store.putGroup(bytes(32, 1), bytes(32, 2), bytes(10, 3));
      await store.putGroup(bytes(32, 1), bytes(32, 2), bytes(10, 4));
      expect(await store.getGroup(bytes(32, 1))).toEqual(bytes(10, 4));
      expect(await store.getGroup(bytes(32, 9))).toBeUndefined();
      expect(await store.groups()).toEqual([bytes(10, 4)]);
    }));

  it('writes a payload and what it owes in one step, and forgets deliveries one by one', () =>
    withStore(open, async (store) => {
      const [two, three] = [bytes(32, 2), bytes(32, 3)];
      for (let i = 0; i < 5; i++) await store.put(hashOf(i), payload(i, [2, 3]), [two, three]);
      expect((await store.owedRecipients()).sort((a, b) => a[0]! - b[0]!)).toEqual([two, three]);
      expect(await store.owedTo(two, 3)).toEqual([hashOf(0), hashOf(1), hashOf(2)]);
      expect([await store.countOwed(two, 100), await store.countOwed(two, 2)]).toEqual([5, 2]);
      await store.delivered([
        { recipient: two, hash: hashOf(0) },
        { recipient: three, hash: hashOf(4) },
        { recipient: three, hash: hashOf(400) },
      ]);
      expect(await store.owedTo(two, 100)).toHaveLength(4);
      store.deliveredSoon([1, 2, 3, 4].map((i) => ({ recipient: two, hash: hashOf(i) })));
      await store.put(hashOf(9), payload(9));
      expect(await store.owedRecipients()).toEqual([three]);
      store.deliveredSoon([0, 1, 2, 3].map((i) => ({ recipient: three, hash: hashOf(i) })));
      await store.settled();
      expect(await store.owedRecipients()).toEqual([]);
    }));

  it('pages through payloads and through what a recovery staged', () =>
    withStore(open, async (store) => {
      const numbers = Array.from({ length: 25 }, (_, i) => i);
      await Promise.all(numbers.map((i) => store.put(hashOf(i), payload(i))));
      const seen: Uint8Array[] = [];
      for (let page = await store.page(10); page.length > 0; ) {
        seen.push(...page.map(([hash]) => hash));
        page = await store.page(10, page.at(-1)![0]);
      }
      expect(seen).toEqual(numbers.map(hashOf));
      await store.stage([
        [hashOf(1), payload(1, [1])],
        [hashOf(1), payload(1, [2])],
        [hashOf(1), payload(1, [2])],
        [hashOf(2), payload(2, [1])],
      ]);
      expect([await store.isStaged(hashOf(1)), await store.isStaged(hashOf(3))]).toEqual([
        true,
        false,
      ]);
      const [first] = await store.staged(1);
      expect(first![1]).toEqual(payload(1, [1]));
      const rest = await store.staged(10, first![0]);
      expect(rest.map(([, one]) => one)).toEqual([payload(1, [2]), payload(2, [1])]);
      await store.unstage([first![0], ...rest.map(([key]) => key)]);
      expect(await store.staged(10)).toEqual([]);
    }));

  it('merges what arrives at the same time: no box is lost, a conflict is the caller’s error', () =>
    withStore(open, async (store) => {
      const keys = Array.from({ length: 30 }, (_, i) => i + 1);
      const merge = (key: number) =>
        store.merge(hashOf(1), (held) => {
          const known = held?.recipientKeys.map((one) => one[0]!) ?? [];
          return known.includes(key) ? undefined : payload(1, [key, ...known]);
        });
      await Promise.all(keys.map(merge));
      const held = await store.get(hashOf(1));
      expect(held!.recipientKeys.map((key) => key[0]).sort((a, b) => a! - b!)).toEqual(keys);
      await merge(3);
      expect(await store.get(hashOf(1))).toEqual(held);
      const conflict = store.merge(hashOf(1), (known) => {
        if (known) throw fail('PTM_PAYLOAD_CONFLICT', 'Invalid existing transaction');
        return payload(1);
      });
      await expect(conflict).rejects.toMatchObject({ code: 'PTM_PAYLOAD_CONFLICT' });
      const refusal = new Error('no');
      const refused = store.merge(hashOf(2), () => {
        throw refusal;
      });
      await expect(refused).rejects.toBe(refusal);
      expect(await store.get(hashOf(2))).toBeUndefined();
    }));

  it('belongs to the keys that had it, of which one is enough', () =>
    withStore(open, async (store) => {
      const keys = [1, 2, 3].map((id) => bytes(32, id));
      await store.claim([keys[0]!]);
      await store.claim([keys[1]!, keys[0]!]);
      await store.claim([keys[1]!]);
      await expect(store.claim([keys[2]!])).rejects.toMatchObject({
        code: 'STORAGE_FOREIGN',
        message: expect.stringContaining('belongs to the manager with the key AQEB'),
      });
      await store.claim([keys[2]!, keys[0]!]);
      await store.claim([keys[2]!]);
    }));

  it('takes thousands of writes at once, each durable when it is answered', () =>
    withStore(open, async (store) => {
      const numbers = Array.from({ length: 2000 }, (_, i) => i);
      await Promise.all(
        numbers.map(async (i) => {
          await store.put(hashOf(i), payload(i), [bytes(32, 1)]);
          if (i % 100 === 0) expect(await store.get(hashOf(i))).toEqual(payload(i));
        }),
      );
      expect(await store.countOwed(bytes(32, 1), 10_000)).toBe(2000);
    }));
});

/** The folder of a private transaction manager: its store, the stamp beside it, its keys. */
import { createHash } from 'node:crypto';
import { cpSync } from 'node:fs';
import { join } from 'node:path';
import { toBase64 } from '../../../src/core/base/base64.ts';
import { systemClock as calendar } from '../../../src/io/host/clock.ts';
import { systemEntropy as entropy } from '../../../src/io/host/entropy.ts';
import { loadEnclaveCrypto } from '../../../src/io/sodium/nacl.ts';
import { loadKey } from '../../../src/services/ptm/config/key-sources.ts';
import { Enclave } from '../../../src/services/ptm/manager/enclave.ts';
import { openStore } from '../../../src/services/ptm/open-store.ts';
import { olderManager } from '../../support/older-manager.ts';
import { type Content, type Subject, UNREADABLE } from '../subject.ts';

export const MANAGER: Subject = {
  name: 'manager',
  files: ['data/format', 'data/payloads/data.mdb', 'data/payloads-written', 'tm.key', 'tm.pub'],
  async make(folder, older) {
    cpSync(olderManager('one'), folder, { recursive: true });
    cpSync(folder, older, { recursive: true });
    const early = await openStore(sourceOf(older), calendar, () => {}, {});
    for (const [hash] of (await early.store.page(1_000)).slice(4)) await early.store.delete(hash);
    await early.close();
    const { store, close } = await openStore(sourceOf(folder), calendar, () => {}, {});
    // Rows written by 0.1.0 have no checksum until they are next changed.
    for (let times = 0; times < 2; times++) {
      for (const [hash, payload] of await store.page(1_000)) {
        if (payload) await store.put(hash, payload);
      }
    }
    await close();
  },
  async open(folder, log): Promise<Content> {
    const crypto = await loadEnclaveCrypto();
    const key = await loadKey(
      {
        kind: 'files',
        privateKeyPath: join(folder, 'tm.key'),
        publicKeyPath: join(folder, 'tm.pub'),
        password: { line: 0 },
      },
      crypto,
      {},
    );
    // The manager's own check at start: store and stamp must belong together.
    new Enclave({ keys: [key], forwardingKeys: [], crypto, entropy });
    const content: Record<string, string> = { key: toBase64(key.publicKey) };
    const say = (level: string, message: string, fields?: object) => {
      if (level === 'error') log(`${message} ${JSON.stringify(fields)}`);
    };
    const { store, close } = await openStore(sourceOf(folder), calendar, say, {});
    try {
      for (const [hash, payload] of await store.page(1_000)) {
        content[toBase64(hash)] = payload ? digest(payload) : UNREADABLE;
      }
      for (const [hash, raw] of await store.rawPage(1_000)) {
        content[`raw ${toBase64(hash)}`] = raw ? digest(raw) : UNREADABLE;
      }
      content.groups = digest(await store.groups());
      return content;
    } finally {
      await close();
    }
  },
  mayDiffer: () => [],
};

function sourceOf(folder: string) {
  return { dataFolder: join(folder, 'data') };
}

function digest(value: unknown): string {
  const text = JSON.stringify(value, (_, each) =>
    each instanceof Uint8Array ? toBase64(each) : each,
  );
  return createHash('sha256').update(text).digest('hex');
}

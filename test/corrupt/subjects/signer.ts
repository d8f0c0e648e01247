/**
 * The data folder of a signing proxy: pending transactions, public keys of keystores, and its audit
 * log.
 */
import { cpSync } from 'node:fs';
import { join } from 'node:path';
import { toHex } from '../../../src/core/base/hex.ts';
import { secp256k1 } from '../../../src/core/base/secp256k1.ts';
import { AuditLog } from '../../../src/io/audit/audit-log.ts';
import { verifyAuditLogs } from '../../../src/io/audit/audit-verify.ts';
import { stampFolder } from '../../../src/io/storage/folder-stamp.ts';
import { nodeLogFolder } from '../../../src/io/storage/node-log-file.ts';
import { PublicKeyIndex } from '../../../src/services/signer/keys/public-key-index.ts';
import { FileJournal } from '../../../src/services/signer/proxy/journal.ts';
import type { Content, Subject } from '../subject.ts';

const FORMAT = { of: 'signer', version: 1 };
const SENT = 12;
const KEYS = 8;
const CLOCK = { nowMs: () => 1_700_000_000_000 };

export const SIGNER: Subject = {
  name: 'signer',
  files: ['format', 'journal/000002.log', 'public-keys', 'audit.jsonl', 'audit.jsonl.end'],
  async make(folder, older) {
    await fill(folder, 0, SENT / 2);
    cpSync(folder, older, { recursive: true, preserveTimestamps: true });
    await fill(folder, SENT / 2, SENT);
  },
  async open(folder, log): Promise<Content> {
    stampFolder(folder, FORMAT);
    const said = (level: string, message: string, fields?: object) => {
      if (level === 'warn') log(`${message} ${JSON.stringify(fields)}`);
    };
    const journal = new FileJournal(nodeLogFolder(join(folder, 'journal')), said);
    const nonces = journal.restored().map(({ send }) => send.nonce);
    await journal.close();
    const index = new PublicKeyIndex(join(folder, 'public-keys'), said);
    const known = Array.from({ length: KEYS }, (_, at) => {
      const found = index.get(hashOf(at));
      return found === undefined ? 'decrypted again' : toHex(found);
    });
    const path = join(folder, 'audit.jsonl');
    const before = await verifyAuditLogs([path]).catch(() => undefined);
    await (await AuditLog.open(path, CLOCK, said)).close();
    const audit = await verifyAuditLogs([path]);
    if (before && before.tornBytes > 0) log('audit.jsonl: a torn last line was cut off');
    return {
      journal: nonces.join(),
      // A cache: keys that it lost are decrypted again.
      keys: known.map((key, at) => (key === 'decrypted again' ? keyOf(at) : key)).join(),
      audit: String(audit.lines),
    };
  },
  // Any damage to the audit log must be reported, except that the whole file may be gone: it may
  // have been moved away to rotate it, and its hash chain continues in a new file.
  mayDiffer(file, kind) {
    if (file.startsWith('journal')) return ['journal'];
    return file === 'audit.jsonl' && kind === 'delete' ? ['audit'] : [];
  },
};

async function fill(folder: string, from: number, to: number): Promise<void> {
  stampFolder(folder, FORMAT);
  const journal = new FileJournal(nodeLogFolder(join(folder, 'journal')), () => {});
  const index = new PublicKeyIndex(join(folder, 'public-keys'), () => {});
  const audit = await AuditLog.open(join(folder, 'audit.jsonl'), CLOCK, () => {});
  for (let nonce = from; nonce < to; nonce++) {
    await journal.add({
      ...{ nonceKey: '0xaa', nonce, hash: `0x${nonce}`, method: 'eth_sendRawTransaction' },
      ...{ params: `["0x${'ab'.repeat(80)}"]`, psi: undefined },
    });
    if (nonce < KEYS) index.set(hashOf(nonce), secp256k1().publicKey(secretOf(nonce)));
    await audit.append({
      caller: 'pay',
      intent: { method: 'eth_sendTransaction', account: '0xaa', kind: 'transaction' },
      outcome: `0x${nonce}`,
    });
  }
  await audit.close();
  await journal.close();
}

function secretOf(at: number): Uint8Array {
  return new Uint8Array(32).fill(at + 1);
}

function keyOf(at: number): string {
  return toHex(secp256k1().publicKey(secretOf(at)));
}

function hashOf(at: number): string {
  return (at + 16).toString(16).repeat(32);
}

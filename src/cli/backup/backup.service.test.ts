import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { scratchFolder } from '../../../test/support/scratch.ts';
import { formatManifest } from '../../io/snapshot/manifest.ts';
import { openChain } from '../../services/ledger/store/data.ts';
import { readTesseraConfig } from '../../services/ptm/config.ts';
import { generateKey, writeKeyPair } from '../../services/ptm/keygen.ts';
import { type RunningPtm, startPtm } from '../../services/ptm/start.ts';
import { type Command, parseFor } from '../command.ts';
import { backupCommand } from './backup.ts';
import { restoreCommand } from './restore.ts';

const running: RunningPtm[] = [];
const lines: string[] = [];
afterEach(async () => {
  vi.restoreAllMocks();
  for (const ptm of running.splice(0)) await ptm.close();
});

const GENESIS = {
  config: {
    chainId: 10,
    isQuorum: true,
    qbft: { epochlength: 1000, blockperiodseconds: 1, requesttimeoutseconds: 4 },
  },
  difficulty: '0x1',
  gasLimit: '0x2fefd800',
  mixHash: '0x63746963616c2062797a616e74696e65206661756c7420746f6c6572616e6365',
  // RLP: no vanity, one validator, no vote, round 0, no seals.
  extraData: `0xda80d594${'11'.repeat(20)}c080c0`,
  alloc: {},
};

async function run(command: Command, ...flags: string[]): Promise<string[]> {
  lines.length = 0;
  vi.spyOn(console, 'log').mockImplementation((line) => void lines.push(String(line)));
  expect(await command.run(parseFor(command, ['--verbosity', '0', ...flags]))).toBe(0);
  return [...lines];
}

async function send(ptm: RunningPtm, message: string): Promise<string> {
  const response = await fetch(`${ptm.q2tUrl}/send`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ payload: Buffer.from(message).toString('base64'), to: [] }),
  });
  return (JSON.parse(await response.text()) as { key: string }).key;
}

async function read(ptm: RunningPtm, hash: string): Promise<string> {
  const got = await fetch(`${ptm.q2tUrl}/transaction/${encodeURIComponent(hash)}`);
  return got.ok ? Buffer.from(JSON.parse(await got.text()).payload, 'base64').toString() : '';
}

async function started(file: string): Promise<RunningPtm> {
  const ptm = await startPtm((await readTesseraConfig(file)).config);
  running.push(ptm);
  return ptm;
}

/** A node with its genesis block, a running manager, and a snapshot of both. */
async function scene() {
  const root = scratchFolder('quorate-backup-');
  const at = (...names: string[]) => join(root, ...names);
  mkdirSync(at('ptm'));
  await writeKeyPair(at('ptm', 'tm'), await generateKey());
  const config = at('ptm', 'config.json');
  writeFileSync(
    config,
    JSON.stringify({
      serverConfigs: ['Q2T', 'P2P'].map((app) => ({ app, serverAddress: 'http://127.0.0.1:0' })),
      keys: {
        passwordFile: 'passwords',
        keyData: [{ privateKeyPath: 'tm.key', publicKeyPath: 'tm.pub' }],
      },
    }),
  );
  writeFileSync(at('genesis.json'), JSON.stringify(GENESIS));
  const chain = await openChain(at('data'), { genesisFile: at('genesis.json') });
  await chain.close();
  writeFileSync(at('data', 'static-nodes.json'), '[]');
  mkdirSync(at('data', 'quorate', 'raft'));
  writeFileSync(at('data', 'quorate', 'raft', 'log'), 'a vote');
  mkdirSync(at('data', 'geth'));
  writeFileSync(at('data', 'geth', 'nodekey'), 'key');
  writeFileSync(at('data', 'geth', 'LOG'), 'not ours');
  const ptm = await started(config);
  const hashes = await Promise.all(Array.from({ length: 40 }, (_, i) => send(ptm, `payload ${i}`)));
  const flags = ['--datadir', at('data'), '--configfile', config, '--out', at('snapshot')];
  return { at, config, ptm, hashes, flags };
}

describe('quorate backup and restore', () => {
  it('rebuild a node and a manager with their keys, while the old ones run', async () => {
    const { at, config, ptm, hashes, flags } = await scene();
    const said = await run(backupCommand, ...flags);
    expect(said[0]).toMatch(/^Node: up to block 0 0x[0-9a-f]{64}$/);
    expect(said[1]).toBe('Manager: 40 payloads, 0 raw, 0 owed');
    const later = await send(ptm, 'later');
    await expect(run(backupCommand, ...flags)).rejects.toMatchObject({ code: 'SNAPSHOT_EXISTS' });

    const into = ['--from', at('snapshot'), '--datadir', at('data2'), '--ptmdir', at('ptm2')];
    const restored = await run(restoreCommand, ...into);
    expect(restored).toContain('Manager: 40 payloads, 0 raw, 0 owed');
    expect(restored.join()).toContain(
      'encrypted with a password file, which is not part of a snapshot',
    );
    expect(existsSync(at('data2', 'geth', 'LOG'))).toBe(false);
    expect(existsSync(at('data2', 'quorate', 'raft'))).toBe(false);
    expect(readFileSync(at('data2', 'geth', 'nodekey'), 'utf8')).toBe('key');
    const chain = await openChain(at('data2'));
    expect(chain.store.head()?.number).toBe(0);
    await chain.close();
    const two = await started(at('ptm2', 'config.json'));
    expect(two.publicKeys).toEqual(ptm.publicKeys);
    for (const [i, hash] of hashes.entries()) expect(await read(two, hash)).toBe(`payload ${i}`);
    expect(await read(two, later)).toBe('');
    expect(await read(ptm, later)).toBe('later');

    await expect(run(restoreCommand, ...into)).rejects.toMatchObject({
      code: 'RESTORE_TARGET_NOT_EMPTY',
    });
    const toOld = ['--from', at('snapshot'), '--configfile', config];
    await expect(run(restoreCommand, ...toOld)).rejects.toMatchObject({
      code: 'RESTORE_TARGET_NOT_EMPTY',
    });
    await expect(run(restoreCommand, ...toOld, '--ptmdir', at('x'))).rejects.toMatchObject({
      code: 'OPTION_CONFLICT',
    });
    expect(await run(restoreCommand, '--from', at('snapshot'))).toHaveLength(1);
  });

  it('a record that the node was writing is cut from the copy, a damaged one refused', async () => {
    const { at, flags } = await scene();
    const log = at('data', 'quorate', 'blocks', '000000.log');
    const whole = readFileSync(log);
    appendFileSync(log, whole.subarray(0, 100));
    await run(backupCommand, ...flags);
    expect(
      readFileSync(at('snapshot', 'node', 'quorate', 'blocks', '000000.log')).equals(whole),
    ).toBe(true);
    rmSync(at('snapshot'), { recursive: true });
    writeFileSync(log, Buffer.concat([Buffer.alloc(20, 7), whole]));
    await expect(run(backupCommand, ...flags)).rejects.toThrow();
    expect([existsSync(at('snapshot')), existsSync(at('snapshot.partial'))]).toEqual([
      false,
      false,
    ]);
  });

  it('refuse a snapshot that is torn, changed, newer, or of something else, before anything is written', async () => {
    const { at, flags } = await scene();
    await run(backupCommand, ...flags);
    const refused = async (code: string, ...more: string[]) => {
      const into = ['--from', at('snapshot'), '--datadir', at('new'), '--ptmdir', at('newptm')];
      await expect(run(restoreCommand, ...(more.length > 0 ? more : into))).rejects.toMatchObject({
        code,
      });
      expect([existsSync(at('new')), existsSync(at('newptm'))]).toEqual([false, false]);
    };
    const changed = async (
      name: string,
      change: (content: Buffer) => Buffer | undefined,
      code: string,
    ) => {
      const path = at('snapshot', name);
      const before = readFileSync(path);
      const after = change(Buffer.from(before));
      if (after) writeFileSync(path, after);
      else rmSync(path);
      await refused(code);
      writeFileSync(path, before);
    };
    const flip = (content: Buffer) => {
      content[content.length >> 1]! ^= 1;
      return content;
    };
    for (const name of ['ptm/payloads.dump', 'node/quorate/blocks/000000.log', 'ptm/keys/0.key']) {
      await changed(name, flip, 'SNAPSHOT_DAMAGED');
      await changed(name, (content) => content.subarray(1), 'SNAPSHOT_DAMAGED');
      await changed(name, () => undefined, 'SNAPSHOT_DAMAGED');
    }
    await changed('snapshot.json', () => undefined, 'SNAPSHOT_MISSING');
    await changed('snapshot.json', (content) => content.subarray(0, 200), 'SNAPSHOT_DAMAGED');
    await changed(
      'snapshot.json',
      (content) => Buffer.from(content.toString().replace('"head": 0', '"head": 9')),
      'SNAPSHOT_DAMAGED',
    );
    await changed(
      'snapshot.json',
      (content) => Buffer.from(content.toString().replace('"snapshot": 1', '"snapshot": 2')),
      'SNAPSHOT_NEWER',
    );
    const outside = { path: '../../etc/passwd', bytes: 1, sha256: '' };
    const parts = { createdAt: '', program: '', parts: {}, files: [outside] };
    await changed('snapshot.json', () => Buffer.from(formatManifest(parts)), 'SNAPSHOT_DAMAGED');

    await run(backupCommand, '--datadir', at('data'), '--out', at('node-only'));
    await refused('SNAPSHOT_PART_MISSING', '--from', at('node-only'), '--ptmdir', at('newptm'));
    const none = run(backupCommand, '--datadir', at('none'), '--out', at('s2'));
    await expect(none).rejects.toMatchObject({ code: 'GENESIS_MISSING' });
    await expect(run(backupCommand, '--out', at('s2'))).rejects.toMatchObject({
      code: 'OPTION_VALUE_MISSING',
    });
    await expect(run(restoreCommand)).rejects.toMatchObject({ code: 'OPTION_VALUE_MISSING' });
  });
});

import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { afterEach, describe, expect, it } from 'vitest';
import {
  A,
  B,
  folder,
  log,
  logged,
  nodeListFolders,
  url,
  write,
} from '../../../test/support/node-lists.ts';
import { OWN_VECTORS } from '../../../test/vectors/folders.ts';
import { fromHex } from '../../core/base/hex.ts';
import { ETH_66, ISTANBUL_100 } from '../../core/wire/capabilities.ts';
import { parseEnode } from '../../core/wire/enode.ts';
import { TIMINGS } from './limits.ts';
import { Permits } from './permits.ts';
import { P2pServer } from './server.ts';

nodeListFolders();

describe('lists of nodes', () => {
  it('are read again when they change, by key alone; disallowed wins', () => {
    const permits = new Permits(folder, log);
    const ask = (id: string) => permits.mayConnect({ id, enode: url(id), inbound: true });
    expect([ask(A), ask(A)]).toEqual([false, false]);
    expect(logged).toEqual([
      'There is no permissioned-nodes.json: --permissioned admits nobody without it',
    ]);
    write('permissioned-nodes.json', ['enode://12@127.0.0.1:1', '', url(A), url(B)]);
    expect([ask(A), ask(B)]).toEqual([true, true]);
    expect(logged[1]).toBe('Node URL is not valid');
    write('disallowed-nodes.json', [url(B)]);
    expect([ask(A), ask(B)]).toEqual([true, false]);
  });

  it.each([
    ['permissioned-nodes.json', '['],
    ['permissioned-nodes.json', '{}'],
    ['disallowed-nodes.json', '{b}'],
  ])('a broken %s lets nobody in, and sends nobody away', (name, text) => {
    const permits = new Permits(folder, log);
    const peer = { id: A, enode: url(A), inbound: true };
    write('permissioned-nodes.json', [url(A)]);
    expect(permits.mayConnect(peer)).toBe(true);
    write(name, text);
    expect(permits.mayConnect(peer)).toBe(false);
    expect(logged).toEqual(['Failed to read the permissioned nodes']);
    permits.set(undefined);
    expect(permits.revoked()?.(peer)).toBe(false);
  });

  it('what contracts say takes their place', () => {
    const permits = new Permits(folder, log);
    write('permissioned-nodes.json', [url(A)]);
    const from = (id: string, host: string) =>
      permits.mayConnect({ id, enode: `enode://${id}@${host}:1`, inbound: true });
    permits.set({
      approved: new Map([[B, '10.0.0.1']]),
      barred: new Set(),
      comparesAddress: true,
      isBehind: false,
    });
    expect([from(A, '10.0.0.1'), from(B, '10.0.0.1'), from(B, '10.0.0.2')]).toEqual([
      false,
      true,
      false,
    ]);
    expect(from(B, 'node.example')).toBe(true);
    expect(permits.revoked()?.({ id: A, enode: url(A), inbound: true })).toBe(true);
    expect(permits.revoked()).toBeUndefined();
  });
});

interface Scene {
  readonly scene: string;
  readonly files: Readonly<Record<string, Readonly<Record<string, string>>>>;
  readonly permissioned: readonly string[];
  readonly running: readonly string[];
  readonly peers: Readonly<Record<string, readonly string[]>>;
}

const NOBODY = { 'node 1': [], 'node 2': [], 'node 3': [] };
/**
 * When a node is removed from a list, its peer is disconnected here; GoQuorum keeps the connection
 * until the peer itself leaves.
 */
const DIFFERENT: Readonly<Record<string, Scene['peers']>> = {
  'node 3 is taken out of the file: the live connection stays': {
    'node 1': ['node 2'],
    'node 2': ['node 1'],
    'node 3': [],
  },
  'node 2 is put into disallowed-nodes.json: the live connection stays': NOBODY,
  'node 2 restarts and dials: both lists name it': NOBODY,
};

const RECORDED: { readonly keys: Record<string, string>; readonly scenes: readonly Scene[] } =
  JSON.parse(
    gunzipSync(
      readFileSync(join(OWN_VECTORS, 'goquorum/permission/basic/scenes.json.gz')),
    ).toString(),
  );
/** Scenes in which the nodes of the previous scene keep running. */
const GOES_ON = /live connection|admin_addPeer|while node 1 runs|restarts and dials/;
const TIMES = { ...TIMINGS, sweepMs: 5, redialMinMs: 5, redialMaxMs: 20, goodbyeMs: 50 };

describe('scenes recorded with GoQuorum', () => {
  const servers = new Map<string, P2pServer>();
  const names = Object.keys(RECORDED.keys);
  afterEach(async () => {
    await Promise.all([...servers.values()].map((server) => server.stop()));
    servers.clear();
  });

  async function begin({ permissioned, running }: Scene): Promise<void> {
    await Promise.all([...servers.values()].map((server) => server.stop()));
    servers.clear();
    for (const name of running) {
      const permits = new Permits(join(folder, name), log);
      const server = new P2pServer({
        nodeKey: fromHex(RECORDED.keys[name]!),
        clientName: name,
        protocols: [ETH_66, ISTANBUL_100],
        maxPeers: 25,
        listen: { host: '127.0.0.1', port: 0 },
        staticNodes: [],
        trustedNodes: [],
        timings: TIMES,
        log: (level, message) => log(level, `${name}: ${message}`),
        ...(permissioned.includes(name)
          ? {
              mayConnect: (peer) => permits.mayConnect(peer),
              revoked: () => permits.revoked(),
            }
          : {}),
      });
      servers.set(name, server);
      await server.start();
    }
  }

  /** Sorted names of a node's peers. */
  function peersOf(name: string): string[] {
    const byId = new Map([...servers].map(([each, { id }]) => [id, each]));
    return servers
      .get(name)!
      .peers()
      .map(({ id }) => byId.get(id)!)
      .sort();
  }

  it('are played again, in one run', async () => {
    for (const scene of RECORDED.scenes) {
      for (const name of names) {
        mkdirSync(join(folder, name), { recursive: true });
        for (const file of ['permissioned-nodes.json', 'disallowed-nodes.json']) {
          const text = scene.files[name]?.[file];
          const path = join(folder, name, file);
          if (text !== undefined) writeFileSync(path, text);
          else if (existsSync(path)) rmSync(path);
        }
      }
      if (!GOES_ON.test(scene.scene)) await begin(scene);
      const before = logged.length;
      for (const [name, server] of servers) {
        const { 'static-nodes.json': listed = '[]' } = scene.files[name] ?? {};
        for (const { id } of (JSON.parse(listed) as string[]).map(parseEnode)) {
          const target = [...servers.values()].find((each) => each.id === id);
          if (target)
            server.addPeer(parseEnode(`enode://${id}@127.0.0.1:${target.listening!.port}`));
        }
      }
      const wanted = DIFFERENT[scene.scene] ?? scene.peers;
      const isAsRecorded = () =>
        scene.running.every(
          (name) => JSON.stringify(peersOf(name)) === JSON.stringify([...wanted[name]!].sort()),
        );
      // A peer that must be refused has connected, and was refused.
      const isRefused = () =>
        logged.slice(before).some((line) => line.endsWith('permission denied'));
      const hasRefusal = scene.running.some((name) => wanted[name]!.length === 0);
      await expect
        .poll(() => isAsRecorded() && (!hasRefusal || isRefused()), {
          message: scene.scene,
          timeout: 20_000,
          interval: 10,
        })
        .toBe(true);
    }
    expect(RECORDED.scenes).toHaveLength(12);
  }, 60_000);
});

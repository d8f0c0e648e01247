/** The compiled thread module: run `npm run build` first. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterEach, expect, it } from 'vitest';
import { until } from '../../../../test/support/conditions.ts';
import { scratchFolder } from '../../../../test/support/scratch.ts';
import { fromHex } from '../../../core/base/hex.ts';
import type { LinkEvent } from '../../../core/base/ports.ts';
import { decodeClusterSnapshot } from '../../../core/consensus/raft/address.ts';
import { decodeConfChange, ENTRY_TYPE, type Entry } from '../../../core/consensus/raft/messages.ts';
import { RaftStore } from '../../../core/store/raft-store.ts';
import { ETH_66 } from '../../../core/wire/capabilities.ts';
import { parseEnode } from '../../../core/wire/enode.ts';
import { P2pServer } from '../../../io/p2p/server.ts';
import { nodeLogFolder } from '../../../io/storage/node-log-file.ts';
import { bootstrapStore } from '../node/consensus/raft-bootstrap.ts';
import type { RaftStanding } from '../node/consensus/raft-member.ts';
import type { AgreementThread } from './agreement-thread.ts';
import { LastVote } from './last-vote.ts';
import type { RaftThreadSettings } from './messages.ts';
import { startAgreement } from './threads.ts';

const WORKER = pathToFileURL(
  resolve(import.meta.dirname, '../../../../dist/services/ledger/agreement/agreement-worker.js'),
);
const HOST = '127.0.0.1';
const KEYS = ['11', '22'].map((byte) => fromHex(`0x${byte.repeat(32)}`)) as [
  Uint8Array,
  Uint8Array,
];
const folder = scratchFolder('quorate-agreement-');

const ends: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

const peersOf = (nodeKey: Uint8Array, port = 0) => ({
  nodeKey,
  clientName: 'test',
  protocols: [ETH_66],
  maxPeers: 5,
  listen: { host: HOST, port },
  staticNodes: [],
  trustedNodes: [],
});

function start(storeFolder: string, port = 0, worker = WORKER, raft?: RaftThreadSettings) {
  const faults: Error[] = [];
  let heard: (fault: Error) => void = () => {};
  const fault = new Promise<Error>((resolve) => {
    heard = resolve;
  });
  const thread = startAgreement({
    worker,
    settings: {
      storeFolder,
      sealedVote: 0,
      lastVote: new LastVote().memory,
      permissionsIn: undefined,
      peers: peersOf(KEYS[0], port),
      raft,
    },
    log: () => {},
    fatal(error) {
      faults.push(error as Error);
      heard(error as Error);
    },
  });
  ends.push(() => thread.stop());
  return { thread, faults, fault };
}

function made(name: string): string {
  const path = join(folder, name);
  mkdirSync(path, { recursive: true });
  return path;
}

async function remote(thread: AgreementThread): Promise<P2pServer> {
  const server = new P2pServer({ ...peersOf(KEYS[1]), log: () => {} });
  await server.start();
  ends.push(() => server.stop());
  server.addPeer(parseEnode(`enode://${thread.id}@${HOST}:${thread.listening!.port}`));
  return server;
}

function next(
  thread: Pick<AgreementThread, 'events'>,
  kind: LinkEvent['kind'],
): Promise<LinkEvent> {
  return new Promise((resolve) =>
    thread.events((event) => {
      if (event.kind === kind) resolve(event);
      return undefined;
    }),
  );
}

it('hands on what peers send, sends what it is given, and says goodbye at its end', async () => {
  const { thread, faults } = start(made('whole'));
  await thread.start();
  const joined = next(thread, 'joined');
  const server = await remote(thread);
  const met = next(server, 'joined');
  await Promise.all([joined, met]);
  expect(thread.peers().map(({ id }) => id)).toEqual([server.id]);

  const heard = next(thread, 'message');
  server.send(thread.id, { protocol: 'eth', code: 3, bytes: Uint8Array.of(0xc1, 0x07) });
  expect(await heard).toMatchObject({
    peer: server.id,
    message: { protocol: 'eth', code: 3, bytes: Uint8Array.of(0xc1, 0x07) },
  });
  const said = next(server, 'message');
  thread.send(server.id, { protocol: 'eth', code: 4, bytes: Uint8Array.of(0xc0) });
  expect(await said).toMatchObject({ message: { code: 4, bytes: Uint8Array.of(0xc0) } });

  const left = next(server, 'left');
  await thread.stop();
  expect(await left).toMatchObject({ peer: thread.id, reason: 8 });
  expect(faults).toEqual([]);
});

it('a port that is taken rejects its start, with the code', async () => {
  const first = start(made('first'));
  await first.thread.start();
  const { thread } = start(made('second'), first.thread.listening!.port);
  await expect(thread.start()).rejects.toMatchObject({ code: 'P2P_LISTEN_FAILED' });
});

it('one that cannot open its votes ends the node', async () => {
  const { fault, thread } = start(join(folder, 'nowhere'));
  const begun = thread.start();
  await expect(begun).rejects.toThrow('votes');
  expect((await fault).message).toContain('votes');
});

it('a module that is not there, or a folder, is named before a thread begins', () => {
  const missing = new URL('./gone.js', WORKER);
  const told = /a part of Quorate is missing, cannot read .*gone\.js: there is no such file/;
  expect(() => start(made('third'), 0, missing)).toThrow(told);
  const folderOfIt = new URL('.', WORKER);
  expect(() => start(made('fourth'), 0, folderOfIt)).toThrow(/install Quorate again/);
});

it('one that cannot be loaded is reported as that, not as stored data', async () => {
  const path = join(made('fifth'), 'worker.mjs');
  writeFileSync(path, "import './gone.mjs';");
  const { fault, faults, thread } = start(made('sixth'), 0, pathToFileURL(path));
  await expect(thread.start()).rejects.toMatchObject({ code: 'AGREEMENT_THREAD_ENDED' });
  expect(await fault).toMatchObject({
    code: 'AGREEMENT_THREAD_ENDED',
    message: expect.stringMatching(/^the thread of agreement ended: Cannot find module .*gone/),
  });
  // The second fault is the thread's exit: stop() after it must not wait.
  await until('its exit is heard', () => faults.length === 2);
  await thread.stop();
});

it('the Raft protocol of a member: leads, keeps its log, and hands on what is committed', async () => {
  const home = made('raft');
  const logs = join(home, 'raft');
  const member = { raftId: 1, nodeId: new Uint8Array(64), hostname: HOST, p2pPort: 1, raftPort: 2 };
  const begun = await RaftStore.open(nodeLogFolder(logs));
  await bootstrapStore(begun, [member]);
  begun.close();
  const lastSave = new LastVote();
  const raft = { id: 1, folder: logs, host: HOST, port: 0, lastSave: lastSave.memory };
  const { thread, faults } = start(home, 0, WORKER, raft);
  const protocol = thread.raft();
  const log: Entry[] = [];
  let told: () => void = () => {};
  let standing: RaftStanding | undefined;
  const until = async (isSo: () => boolean) => {
    while (!isSo()) {
      await new Promise<void>((resolve) => {
        told = resolve;
      });
    }
  };
  protocol.connect({ members: [member], removedIds: [] });
  await protocol.start({
    committed(entries) {
      for (const entry of entries) {
        log.push(entry);
        if (entry.type === ENTRY_TYPE.confChange)
          protocol.change(entry.index, decodeConfChange(entry.data));
        protocol.applied(entry.index);
      }
      told();
    },
    install: () => {},
    standing(now) {
      standing = now;
      told();
    },
  });
  await until(() => standing?.role === 'leader');
  expect(standing).toMatchObject({ leader: 1, confState: { nodes: [1], learners: [] } });
  protocol.propose({ type: ENTRY_TYPE.normal, data: Uint8Array.of(1, 2, 3) });
  await until(() => log.at(-1)?.data.length === 3);
  expect(lastSave.number).toBeGreaterThan(1);
  const members = { members: [member], removedIds: [7] };
  protocol.compact(log.at(-1)!.index, members, new Uint8Array(32), true);
  await thread.stop();
  expect(faults).toEqual([]);
  const kept = await RaftStore.open(nodeLogFolder(logs));
  const { snapshot, hardState } = kept.contents;
  kept.close();
  expect(hardState).toMatchObject({ vote: 1 });
  expect(snapshot.index).toBe(log.at(-1)!.index);
  expect(decodeClusterSnapshot(snapshot.data)).toMatchObject({
    addresses: [member],
    removedIds: [7],
  });
});

it('a port of Raft that is taken is reported with its code', async () => {
  const { port, close } = await takenPort();
  const raft = { id: 1, folder: join(made('taken'), 'raft'), host: HOST, port };
  const lastSave = new LastVote().memory;
  const { thread } = start(made('taken'), 0, WORKER, { ...raft, lastSave });
  const side = { committed: () => {}, install: () => {}, standing: () => {} };
  await expect(thread.raft().start(side)).rejects.toMatchObject({ code: 'RAFT_LISTEN_FAILED' });
  await close();
});

async function takenPort() {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, HOST, resolve));
  const { port } = server.address() as AddressInfo;
  return { port, close: () => new Promise((resolve) => server.close(resolve)) };
}

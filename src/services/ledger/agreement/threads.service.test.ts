/** The thread of the build: `npm run build` first. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterEach, expect, it } from 'vitest';
import { scratchFolder } from '../../../../test/support/scratch.ts';
import { fromHex } from '../../../core/base/hex.ts';
import type { LinkEvent } from '../../../core/base/ports.ts';
import { ETH_66 } from '../../../core/wire/capabilities.ts';
import { parseEnode } from '../../../core/wire/enode.ts';
import { P2pServer } from '../../../io/p2p/server.ts';
import type { AgreementThread } from './agreement-thread.ts';
import { LastVote } from './last-vote.ts';
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

function start(storeFolder: string, port = 0, worker = WORKER) {
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

it('one that cannot be loaded is told as that, not as stored data', async () => {
  const path = join(made('fifth'), 'worker.mjs');
  writeFileSync(path, "import './gone.mjs';");
  const { fault, thread } = start(made('sixth'), 0, pathToFileURL(path));
  await expect(thread.start()).rejects.toMatchObject({ code: 'AGREEMENT_THREAD_ENDED' });
  expect(await fault).toMatchObject({
    code: 'AGREEMENT_THREAD_ENDED',
    message: expect.stringMatching(/^the thread of agreement ended: Cannot find module .*gone/),
  });
});

/**
 * What is private to two of four nodes is not visible to the others: not by any method of the table
 * or any subscription over HTTP, WebSocket and IPC, nor in messages between peers, logs, or the
 * files of the others' nodes and managers. The same probes on the parties' nodes find all of it,
 * which proves that the search works.
 */
import { execFile } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { P2pServer } from '../../src/io/p2p/server.ts';
import { Readers } from '../../src/services/ledger/readers/readers.ts';
import { type Conversation, overHttp, overIpc, overWebSocket } from '../support/callers.ts';
import { canariesIn, canariesInFiles } from '../support/canaries.ts';
import { until } from '../support/conditions.ts';
import { MAIN, startTestDevnet, type TestDevnet } from '../support/devnet.ts';
import {
  ALL,
  EEA,
  FOUND_BY_PARTIES,
  managerUrl,
  open,
  openTopic,
  PARTY,
  privateHistory,
  publicHistory,
} from '../support/isolated-history.ts';
import { graphqlAsks, probeEveryMethod, SUBSCRIPTION_PROBES } from '../support/probes.ts';
import { postProven } from '../support/ptm.ts';
import type { Target } from '../support/target.ts';
import { type TraceCollector, traceCollector } from '../support/trace-collector.ts';
import { type Open, TRACING_METHODS, traceEverything } from '../support/tracing-probes.ts';

const STRANGERS = [2, 3];

let net: TestDevnet;
let collector: TraceCollector;
let frames: string[];
/** The methods that reader threads were asked. */
let readByThreads: Set<string>;
let listeners: Conversation[];
let targets: Target[];
let everybodys: Open;

beforeAll(async () => {
  frames = [];
  const send = P2pServer.prototype.send;
  vi.spyOn(P2pServer.prototype, 'send').mockImplementation(function (this: P2pServer, to, message) {
    frames.push(Buffer.from(message.bytes).toString('latin1'));
    return send.call(this, to, message);
  });
  readByThreads = new Set();
  const { answer, logs } = Readers.prototype;
  vi.spyOn(Readers.prototype, 'answer').mockImplementation(function (this: Readers, call, ...rest) {
    readByThreads.add(call.method);
    return answer.call(this, call, ...rest);
  });
  vi.spyOn(Readers.prototype, 'logs').mockImplementation(function (this: Readers, ...args) {
    readByThreads.add('logs');
    return logs.apply(this, args);
  });
  collector = await traceCollector();
  net = await startTestDevnet({ verbosity: 5, tracing: { endpoint: collector.url } });
  listeners = await listen();
  everybodys = await publicHistory(net);
  targets = await privateHistory(net);
});

afterAll(async () => {
  for (const each of listeners ?? []) each.close();
  await net?.close();
  await collector?.close();
  vi.restoreAllMocks();
});

function conversations(at: number): Promise<Conversation[]> {
  const url = net.rpc[at]!.url;
  return Promise.all([
    overHttp(url),
    overWebSocket(url.replace('http', 'ws')),
    overIpc(join(net.folder, `node${at + 1}`, 'geth.ipc')),
  ]);
}

/** Outsiders subscribe to everything before it happens. */
async function listen(): Promise<Conversation[]> {
  const all: Conversation[] = [];
  for (const at of STRANGERS) {
    for (const talk of (await conversations(at)).slice(1)) {
      for (const [name, choices] of Object.entries(SUBSCRIPTION_PROBES)) {
        const [namespace, kind] = name.split(' ');
        for (const params of choices) await talk.ask(`${namespace}_subscribe`, [kind, ...params]);
      }
      all.push(talk);
    }
  }
  return all;
}

const probe = (talk: Conversation) => probeEveryMethod(talk, targets, ALL);

it('shows nothing to outsiders by any method over any transport', async () => {
  readByThreads.clear();
  for (const at of STRANGERS) {
    const all = await conversations(at);
    for (const talk of at === STRANGERS[0] ? all : all.slice(2)) {
      expect([at, talk.transport, await probe(talk)]).toEqual([at, talk.transport, []]);
      talk.close();
    }
  }
  // Long requests were answered by reader threads.
  const traces = TRACING_METHODS.filter((name) => name.startsWith('debug_'));
  expect([...readByThreads]).toEqual(expect.arrayContaining(['eth_getLogs', ...traces]));
});

it('shows everything to parties by some method, which proves that the search works', async () => {
  const talk = (await conversations(PARTY))[2]!;
  const shown = await probe(talk);
  talk.close();
  const names = new Set(shown.map((each) => each.split(' ')[0]));
  expect([...names].sort()).toEqual(FOUND_BY_PARTIES.map(({ name }) => name).sort());
  for (const method of [
    ...['eth_getCode', 'eth_getStorageAt', 'eth_call', 'eth_getLogs'],
    ...['eth_getTransactionReceipt', 'eth_getQuorumPayload', 'eth_getLedgerPayload'],
    ...['eth_getQuorumPayloadExtra', 'eth_decryptQuorumPayload'],
    'eth_getPrivateTransactionReceipt',
    ...['debug_traceTransaction', 'debug_traceBlockByNumber', 'debug_traceCall'],
    'debug_dumpAddress',
    'priv_call',
    'priv_getTransactionReceipt',
    'priv_getPrivateTransaction',
  ]) {
    expect(
      shown.some((each) => each.endsWith(` by ${method}`)),
      method,
    ).toBe(true);
  }
});

/** Over IPC, which has every namespace. */
async function traced(at: number): Promise<string[]> {
  const all = await conversations(at);
  const shown = await traceEverything(all[2]!, targets, everybodys, ALL);
  for (const each of all) each.close();
  return shown;
}

it('shows nothing to outsiders by any tracer or tracing script, in reader threads', async () => {
  readByThreads.clear();
  expect(await traced(STRANGERS[0]!)).toEqual([]);
  expect([...readByThreads]).toEqual(expect.arrayContaining([...TRACING_METHODS]));
});

it('shows to parties by tracing everything that was mined, which proves that the search works', async () => {
  const shown = await traced(PARTY);
  // The constructor argument of the EEA contract: its deployment is not among the targets.
  const found = FOUND_BY_PARTIES.filter(({ name }) => name !== 'eeaargument');
  // A call only shows the present state.
  for (const method of TRACING_METHODS.filter((name) => name !== 'debug_traceCall'))
    expect(shown).toEqual(expect.arrayContaining(found.map(({ name }) => `${name} by ${method}`)));
  expect(shown).toEqual(
    expect.arrayContaining(
      ['argument', 'returned', 'marked', 'eeastored'].map((name) => `${name} by debug_traceCall`),
    ),
  );
});

it('shows nothing to outsiders by GraphQL, and to parties everything that was mined', async () => {
  const shownAt = async (at: number) => {
    const shown = new Set<string>();
    for (const query of targets.flatMap(graphqlAsks)) {
      const asked = { method: 'POST', body: JSON.stringify({ query }) };
      const answer = await (await fetch(`${net.rpc[at]!.url}/graphql`, asked)).text();
      for (const name of canariesIn(ALL, answer)) shown.add(name);
    }
    return [...shown].sort();
  };
  for (const at of STRANGERS) expect([at, await shownAt(at)]).toEqual([at, []]);
  const found = FOUND_BY_PARTIES.filter((each) => !EEA.includes(each)).map(({ name }) => name);
  expect(await shownAt(PARTY)).toEqual(expect.arrayContaining(found));
});

it('sends nothing of it to a collector of traces, from any process', async () => {
  const traced = () => collector.spans.filter(({ name }) => name === 'private receipt');
  const services = () => new Set(traced().map(({ service }) => service));
  await until('all nodes trace private transactions', () => services().size === 4);
  const sent = collector.bodies.join('\n');
  expect(canariesIn(ALL, sent)).toEqual([]);
  expect(net.keys.filter((key) => sent.includes(key))).toEqual([]);
});

it('shows nothing to outsiders who subscribed before', () => {
  for (const { heard } of listeners) {
    expect(heard.length).toBeGreaterThan(4);
    expect(canariesIn(ALL, heard.join('\n'))).toEqual([]);
  }
});

it('finds only public logs by filters of outsiders, which reader threads search', async () => {
  const addresses = [everybodys.contract, ...targets.map(({ contract }) => contract)];
  for (const at of [PARTY, ...STRANGERS]) {
    readByThreads.clear();
    for (const address of [undefined, addresses]) {
      const query = { fromBlock: '0x0', toBlock: 'latest', ...(address ? { address } : {}) };
      const filter = await net.rpc[at]!.call('eth_newFilter', query);
      const found = JSON.stringify(await net.rpc[at]!.call('eth_getFilterLogs', filter));
      expect(canariesIn([open, openTopic], found)).toContain(openTopic.name);
      expect(canariesIn(ALL, found).length > 0).toBe(at === PARTY);
    }
    expect(readByThreads).toContain('logs');
  }
});

it('sends nothing to peers', () => {
  expect(frames.length).toBeGreaterThan(50);
  expect(canariesIn(ALL, frames.join('\n'))).toEqual([]);
});

it("gives nothing at the managers' ports for peers: resend in every mode, party info, challenges", async () => {
  const hashes = targets.map(({ payload }) => Buffer.from(payload.slice(2), 'hex'));
  const own = [0, 1, 2, 3].map((at) => managerUrl(net, at, 'P2P'));
  for (const url of own) {
    const ask = async (path: string, body?: object) => {
      const headers = { 'content-type': 'application/json' };
      const posted = body && { method: 'POST', headers, body: JSON.stringify(body) };
      const answer = await fetch(`${url}/${path}`, posted);
      return { status: answer.status, bytes: Buffer.from(await answer.arrayBuffer()) };
    };
    const refusals = new Set<string>();
    for (const publicKey of net.keys) {
      for (const hash of [...hashes, Buffer.alloc(64, 7)]) {
        const key = hash.toString('base64');
        const { status, bytes } = await ask('resend', { type: 'INDIVIDUAL', publicKey, key });
        refusals.add(`${status} ${bytes}`);
      }
      for (const [path, body] of [
        ['resend', { type: 'ALL', publicKey }],
        ['resendBatch', { publicKey, batchSize: 100 }],
      ] as const) {
        const { bytes } = await ask(path, body);
        expect(canariesIn(ALL, bytes.toString('latin1'))).toEqual([]);
        for (const hash of hashes) {
          for (const form of [hash, Buffer.from(hash.toString('base64'))]) {
            expect(bytes.includes(form)).toBe(false);
          }
        }
      }
    }
    // The same text, whether the manager has the payload or not, and whoever owns it.
    expect(refusals.size).toBe(1);
    for (const path of ['partyinfo', 'metrics', 'health', 'version', 'upcheck']) {
      expect(canariesIn(ALL, (await ask(path)).bytes.toString('latin1'))).toEqual([]);
    }
    const info = { url: 'http://127.0.0.1:1/', peers: [], keys: [], parties: [] };
    for (const [path, body] of [
      ['partyinfo', info],
      ['partyinfo/validate', { publicKey: net.keys[0], ...info }],
      ['shared', { publicKey: net.keys[0], prefix: '' }],
      ['roots', { publicKey: net.keys[0] }],
      ['digests', { publicKey: net.keys[0] }],
    ] as const) {
      const answer = (await ask(path, body)).bytes.toString('latin1');
      expect(canariesIn(ALL, answer)).toEqual([]);
      for (const hash of hashes) expect(answer).not.toContain(hash.toString('base64'));
    }
  }
});

/**
 * The caller proves the key of a manager on the network: it still does not get what that manager is
 * not party to.
 */
it('gives nothing to a member that is not a party and proves its own key: resend in every mode, digests and roots', async () => {
  const [member] = STRANGERS as [number];
  const keyFile = readFileSync(join(net.folder, `ptm${member + 1}`, 'tm.key'), 'utf8');
  const privateKey = (JSON.parse(keyFile) as { data: { bytes: string } }).data.bytes;
  const holder = { publicKey: net.keys[member]!, privateKey };
  const payloads = targets.map(({ payload }) => Buffer.from(payload.slice(2), 'hex'));
  const ours = { tesseraSupportedApiVersions: 'v1,v2,2.1,3.0,4.0,5.0,quorate-1' };
  for (const at of [PARTY, 1]) {
    const manager = { p2pUrl: managerUrl(net, at, 'P2P'), publicKeys: [net.keys[at]!] };
    const ask = async (path: string, body: object) => {
      const { status, bytes } = await postProven(manager, path, body, holder, ours);
      const text = Buffer.from(bytes).toString('latin1');
      expect(canariesIn(ALL, text)).toEqual([]);
      for (const payload of payloads) {
        for (const form of ['latin1', 'base64', 'hex'] as const)
          expect(text.includes(payload.toString(form))).toBe(false);
      }
      return { status, text };
    };
    const { publicKey } = holder;
    const refusals = new Set<string>();
    for (const payload of payloads) {
      const key = payload.toString('base64');
      const { status, text } = await ask('/resend', { type: 'INDIVIDUAL', publicKey, key });
      refusals.add(`${status} ${text.replaceAll(key, 'HASH')}`);
    }
    expect([...refusals].every((each) => !each.startsWith('200'))).toBe(true);
    expect(await ask('/resend', { type: 'ALL', publicKey })).toEqual({ status: 200, text: '' });
    const batch = await ask('/resendBatch', { publicKey, batchSize: 100 });
    expect(batch.status === 200 ? JSON.parse(batch.text) : { total: 0 }).toEqual({ total: 0 });
    expect(await ask('/shared', { publicKey, prefix: '' })).toEqual({
      status: 200,
      text: '{"hashes":[]}',
    });
    expect(await ask('/roots', { publicKey })).toEqual({ status: 200, text: '{"roots":[]}' });
    expect(await ask('/digests', { publicKey })).toEqual({ status: 200, text: '{"digests":[]}' });
    for (const foreign of net.keys.filter((key) => key !== publicKey)) {
      for (const [path, body] of [
        ['/shared', { publicKey: foreign, prefix: '' }],
        ['/roots', { publicKey: foreign }],
        ['/digests', { publicKey: foreign }],
        [
          '/resend',
          { type: 'INDIVIDUAL', publicKey: foreign, key: payloads[0]!.toString('base64') },
        ],
      ] as const) {
        expect((await ask(path, body)).status).toBe(401);
      }
    }
  }
  // The result of the comparison by the member's own manager, which its node reads.
  for (const path of ['/comparison', '/comparison/run']) {
    const headers = { 'content-type': 'application/json' };
    const found = await fetch(managerUrl(net, member, 'Q2T') + path, {
      method: 'POST',
      headers,
      body: '{}',
    });
    expect(await found.json()).toMatchObject({ missing: [], differing: [] });
  }
});

/** `quorate db` on the folder of a node that is stopped, with its manager running. */
async function db(action: string, at: number): Promise<string> {
  const q2t = managerUrl(net, at, 'Q2T');
  const folder = join(net.folder, `node${at + 1}`);
  const args = [MAIN, 'db', action, '--datadir', folder, '--ptm.url', q2t];
  const { stdout, stderr } = await promisify(execFile)(process.execPath, args);
  return stdout + stderr;
}

it('shows nothing in checks and repairs of private state: to outsiders not even the hashes', async () => {
  for (const at of [PARTY, STRANGERS[0]!]) {
    await net.devnet.process(`node${at + 1}`).stop();
    for (const action of ['private-check', 'private-repair']) {
      const said = await db(action, at);
      expect(said).toContain('Private state matches its payloads.');
      expect(canariesIn(ALL, said)).toEqual([]);
      for (const { payload } of targets) {
        const hash = Buffer.from(payload.slice(2), 'hex');
        for (const form of ['hex', 'base64'] as const)
          expect(said).not.toContain(hash.toString(form));
      }
    }
    await net.devnet.restart(`node${at + 1}`);
  }
  for (const at of STRANGERS) {
    for (const { contract, hash } of targets) {
      expect(await net.rpc[at]!.call('eth_getCode', contract, 'latest')).toBe('0x');
      const told = await net.rpc[at]!.call<any>('admin_privateTransaction', hash);
      expect(told).toMatchObject({ standing: 'notHeld', digests: [] });
      const states = await net.rpc[at]!.call('admin_privateContract', contract);
      expect(states).toEqual({ states: [] });
    }
  }
});

it('shows nothing on the pages besides the API', async () => {
  for (const { url } of net.rpc) {
    for (const page of ['/health', '/readiness', '/openrpc.json', '/metrics', '/debug/metrics']) {
      expect(canariesIn(ALL, await (await fetch(url + page)).text())).toEqual([]);
    }
  }
  for (const { ptm } of net.devnet.description.nodes) {
    const figures = await (await fetch(`${ptm.thirdParty}/metrics`)).text();
    expect(figures).toMatch(/^tessera_Q2T_POST_send_SendRequest_RequestCount /m);
    expect(canariesIn(ALL, figures)).toEqual([]);
    for (const key of net.keys) expect(figures).not.toContain(key.slice(0, 8));
  }
});

it('leaves nothing in the files of outsiders, in any log, or unencrypted at a manager', async () => {
  await net.devnet.stop();
  const folders = [
    ...STRANGERS.map((at) => `node${at + 1}`),
    ...[1, 2, 3, 4].map((n) => `ptm${n}`),
  ];
  for (const name of folders) expect(canariesInFiles(ALL, join(net.folder, name))).toEqual([]);
  // The chain store of a party holds its private state; its log does not.
  const isStore = (found: string) => /\/node[12]\/quorate\//.test(found);
  const found = canariesInFiles(ALL, net.folder);
  expect(found.filter(isStore).length).toBeGreaterThan(0);
  expect(found.filter((each) => !isStore(each))).toEqual([]);
  const logs = readdirSync(net.folder, { recursive: true }).map(String);
  expect(logs.filter((name) => /^(.*\/)?(node|ptm)\d\.log$/.test(name)).length).toBeGreaterThan(3);
});

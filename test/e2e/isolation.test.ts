/**
 * What is private to two nodes of four shows to none of the others: every method of the table and every subscription over
 * HTTP, WebSocket and IPC, what peers send each other, logs, and the files of the others' nodes and managers. The parties'
 * probes show all of it, so that the search is known to find.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Transaction, Wallet } from 'ethers';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { toHex } from '../../src/core/base/hex.ts';
import { partyGroup } from '../../src/core/privacy/eea.ts';
import { P2pServer } from '../../src/io/p2p/server.ts';
import { type Conversation, overHttp, overIpc, overWebSocket } from '../support/callers.ts';
import {
  type Canary,
  canariesIn,
  canariesInFiles,
  canary,
  canaryContract,
} from '../support/canaries.ts';
import {
  type RpcReceipt,
  startTestDevnet,
  type TestDevnet,
  untilBlock,
  untilMined,
} from '../support/devnet.ts';
import { signEea } from '../support/eea.ts';
import {
  sealEnvelope,
  sendPrivate,
  signPrivate,
  storeRaw,
} from '../support/private-transactions.ts';
import {
  graphqlAsks,
  probeEveryMethod,
  SUBSCRIPTION_PROBES,
  type Target,
} from '../support/probes.ts';
import { postProven } from '../support/ptm.ts';

const PARTY = 0;
const STRANGERS = [2, 3];
const PRECOMPILE = '0x000000000000000000000000000000000000007a';

const argument = canary('argument');
const returned = canary('returned');
const stored = canary('stored');
const topic = canary('topic');
const reverted = canary('reverted');
const marked = canary('marked');
const markedTopic = canary('markedtopic');
const refused = canary('refused');
const eeaArgument = canary('eeaargument');
const eeaStored = canary('eeastored');
const eeaTopic = canary('eeatopic');
const EEA = [eeaArgument, eeaStored, eeaTopic];
const FOUND_BY_PARTIES = [argument, returned, stored, topic, reverted, marked, markedTopic, ...EEA];
const ALL: readonly Canary[] = [...FOUND_BY_PARTIES, refused];

let net: TestDevnet;
let frames: string[];
let listeners: Conversation[];
let targets: Target[];

beforeAll(async () => {
  frames = [];
  const send = P2pServer.prototype.send;
  vi.spyOn(P2pServer.prototype, 'send').mockImplementation(function (this: P2pServer, to, message) {
    frames.push(Buffer.from(message.bytes).toString('latin1'));
    return send.call(this, to, message);
  });
  net = await startTestDevnet({ verbosity: 5 });
  listeners = await listen();
  targets = await privateHistory();
});

afterAll(async () => {
  for (const each of listeners ?? []) each.close();
  await net?.close();
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

/** Strangers subscribe to everything before it happens. */
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

function input(...words: Canary[]): string {
  return `0x${words.map(({ hex }) => hex).join('')}`;
}

/** A contract made, called, called in vain, and called inside a marker; and a send that is refused. */
async function privateHistory(): Promise<Target[]> {
  const creation = await sendPrivate(net, { data: canaryContract(argument, returned) }, [1]);
  const contract = (await untilMined(net.rpc[PARTY]!, creation)).contractAddress!;
  const hashes = [creation];
  for (const data of [input(stored, topic), input(reverted, topic, reverted)]) {
    hashes.push(await sendPrivate(net, { to: contract, data }, [1]));
  }
  hashes.push(await sendMarked(contract));
  const unknown = Buffer.alloc(32, 7).toString('base64');
  const { address: from } = net.accounts[0]!;
  await expect(
    net.rpc[PARTY]!.call('eth_sendTransaction', {
      from,
      to: contract,
      data: input(refused),
      gas: '0x100000',
      privateFor: [unknown],
    }),
  ).rejects.toThrow();
  const all: Target[] = [];
  for (const hash of hashes) all.push(await targetOf(hash, contract));
  all.push(await eeaHistory());
  for (const rpc of net.rpc) await untilBlock(rpc, Number(all.at(-1)!.blockNumber));
  return all;
}

/** Signed elsewhere: the inner transaction goes to the parties, a marker to the chain. */
async function sendMarked(contract: string): Promise<string> {
  const rpc = net.rpc[PARTY]!;
  const { address, privateKey } = net.accounts[1]!;
  const nonce = Number(await rpc.call('eth_getTransactionCount', address, 'pending'));
  const payload = await storeRaw(net, PARTY, input(marked, markedTopic));
  const inner = signPrivate(privateKey, { nonce, to: contract, data: payload });
  const privateFor = [net.keys[1]];
  const data = await rpc.call('eth_distributePrivateTransaction', inner, { privateFor });
  const marker = Transaction.from({
    ...{ type: 0, chainId: 1337, gasPrice: 0, gasLimit: 100_000 },
    ...{ nonce, to: PRECOMPILE, data },
  });
  const signed = await new Wallet(privateKey).signTransaction(marker);
  return rpc.call('eth_sendRawTransaction', signed);
}

/** An EEA contract of the two parties, made and called. */
async function eeaHistory(): Promise<Target> {
  const rpc = net.rpc[PARTY]!;
  const keys = net.keys.slice(0, 2).map((key) => Uint8Array.from(Buffer.from(key, 'base64')));
  const send = async (fields: object) => {
    const raw = signEea({ privateFrom: keys[0]!, to: [keys[1]!], ...fields });
    const hash = await rpc.call<string>('eea_sendRawTransaction', toHex(raw));
    await untilMined(rpc, hash);
    return { hash, made: await rpc.call<any>('priv_getTransactionReceipt', hash) };
  };
  const created = await send({ data: canaryContract(eeaArgument, returned) });
  const contract = created.made.contractAddress;
  const called = await send({ nonce: 1, contract, data: input(eeaStored, eeaTopic) });
  expect([created.made.status, called.made.status]).toEqual(['0x1', '0x1']);
  const group = Buffer.from(partyGroup(keys)).toString('base64');
  const groupKeys = [net.keys[0]!, [net.keys[1]!]] as const;
  return {
    ...(await targetOf(called.hash, contract)),
    ...{ from: called.made.from, group, groupKeys },
  };
}

async function targetOf(hash: string, contract: string): Promise<Target> {
  const rpc = net.rpc[PARTY]!;
  const { blockNumber, blockHash }: RpcReceipt = await untilMined(rpc, hash);
  const transaction = await rpc.call<{ input: string; from: string }>(
    'eth_getTransactionByHash',
    hash,
  );
  return {
    hash,
    blockNumber,
    blockHash,
    blockRlp: await rpc.call('debug_getRawBlock', blockNumber),
    contract,
    payload: transaction.input,
    raw: await rpc.call('eth_getRawTransactionByHash', hash),
    from: transaction.from,
    envelope: await sealedFor(PARTY),
    management: contract,
    filter: await rpc.call('eth_newFilter', { fromBlock: '0x0' }),
  };
}

/** Encrypted by the party's manager for its own key alone. */
async function sealedFor(at: number): Promise<string> {
  const config = readFileSync(join(net.folder, `ptm${at + 1}`, 'config.json'), 'utf8');
  const { serverConfigs } = JSON.parse(config);
  const q2t = serverConfigs.find(({ app }: { app: string }) => app === 'Q2T').serverAddress;
  return sealEnvelope(q2t, argument.hex);
}

const probe = (talk: Conversation) => probeEveryMethod(talk, targets, ALL);

it('shows nothing to strangers by any method over any transport', async () => {
  for (const at of STRANGERS) {
    const all = await conversations(at);
    for (const talk of at === STRANGERS[0] ? all : all.slice(2)) {
      expect([at, talk.transport, await probe(talk)]).toEqual([at, talk.transport, []]);
      talk.close();
    }
  }
});

it('shows everything to parties by some method, so that the search is known to find', async () => {
  const talk = (await conversations(PARTY))[2]!;
  const shown = await probe(talk);
  talk.close();
  const names = new Set(shown.map((each) => each.split(' ')[0]));
  expect([...names].sort()).toEqual(FOUND_BY_PARTIES.map(({ name }) => name).sort());
  for (const method of [
    'eth_getCode',
    'eth_getStorageAt',
    'eth_call',
    'eth_getLogs',
    'eth_getTransactionReceipt',
    'eth_getQuorumPayload',
    'eth_getLedgerPayload',
    'eth_getQuorumPayloadExtra',
    'eth_decryptQuorumPayload',
    'eth_getPrivateTransactionReceipt',
    'debug_traceTransaction',
    'debug_traceBlockByNumber',
    'debug_traceCall',
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

it('shows nothing to strangers by GraphQL, and everything to parties but what was never mined', async () => {
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

it('shows nothing to strangers who subscribed before', () => {
  for (const { heard } of listeners) {
    expect(heard.length).toBeGreaterThan(4);
    expect(canariesIn(ALL, heard.join('\n'))).toEqual([]);
  }
});

it('sends nothing to peers', () => {
  expect(frames.length).toBeGreaterThan(50);
  expect(canariesIn(ALL, frames.join('\n'))).toEqual([]);
});

it('gives nothing at the ports between managers: resend in every mode, party info, challenges', async () => {
  const hashes = targets.map(({ payload }) => Buffer.from(payload.slice(2), 'hex'));
  const own = [0, 1, 2, 3].map((at) => {
    const config = readFileSync(join(net.folder, `ptm${at + 1}`, 'config.json'), 'utf8');
    const { serverConfigs } = JSON.parse(config);
    return serverConfigs.find(({ app }: { app: string }) => app === 'P2P').serverAddress as string;
  });
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
    // Held or not, theirs or not: the same words.
    expect(refusals.size).toBe(1);
    for (const path of ['partyinfo', 'metrics', 'health', 'version', 'upcheck']) {
      expect(canariesIn(ALL, (await ask(path)).bytes.toString('latin1'))).toEqual([]);
    }
  }
});

/** With the keys of a manager that its operator has: what it is not party to it does not get either. */
it('gives nothing to a member that proves its own key: resend in every mode, digests and roots', async () => {
  const addressOf = (at: number, app: string): string => {
    const config = readFileSync(join(net.folder, `ptm${at + 1}`, 'config.json'), 'utf8');
    const { serverConfigs } = JSON.parse(config) as {
      serverConfigs: { app: string; serverAddress: string }[];
    };
    return serverConfigs.find((each) => each.app === app)!.serverAddress;
  };
  const [member] = STRANGERS as [number];
  const keyFile = readFileSync(join(net.folder, `ptm${member + 1}`, 'tm.key'), 'utf8');
  const privateKey = (JSON.parse(keyFile) as { data: { bytes: string } }).data.bytes;
  const holder = { publicKey: net.keys[member]!, privateKey };
  const payloads = targets.map(({ payload }) => Buffer.from(payload.slice(2), 'hex'));
  const ours = { tesseraSupportedApiVersions: 'v1,v2,2.1,3.0,4.0,5.0,quorate-1' };
  for (const at of [PARTY, 1]) {
    const manager = { p2pUrl: addressOf(at, 'P2P'), publicKeys: [net.keys[at]!] };
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
    for (const foreign of net.keys.filter((key) => key !== publicKey)) {
      for (const [path, body] of [
        ['/shared', { publicKey: foreign, prefix: '' }],
        ['/roots', { publicKey: foreign }],
        [
          '/resend',
          { type: 'INDIVIDUAL', publicKey: foreign, key: payloads[0]!.toString('base64') },
        ],
      ] as const) {
        expect((await ask(path, body)).status).toBe(401);
      }
    }
  }
  // What the member's own manager has found out, and tells its node.
  for (const path of ['/comparison', '/comparison/run']) {
    const headers = { 'content-type': 'application/json' };
    const found = await fetch(addressOf(member, 'Q2T') + path, {
      method: 'POST',
      headers,
      body: '{}',
    });
    expect(await found.json()).toMatchObject({ missing: [], differing: [] });
  }
});

it('leaves nothing on the pages beside the API', async () => {
  for (const { url } of net.rpc) {
    for (const page of ['/health', '/ready', '/metrics', '/debug/metrics']) {
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

it('leaves nothing in the files of strangers, in any log, or in clear at a manager', async () => {
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

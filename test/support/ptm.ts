/**
 * Managers for tests: real ones on loopback, with keys generated here, and payloads in memory
 * unless a store or database is given.
 */

import { type AddressInfo, createServer } from 'node:net';
import type { Kv } from '../../src/core/base/ports.ts';
import { loadEnclaveCrypto } from '../../src/io/sodium/nacl.ts';
import { MemoryKv } from '../../src/io/storage/memory-kv.ts';
import type { PtmConfig } from '../../src/services/ptm/config/ptm-config.ts';
import { Enclave } from '../../src/services/ptm/manager/enclave.ts';
import { Proofs } from '../../src/services/ptm/manager/proofs.ts';
import { type PtmHost, type RunningPtm, startPtm } from '../../src/services/ptm/start.ts';

export interface TestKey {
  readonly publicKey: string;
  readonly privateKey: string;
}

/** Deterministic: the same number gives the same key. */
export async function testKey(number: number): Promise<TestKey> {
  const crypto = await loadEnclaveCrypto();
  const secret = crypto.digest(Uint8Array.of(number, 0x51)).slice(0, 32);
  return {
    publicKey: Buffer.from(crypto.publicKey(secret)).toString('base64'),
    privateKey: Buffer.from(secret).toString('base64'),
  };
}

export interface TestPtm extends RunningPtm {
  readonly key: string;
  readonly config: PtmConfig;
}

export async function testPtm(
  number: number,
  peers: readonly string[],
  overrides: Partial<PtmConfig> &
    Pick<PtmHost, 'tracing'> & { kv?: Kv; p2pPort?: number; q2tPath?: string } = {},
): Promise<TestPtm> {
  const { p2pPort = 0, q2tPath, tracing, ...rest } = overrides;
  const kv = overrides.kv ?? (overrides.database ? undefined : new MemoryKv());
  const { publicKey, privateKey } = await testKey(number);
  const tcp = { kind: 'tcp', host: '127.0.0.1', port: 0 } as const;
  const q2t = q2tPath === undefined ? tcp : ({ kind: 'unix', path: q2tPath } as const);
  const config: PtmConfig = {
    dataFolder: '',
    servers: [
      { app: 'P2P', address: { ...tcp, port: p2pPort }, advertised: undefined },
      { app: 'Q2T', address: q2t, advertised: undefined },
      { app: 'ThirdParty', address: tcp, advertised: undefined },
    ],
    peers,
    discovery: true,
    keys: [{ kind: 'inline', publicKey, privateKey, password: { line: 0 } }],
    alwaysSendTo: [],
    enhancements: true,
    multiplePrivateStates: true,
    discoverInternal: 'all',
    unprovenPeers: 'deliver',
    unknownSenderBytesPerDay: 2 ** 30,
    residentGroups: [],
    partyInfoIntervalMs: 50,
    ...rest,
  };
  const running = await startPtm(config, { tracing, ...(kv ? { kv } : {}) });
  return { ...running, key: publicKey, config };
}

/** Long, because a busy machine is slow. */
const PATIENCE_MS = 100_000;

/** Waits until `check` holds, without a fixed sleep. */
export async function until(check: () => boolean | Promise<boolean>, what: string): Promise<void> {
  const end = Date.now() + PATIENCE_MS;
  while (!(await check())) {
    if (Date.now() > end) throw new Error(`never happened: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

/** Waits until `ptm` knows the URL of each key. */
export async function untilKnown(ptm: TestPtm, ...keys: readonly string[]): Promise<void> {
  await until(async () => {
    const info = (await (await fetch(`${ptm.p2pUrl}/partyinfo`)).json()) as {
      keys: { key: string }[];
    };
    return keys.every((key) => info.keys.some((one) => one.key === key));
  }, `${ptm.p2pUrl} knows its peers`);
}

/** A URL on loopback where nobody listens. */
export async function deadUrl(): Promise<string> {
  const server = createServer();
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const { port } = server.address() as AddressInfo;
  await new Promise((done) => server.close(done));
  return `http://127.0.0.1:${port}/`;
}

/**
 * Posts as our manager with this key does: sends the request again with a proof when the peer asks
 * for one.
 */
export async function postProven(
  at: Pick<TestPtm, 'p2pUrl' | 'publicKeys'>,
  path: string,
  value: object,
  holder: TestKey,
  headers: Record<string, string> = {},
): Promise<{ status: number; bytes: Uint8Array }> {
  const body = new Uint8Array(Buffer.from(JSON.stringify(value)));
  const ask = async (more: Record<string, string>) => {
    const all = { 'content-type': 'application/json', ...headers, ...more };
    return fetch(at.p2pUrl + path, { method: 'POST', headers: all, body: body as never });
  };
  let answer = await ask({});
  const challenge = answer.headers.get('quorate-challenge');
  if (answer.status === 401 && challenge !== null) {
    const proofs = await proofsOf(holder);
    const key = new Uint8Array(Buffer.from(holder.publicKey, 'base64'));
    const askers = at.publicKeys.map((one) => new Uint8Array(Buffer.from(one, 'base64')));
    const proof = proofs.answer(challenge, key, askers, { path, body });
    if (proof !== undefined) answer = await ask({ 'quorate-proof': proof });
  }
  return { status: answer.status, bytes: new Uint8Array(await answer.arrayBuffer()) };
}

async function proofsOf({ publicKey, privateKey }: TestKey): Promise<Proofs> {
  const crypto = await loadEnclaveCrypto();
  const decode = (text: string) => new Uint8Array(Buffer.from(text, 'base64'));
  const keys = [{ publicKey: decode(publicKey), secretKey: decode(privateKey) }];
  const entropy = { bytes: (length: number) => new Uint8Array(length).fill(1) };
  const enclave = new Enclave({ keys, forwardingKeys: [], crypto, entropy });
  return new Proofs({ enclave, crypto, entropy, clock: { nowMs: () => 0 } });
}

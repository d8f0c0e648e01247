/** Managers for tests: real ones on loopback, keys made up here, payloads in memory unless a store or database is given. */

import type { Kv } from '../../src/core/ports.ts';
import { loadEnclaveCrypto } from '../../src/io/sodium/nacl.ts';
import { MemoryKv } from '../../src/io/storage/memory-kv.ts';
import type { PtmConfig } from '../../src/services/ptm/options.ts';
import { type RunningPtm, startPtm } from '../../src/services/ptm/start.ts';

export interface TestKey {
  readonly publicKey: string;
  readonly privateKey: string;
}

/** Deterministic: the same number, the same key. */
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
  overrides: Partial<PtmConfig> & { kv?: Kv; p2pPort?: number; q2tPath?: string } = {},
): Promise<TestPtm> {
  const { p2pPort = 0, q2tPath, ...rest } = overrides;
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
    validateKeys: false,
    residentGroups: [],
    partyInfoIntervalMs: 50,
    ...rest,
  };
  const running = await startPtm(config, kv ? { kv } : {});
  return { ...running, key: publicKey, config };
}

/** Waits until `check` holds, without a fixed sleep. */
export async function until(check: () => boolean | Promise<boolean>, what: string): Promise<void> {
  const end = Date.now() + 20_000;
  while (!(await check())) {
    if (Date.now() > end) throw new Error(`never happened: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

/** Waits until `ptm` knows where each key is. */
export async function untilKnown(ptm: TestPtm, ...keys: readonly string[]): Promise<void> {
  await until(async () => {
    const info = (await (await fetch(`${ptm.p2pUrl}/partyinfo`)).json()) as {
      keys: { key: string }[];
    };
    return keys.every((key) => info.keys.some((one) => one.key === key));
  }, `${ptm.p2pUrl} knows its peers`);
}

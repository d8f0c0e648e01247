/**
 * One node with two tenants, PS1 and PS2, identified by their access tokens. The node, its manager
 * and the tokens are real.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { exportJWK, generateKeyPair, SignJWT } from 'jose';
import { toHex } from '../../src/core/base/hex.ts';
import { addressOfSecretKey } from '../../src/core/base/secp256k1.ts';
import { genesisFromJson } from '../../src/core/chain/genesis.ts';
import { residentPrivateStates } from '../../src/core/privacy/private-states.ts';
import { installCrypto } from '../../src/io/crypto/crypto.ts';
import { resolveManagerConfig } from '../../src/io/ptm-client/config.ts';
import { connectManager } from '../../src/io/ptm-client/connect.ts';
import { devnetGenesis } from '../../src/services/devnet/genesis.ts';
import type { ServedApi } from '../../src/services/ledger/serve.ts';
import { type TestPtm, testKey, testPtm } from './ptm.ts';
import { type RpcNode, rpcNode } from './rpc-node.ts';

const VALIDATOR = new Uint8Array(32).fill(7);
const ACCOUNT = new Uint8Array(32).fill(9);

export interface Tenants {
  readonly ptm: TestPtm;
  readonly node: RpcNode;
  readonly api: ServedApi;
  /** The manager keys of PS1 and PS2, at index 0 and 1. */
  readonly keys: readonly string[];
  /** The node's account: funded and unlocked. */
  readonly from: string;
  /** A token for every method, with these additional scopes. */
  token(...scopes: string[]): Promise<string>;
  close(): Promise<void>;
}

/** `argv`: additional flags of the node; it always requires tokens. */
export async function startTenants(argv: readonly string[]): Promise<Tenants> {
  await installCrypto();
  const folder = mkdtempSync(join(tmpdir(), 'quorate-tenants-'));
  const keys = await Promise.all([1, 2].map(testKey));
  const residentGroups = keys.map(({ publicKey }, index) => ({
    name: `PS${index + 1}`,
    description: '',
    members: [publicKey],
  }));
  const ptm = await testPtm(1, [], {
    residentGroups,
    keys: keys.map((key) => ({ kind: 'inline', ...key, password: { line: 0 } })),
  });
  const manager = await connectManager(resolveManagerConfig('ignore', { 'ptm.url': ptm.q2tUrl! }), {
    say: () => {},
  });
  const { privateKey, publicKey } = await generateKeyPair('ES256');
  const keySet = join(folder, 'keys.json');
  writeFileSync(keySet, JSON.stringify({ keys: [await exportJWK(publicKey)] }));
  const node = await rpcNode({
    genesis: genesis(),
    secretKey: VALIDATOR,
    isMining: true,
    manager,
    privateStates: residentPrivateStates(await manager.groups()),
    argv: ['--rpc.auth.keys', keySet, '--multitenancy', ...argv],
  });
  const from = toHex(await node.accounts.importKey(ACCOUNT, 'test'));
  await node.accounts.unlock(addressOfSecretKey(ACCOUNT), 'test', 0);
  const api = await node.serve();
  return {
    ...{ ptm, node, api, from },
    keys: keys.map((key) => key.publicKey),
    token: (...scopes) =>
      new SignJWT({ scope: ['rpc://*_*', ...scopes].join(' ') })
        .setProtectedHeader({ alg: 'ES256' })
        .setExpirationTime('6h')
        .sign(privateKey),
    async close() {
      await api.close();
      await node.close();
      await ptm.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

function genesis() {
  const parts = {
    consensus: 'qbft',
    nodes: [{ address: toHex(addressOfSecretKey(VALIDATOR)) }],
    funded: [toHex(addressOfSecretKey(ACCOUNT))],
  } as const;
  const periods = { blockPeriodSeconds: 1, emptyBlockPeriodSeconds: 0 };
  const made = devnetGenesis(parts, periods) as { config: object };
  return genesisFromJson({ ...made, config: { ...made.config, isMPS: true } } as never);
}

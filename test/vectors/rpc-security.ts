/**
 * Recorded answers of a node that requires access tokens. The recorded tokens belonged to a test
 * plugin (`Bearer <scopes>`); here each becomes a signed JWT with the same scopes, which the real
 * code verifies.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { exportJWK, generateKeyPair, SignJWT } from 'jose';
import { WebSocket } from 'ws';
import { fromHex } from '../../src/core/base/hex.ts';
import { decodeBlock } from '../../src/core/chain/block.ts';
import type { ServedApi } from '../../src/services/ledger/serve.ts';
import { ALL_APIS, rpcNode } from '../support/rpc-node.ts';
import { filesBelow, OWN_VECTORS, readJson } from './folders.ts';
import { genesisOf, readBlocks } from './goquorum-blocks.ts';
import type { VectorKind } from './kind.ts';
import { askOverHttp } from './rpc-wire.ts';

interface Case {
  readonly name: string;
  readonly authorization: string | null;
  readonly headers?: Readonly<Record<string, string>>;
  readonly path?: string;
  readonly request: unknown;
  readonly status?: number;
  readonly contentType?: string | null;
  /** For a request over HTTP. */
  readonly body?: string;
  /** For a message over WebSocket. */
  readonly message?: string;
}

const RECORDED_HEAD = 3;

export const rpcSecurity: VectorKind = {
  name: 'rpc-security',
  find: (root) =>
    filesBelow(join(root, 'goquorum/rpcsec'), (path) => /\/(http|websocket)\.json$/.test(path)),
  run: async (path, report) => {
    const guarded = await guardedNode();
    try {
      const cases: Case[] = readJson(path);
      for (const each of cases) {
        const isWebSocket = each.message !== undefined;
        const fault = await (isWebSocket ? webSocketFault : httpFault)(guarded, each);
        if (fault === undefined) report.pass(each.name);
        else report.fail(`${path.slice(dirname(path).length + 1)}: ${each.name}`, fault);
      }
    } finally {
      await guarded.close();
    }
  },
};

interface Guarded {
  readonly api: ServedApi;
  sign(recorded: string): Promise<string>;
  close(): Promise<void>;
}

async function guardedNode(): Promise<Guarded> {
  const folder = mkdtempSync(join(tmpdir(), 'quorate-keys-'));
  const { privateKey, publicKey } = await generateKeyPair('ES256');
  const keys = join(folder, 'keys.json');
  writeFileSync(keys, JSON.stringify({ keys: [await exportJWK(publicKey)] }));
  const recording = join(OWN_VECTORS, 'goquorum/public-chain');
  const { nodes } = readJson(join(recording, 'keys.json'));
  const node = await rpcNode({
    genesis: genesisOf(recording),
    secretKey: fromHex(nodes[0].nodeKey),
    blocks: readBlocks(join(recording, 'chain/blocks.jsonl.gz'))
      .filter(({ number }) => number > 0 && number <= RECORDED_HEAD)
      .map(({ rlp }) => decodeBlock(fromHex(rlp))),
    argv: ['--rpc.auth.keys', keys, '--ws', '--ws.port', '0', '--ws.api', ALL_APIS],
  });
  const api = await node.serve();
  return {
    api,
    sign: async (recorded) => {
      const [scopes, end] = recorded.split('|');
      return new SignJWT({ scope: scopes!.replaceAll(';', ' ') })
        .setProtectedHeader({ alg: 'ES256' })
        .setExpirationTime(end === 'expired' ? '-1 minute' : '10 minutes')
        .sign(privateKey);
    },
    close: async () => {
      await api.close();
      await node.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

async function headerOf(guarded: Guarded, { authorization }: Case) {
  if (authorization === null) return {};
  const recorded = /^Bearer (rpc:.*)$/.exec(authorization)?.[1];
  return {
    Authorization:
      recorded === undefined ? authorization : `Bearer ${await guarded.sign(recorded)}`,
  };
}

async function httpFault(guarded: Guarded, each: Case): Promise<string | undefined> {
  const isGet = each.name.startsWith('GET');
  const text = typeof each.request === 'string' ? each.request : JSON.stringify(each.request);
  const port = Number(new URL(guarded.api.httpUrl!).port);
  const headers = { ...(each.headers ?? {}), ...(await headerOf(guarded, each)) };
  const request = { verb: isGet ? 'GET' : 'POST', path: each.path ?? '/', headers };
  const answer = await askOverHttp(port, request, text);
  if (answer.status !== each.status) return `status ${answer.status}, recorded ${each.status}`;
  const type = answer.headers['content-type'] ?? null;
  if (each.contentType !== null && type !== each.contentType) return `content type ${type}`;
  return answer.body.trim() === each.body!.trim()
    ? undefined
    : `${answer.body}, recorded ${each.body}`;
}

async function webSocketFault(guarded: Guarded, each: Case): Promise<string | undefined> {
  const socket = new WebSocket(guarded.api.webSocketUrl!, {
    headers: await headerOf(guarded, each),
  });
  try {
    const message = await new Promise<string>((resolve, reject) => {
      socket.once('error', reject);
      socket.once('open', () => socket.send(JSON.stringify(each.request)));
      socket.once('message', (bytes) => resolve(bytes.toString()));
    });
    return message === each.message ? undefined : `${message}, recorded ${each.message}`;
  } finally {
    socket.terminate();
  }
}

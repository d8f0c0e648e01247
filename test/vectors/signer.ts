/**
 * Requests to a signing proxy and their results, from the integration tests of Web3Signer and
 * EthSigner.
 */
import { dirname, join } from 'node:path';
import { fromHex } from '../../src/core/base/hex.ts';
import { refuse } from '../../src/core/signing/failures.ts';
import { decryptKey } from '../../src/io/keys/keystore.ts';
import type { Reply } from '../../src/services/signer/proxy/reply.ts';
import { type MemoryProxy, memoryProxy, nodeAnswer, upstreamOf } from '../support/signing-proxy.ts';
import { filesBelow, readJson } from './folders.ts';
import type { Report, VectorKind } from './kind.ts';

const FILES =
  /\/public\/signer\/(eth_sendTransaction|eea_sendTransaction|eth_sign|eth_signTransaction|raw-known)\.json$/;
const NODE_ERRORS = {
  low: { code: -32001, message: 'Nonce too low' },
  underpriced: { code: -32000, message: 'Replacement transaction underpriced' },
  params: { code: -32602, message: 'Invalid params' },
};
const ACCEPTED = `0x${'e6'.repeat(32)}`;
const CONTRACT = '0x7577919ae5df4941180eac211965f275cdce314d';

interface Case {
  readonly request: { readonly id: number };
  readonly scenario?: string;
  readonly expect: {
    readonly httpStatus?: number;
    readonly response?: { readonly error: { readonly code: number; readonly message: string } };
    readonly signedAs?: readonly { readonly nonce: string }[];
    readonly sentToNode?: readonly { readonly method: string; readonly params: unknown }[];
    readonly finalResponse?: { readonly error: unknown };
  };
}

export const signerVectors: VectorKind = {
  name: 'signer',
  find: (root) => filesBelow(root, (path) => FILES.test(path)),
  run: async (path, report) => {
    const content = readJson(path);
    if (path.endsWith('/eth_sign.json')) return signed(path, content, report);
    if (path.endsWith('/eth_signTransaction.json')) return signedTransactions(content, report);
    const key = await keyFile(path);
    if (path.endsWith('/raw-known.json')) return rawKnown(key, content, report);
    for (const [name, each] of Object.entries(content.cases as Record<string, Case>)) {
      const why = await play(key, BigInt(content.setup.chainId), name, each);
      if (why === undefined) report.pass(name);
      else report.fail(name, why);
    }
  },
};

let key: Promise<Uint8Array> | undefined;

/** Decrypted once, since its key derivation is slow on purpose. */
function keyFile(path: string): Promise<Uint8Array> {
  key ??= decryptKey(readJson(join(dirname(path), 'keystores/keyfile.json')), 'password');
  return key;
}

/** undefined: as expected. */
async function play(
  key: Uint8Array,
  chainId: bigint,
  name: string,
  { request, scenario = '', expect }: Case,
): Promise<string | undefined> {
  const nonces = expect.signedAs?.map(({ nonce }) => nonce) ?? [];
  const sent: { method: string; params: unknown }[] = [];
  let counts = 0;
  const upstream = upstreamOf((call) => {
    if (/count/i.test(call.method))
      return { result: nonces[counts++] ?? `0x${counts.toString(16)}` };
    sent.push({ method: call.method, params: call.params });
    const error = errorOf(name, scenario, sent.length, nonces.length);
    if (error === 'stall') throw refuse('SIGNER_UPSTREAM_TIMEOUT');
    return error ? nodeAnswer(400, { jsonrpc: '2.0', id: call.id, error }) : { result: ACCEPTED };
  });
  const proxy = memoryProxy({ keys: [key], chainId, upstream });
  try {
    return judge(name, expect, await proxy.send(request), { sent, id: request.id });
  } finally {
    proxy.close();
  }
}

type NodeError = (typeof NODE_ERRORS)[keyof typeof NODE_ERRORS];

function errorOf(
  name: string,
  scenario: string,
  turn: number,
  wanted: number,
): NodeError | 'stall' | undefined {
  if (/timesout/i.test(name)) {
    if (turn === 3) return 'stall';
    return /underpriced/i.test(name) ? NODE_ERRORS.underpriced : NODE_ERRORS.low;
  }
  if (/more ?than ?ten/i.test(name))
    return /underpriced/i.test(name) ? NODE_ERRORS.underpriced : NODE_ERRORS.low;
  if (/answers the raw transaction with Invalid params/.test(scenario)) return NODE_ERRORS.params;
  if (!/all but the last/.test(scenario) || turn >= wanted) return undefined;
  return /underpriced/.test(scenario) ? NODE_ERRORS.underpriced : NODE_ERRORS.low;
}

function judge(
  name: string,
  expect: Case['expect'],
  reply: Reply,
  { sent, id }: { sent: readonly unknown[]; id: number },
): string | undefined {
  const answer = JSON.parse(reply.body);
  const wanted = expect.response?.error ?? expect.finalResponse?.error;
  if (wanted) {
    const { data: _, ...error } = answer.error ?? {};
    if (!isSame(error, wanted)) return `error ${JSON.stringify(answer)}`;
    // Web3Signer answers 504 to every timeout; one of its recorded cases has another status.
    const isTimeout = /timesout/i.test(name);
    const status = isTimeout ? 504 : expect.httpStatus;
    if (status !== undefined && reply.status !== status) return `HTTP status ${reply.status}`;
  } else if (answer.result !== ACCEPTED) return `answer ${reply.body}`;
  if (answer.id !== id) return `id ${answer.id}`;
  const { sentToNode } = expect;
  if (!sentToNode) return undefined;
  const calls = sentToNode.map(({ method, params }) => ({ method, params }));
  return isSame(sent, calls) ? undefined : `sent ${JSON.stringify(sent)}`;
}

async function signed(path: string, content: any, report: Report): Promise<void> {
  const proxy = quietProxy(await keyFile(path), 1n);
  for (const each of content.cases) {
    const { result, error } = await proxy.call(each.method, ...each.params);
    const name = `${each.method} ${each.params[0]}`;
    const isRight = each.error ? isSame(error, each.error) : result === each.result;
    if (isRight) report.pass(name);
    else report.fail(name, JSON.stringify({ result, error }));
  }
  proxy.close();
}

async function signedTransactions(content: any, report: Report): Promise<void> {
  const { privateKey, chainId } = content.setup;
  const proxy = quietProxy(fromHex(privateKey), BigInt(chainId));
  for (const [name, raw] of Object.entries(content.independent.raw)) {
    const { result } = await proxy.call('eth_signTransaction', ...content.cases[name].params);
    if (result === raw) report.pass(name);
    else report.fail(name, `raw ${result}`);
  }
  const [params] = content.cases.legacy.params;
  const wrong: [string, unknown[], { code: number; message: string }][] = [
    ...[[], [{}], [params, params], ['text']].map((each): [string, unknown[], any] => [
      `parameters ${JSON.stringify(each).slice(0, 20)}`,
      each,
      content.invalidParams[0].error,
    ]),
    ['a stranger', [{ ...params, from: CONTRACT }], content.invalidParams[2].error],
  ];
  for (const [name, given, { code, message }] of wrong) {
    const { error } = await proxy.call('eth_signTransaction', ...given);
    if (error?.code === code && error.message === message) report.pass(name);
    else report.fail(name, JSON.stringify(error));
  }
  proxy.close();
}

async function rawKnown(key: Uint8Array, content: any, report: Report): Promise<void> {
  const proxy = quietProxy(key, BigInt(content.chainId));
  const { result } = await proxy.call('eth_signTransaction', content.transaction);
  if (result === content.raw) report.pass('raw');
  else report.fail('raw', String(result));
  proxy.close();
}

function quietProxy(key: Uint8Array, chainId: bigint): MemoryProxy {
  return memoryProxy({ keys: [key], chainId, upstream: upstreamOf(() => ({ result: '0x0' })) });
}

function isSame(a: unknown, b: unknown): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}

import { mkdtempSync, rmSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { WebSocket, WebSocketServer } from 'ws';
import { until } from '../../../test/support/conditions.ts';
import {
  ACCOUNT,
  endAll,
  endings,
  node,
  post,
  rpc,
  start,
  takingNode,
  transfer,
} from '../../../test/support/proxy-server.ts';
import { fromHex, toHex } from '../../core/base/hex.ts';
import { keccak256 } from '../../core/base/keccak.ts';
import { decodeTransaction } from '../../core/chain/transaction.ts';

afterEach(endAll);

describe('WebSocket', () => {
  it.each([
    ['text', (text: string) => text],
    ['binary', (text: string) => Buffer.from(text)],
  ])('signs and passes on %s frames as over HTTP, and carries subscriptions', async (_, frame) => {
    const upstream = await takingNode();
    const sockets = new WebSocketServer({ port: 0, host: '127.0.0.1' });
    await new Promise((resolve) => sockets.once('listening', resolve));
    endings.push(() => sockets.close());
    const frames: string[] = [];
    sockets.on('connection', (socket) => {
      socket.on('message', (data) => {
        frames.push(String(data));
        socket.send('{"jsonrpc":"2.0","id":"s","result":"0x1"}');
        socket.send('{"jsonrpc":"2.0","method":"eth_subscription","params":{}}');
      });
    });
    const { port } = sockets.address() as AddressInfo;
    const nodeWebSocket = { url: `ws://127.0.0.1:${port}`, options: {} };
    const proxy = await start(upstream, { nodeWebSocket });
    const client = new WebSocket(`ws://127.0.0.1:${proxy.port}`);
    endings.push(() => client.close());
    const got: any[] = [];
    client.onmessage = ({ data }) => got.push(JSON.parse(data as string));
    await until('it is open', () => client.readyState === client.OPEN);
    const byId = (id: unknown) =>
      until(`an answer to ${id}`, () => got.find((each) => each.id === id));
    client.send(frame(JSON.stringify(rpc('eth_accounts', [], 'a'))));
    expect((await byId('a')).result).toEqual([ACCOUNT]);
    client.send(frame(JSON.stringify(rpc('eth_sendTransaction', [transfer], 'b'))));
    expect((await byId('b')).result).toMatch(/^0x[0-9a-f]{64}$/);
    const subscribe = JSON.stringify(rpc('eth_subscribe', ['newHeads'], 's'));
    client.send(frame(subscribe));
    await until('a notification came', () =>
      got.find(({ method }) => method === 'eth_subscription'),
    );
    expect(frames).toEqual([subscribe]);
    for (const method of ['personal_unlockAccount', 'eth_sendTransactionAsync', 'eth_subscribe']) {
      const twins = `{"jsonrpc":"2.0","id":1,"method":"net_version","METHOD":"${method}"}`;
      const text = method === 'eth_subscribe' ? twins : JSON.stringify(rpc(method, [], method));
      client.send(frame(text));
    }
    expect((await byId('eth_sendTransactionAsync')).error.code).toBe(-32604);
    expect((await byId(null)).error.code).toBe(-32600);
    expect(frames).toHaveLength(1);
    expect(upstream.received.every(({ body }) => /getTransactionCount|sendRaw/.test(body))).toBe(
      true,
    );
  });
});

describe('transactions without a nonce', () => {
  it('concurrent ones get one nonce each, and the account is counted once', async () => {
    const upstream = await takingNode();
    const proxy = await start(upstream);
    const answers = await Promise.all(
      Array.from({ length: 100 }, (_, index) =>
        post(proxy, rpc('eth_sendTransaction', [transfer], index)),
      ),
    );
    const bodies = (await Promise.all(answers.map((each) => each.json()))) as any[];
    expect(bodies.filter(({ error }) => error)).toEqual([]);
    expect(new Set(bodies.map(({ result }) => result)).size).toBe(100);
    expect(bodies.map(({ id }) => id)).toEqual(Array.from({ length: 100 }, (_, index) => index));
    const sent = upstream.received.filter(({ body }) => body.includes('eth_sendRaw'));
    const nonces = sent.map(({ body }) =>
      Number(decodeTransaction(fromHex(JSON.parse(body).params[0])).nonce),
    );
    expect(nonces.sort((a, b) => a - b)).toEqual(Array.from({ length: 100 }, (_, index) => index));
    expect(upstream.received.length - sent.length).toBeLessThan(10);
  });

  it('what has no end is sent again after a restart, byte for byte', async () => {
    const dataPath = mkdtempSync(join(tmpdir(), 'quorate-signer-'));
    endings.push(() => rmSync(dataPath, { recursive: true, force: true }));
    const sent: string[] = [];
    let isUp = false;
    const upstream = await node(({ method, params }) => {
      if (method === 'eth_getTransactionCount') return { result: '0x3' };
      sent.push(params[0]);
      return isUp ? { result: toHex(keccak256(fromHex(params[0]))) } : undefined;
    });
    const first = await start(upstream, { dataPath }, { timeoutMs: 400 });
    const { error } = (await (
      await post(first, rpc('eth_sendTransaction', [transfer]))
    ).json()) as any;
    await first.close();
    endings.splice(endings.length - 1, 1);
    isUp = true;
    const before = sent.length;
    const second = await start(upstream, { dataPath });
    await until('the stored bytes are sent again', () => sent.length > before);
    expect(new Set(sent).size).toBe(1);
    expect(toHex(keccak256(fromHex(sent[0]!)))).toBe(error.data.transactionHash);
    await post(second, rpc('eth_sendTransaction', [transfer]));
    const nonces = new Set(sent.map((raw) => Number(decodeTransaction(fromHex(raw)).nonce)));
    expect([...nonces]).toEqual([3, 4]);
  });
});

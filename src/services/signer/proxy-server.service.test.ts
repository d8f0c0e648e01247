import { type AddressInfo, connect } from 'node:net';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { WebSocket, WebSocketServer } from 'ws';
import { until } from '../../../test/support/conditions.ts';
import {
  endAll,
  endings,
  node,
  post,
  rpc,
  start,
  transfer,
} from '../../../test/support/proxy-server.ts';
import { standInNode } from '../../../test/support/stand-in-node.ts';
import type { ByteBudget } from '../../core/base/byte-budget.ts';
import { fromHex, toHex } from '../../core/base/hex.ts';
import { keccak256 } from '../../core/base/keccak.ts';
import { newTraffic } from '../../io/http/traffic.ts';
import { OPEN_GUARD } from './proxy/open-guard.ts';
import type { RunningProxy } from './proxy-server.ts';

const STALL_MS = 700;
const NOT_FOUND = '<html><body><h1>Resource not found</h1></body></html>';

afterEach(endAll);

/** The most bytes held at once, recorded here because polling could miss it on a busy machine. */
function mostHeld(budget: ByteBudget): () => number {
  let most = 0;
  const open = budget.open.bind(budget);
  vi.spyOn(budget, 'open').mockImplementation((...asked) => {
    const holding = open(...asked);
    const force = holding.force.bind(holding);
    vi.spyOn(holding, 'force').mockImplementation((count) => {
      force(count);
      most = Math.max(most, budget.held);
    });
    return holding;
  });
  return () => most;
}

describe('pass-through', () => {
  it('hands on the body, the headers and the answer as they are', async () => {
    const body =
      '{"jsonrpc": "2.0", "method":"eth_getBalance","params":[1.0, 12345678901234567890],"id":1.0}';
    const upstream = await node(() => ({
      status: 203,
      headers: {
        'x-twice': ['a', 'b'],
        'access-control-allow-origin': 'node',
        'content-type': 'text/odd',
      },
      body: '{"malformed',
    }));
    const proxy = await start(upstream);
    const answer = await post(proxy, body, {
      headers: {
        'x-mine': 'yes',
        authorization: 'Bearer mine',
        origin: 'http://a',
        'x-forwarded-host': 'b',
      },
    });
    expect([answer.status, await answer.text()]).toEqual([203, '{"malformed']);
    expect(answer.headers.get('x-twice')).toBe('a, b');
    expect(answer.headers.get('content-type')).toBe('text/odd');
    expect(answer.headers.get('access-control-allow-origin')).toBeNull();
    const [got] = upstream.received;
    expect(got!.body).toBe(body);
    expect(got!.headers).toMatchObject({
      'x-mine': 'yes',
      'x-forwarded-host': `127.0.0.1:${proxy.port}`,
    });
    expect(got!.headers.authorization).toBeUndefined();
    expect(got!.headers.origin).toBeUndefined();
  });

  it('joins the paths, and keeps the query', async () => {
    const upstream = await node(() => ({ result: 1 }));
    const proxy = await start(upstream, {}, { path: '//v1/node/' });
    for (const path of ['/', '/login', '/a//b/?PSI=c'])
      await post(proxy, rpc('net_version'), { path });
    expect(upstream.received.map(({ url }) => url)).toEqual([
      '/v1/node',
      '/v1/node/login',
      '/v1/node/a/b?PSI=c',
    ]);
  });

  it('says 404 to whatever is not JSON-RPC, on any path, and never asks the node', async () => {
    const upstream = await node(() => ({ result: 1 }));
    const proxy = await start(upstream);
    const url = `http://127.0.0.1:${proxy.port}`;
    for (const method of ['GET', 'PUT', 'DELETE', 'PATCH']) {
      const body = method === 'GET' ? {} : { body: JSON.stringify(rpc('eth_sign')) };
      const answer = await fetch(`${url}/x`, { method, ...body });
      expect([answer.status, await answer.text()]).toEqual([404, NOT_FOUND]);
    }
    const posted = await post(proxy, 'name=value', { path: '/login' });
    expect([posted.status, await posted.text()]).toEqual([404, NOT_FOUND]);
    expect(upstream.received).toEqual([]);
  });

  it('says 400 and a parse error to a malformed body', async () => {
    const proxy = await start(await node(() => ({ result: 1 })));
    for (const body of [
      '{bad',
      '7',
      '{"jsonrpc":"2.0","id":{},"method":"x"}',
      '{"method":"x","id":1}',
    ]) {
      const answer = await post(proxy, body);
      expect([answer.status, await answer.json()]).toEqual([
        400,
        { jsonrpc: '2.0', id: null, error: { code: -32700, message: 'Parse error' } },
      ]);
    }
  });

  it('refuses bodies that are too large', async () => {
    const proxy = await start(await node(() => ({ result: 1 })));
    const answer = await post(proxy, rpc('x', ['y'.repeat(1_000_001)]));
    expect(answer.status).toBe(413);
  });
});

describe('what clients have in flight', () => {
  const announce = (proxy: RunningProxy, announced: number, sent: number) =>
    new Promise<number>((resolve) => {
      let text = '';
      const socket = connect(proxy.port, '127.0.0.1', () => {
        socket.write(`POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: ${announced}\r\n\r\n`);
        socket.write('x'.repeat(sent));
      });
      endings.push(() => socket.destroy());
      socket.on('error', () => undefined);
      socket.on('data', (bytes) => {
        text += bytes;
        socket.destroy();
      });
      socket.once('close', () => resolve(Number(text.split(' ')[1] ?? 0)));
    });

  it('counts bodies while they come, over all connections', async () => {
    const traffic = newTraffic({ requests: { all: 3_000_000, ofSource: 3_000_000 } });
    const proxy = await start(await node(() => ({ result: 1 })), { traffic });
    let refused = 0;
    for (let i = 0; i < 10; i++) void announce(proxy, 1_000_000, 900_000).then(() => refused++);
    await until('those beyond are refused', () => refused >= 7);
    expect(traffic.requests.held).toBeLessThanOrEqual(3_000_000);
    expect(traffic.requests.held).toBeGreaterThan(1_000_000);
  });

  it('judges the caller before it reads the body', async () => {
    const traffic = newTraffic();
    const guard = {
      ...OPEN_GUARD,
      identify: async () => ({
        kind: 'unauthenticated' as const,
        code: -32000,
        message: 'nobody may',
      }),
    };
    const proxy = await start(await node(() => ({ result: 1 })), { traffic }, {}, guard);
    expect(await announce(proxy, 1_000_000, 100)).toBe(401);
    await until('nothing is held', () => traffic.requests.held === 0);
  });

  it('cuts off clients that do not read their answer', async () => {
    const traffic = newTraffic({ stallMs: STALL_MS });
    const mostUnsent = mostHeld(traffic.unsent);
    const long = 'y'.repeat(20_000_000);
    const upstream = { timeoutMs: 20_000 };
    const proxy = await start(await node(() => ({ result: long })), { traffic }, upstream);
    const socket = connect(proxy.port, '127.0.0.1', () => {
      const body = JSON.stringify(rpc('eth_x'));
      socket.write(`POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: ${body.length}\r\n\r\n`);
      socket.write(body);
    });
    socket.pause();
    socket.on('error', () => undefined);
    endings.push(() => socket.destroy());
    await until('the answer waited', () => mostUnsent() > 0);
    await until('it is cut off', () => traffic.unsent.held === 0);
  });

  it('cuts off a WebSocket that does not take what the node tells it', async () => {
    const traffic = newTraffic({ stallMs: STALL_MS });
    const sockets = new WebSocketServer({ port: 0, host: '127.0.0.1' });
    await new Promise((resolve) => sockets.once('listening', resolve));
    endings.push(() => sockets.close());
    let isAsked = false;
    sockets.on('connection', (socket) => {
      socket.on('message', () => {
        isAsked = true;
        for (let i = 0; i < 14; i++) socket.send('y'.repeat(1_000_000));
      });
    });
    const { port } = sockets.address() as AddressInfo;
    const nodeWebSocket = { url: `ws://127.0.0.1:${port}`, options: {} };
    const proxy = await start(await node(() => ({ result: 1 })), { traffic, nodeWebSocket });
    const client = new WebSocket(`ws://127.0.0.1:${proxy.port}`);
    endings.push(() => client.terminate());
    await new Promise((resolve) => client.once('open', resolve));
    client.pause();
    client.send(JSON.stringify(rpc('eth_subscribe', ['newHeads'])));
    await until('it is cut off, from the node too', () => isAsked && sockets.clients.size === 0);
    expect(traffic.unsent.held).toBe(0);
  });
});

describe('a node that fails', () => {
  const calls = [
    rpc('eth_blockNumber'),
    rpc('eth_sendTransaction', [transfer]),
    rpc('eth_sendTransaction', [{ ...transfer, nonce: '0x7' }]),
  ];

  it('504 when it cannot be reached: nothing was sent', async () => {
    const gone = await standInNode(() => undefined);
    await gone.close();
    const proxy = await start(gone);
    for (const call of calls) {
      const answer = await post(proxy, call);
      const { id, error } = (await answer.json()) as any;
      expect([answer.status, id, error.code, error.message]).toEqual([
        504,
        1,
        -32000,
        'Failed to connect to downstream node',
      ]);
      expect(error.data).not.toHaveProperty('transactionHash');
    }
  });

  it('504 when it does not answer; what was sent is named', async () => {
    const silent = await node(({ method }) =>
      method === 'eth_getTransactionCount' ? { result: '0x0' } : undefined,
    );
    const proxy = await start(silent, {}, { timeoutMs: 400 });
    for (const [index, call] of calls.entries()) {
      const answer = await post(proxy, call);
      const { error } = (await answer.json()) as any;
      expect([answer.status, error.message]).toEqual([
        504,
        'Connection to downstream node timed out',
      ]);
      if (index > 0) expect(error.data.transactionHash).toMatch(/^0x[0-9a-f]{64}$/);
    }
  });

  it('an unclear answer is tried again with the same bytes, then handed on', async () => {
    let turn = 0;
    const upstream = await node(({ method, params }) => {
      if (method === 'eth_getTransactionCount') return { result: '0x0' };
      if (turn++ < 2) return { status: 503, body: 'busy' };
      return turn === 3 ? 'drop' : { result: toHex(keccak256(fromHex(params[0]))) };
    });
    const proxy = await start(upstream);
    const { result } = (await (await post(proxy, calls[1])).json()) as any;
    expect(result).toMatch(/^0x[0-9a-f]{64}$/);
    const sent = upstream.received.filter(({ body }) => body.includes('eth_sendRaw'));
    expect(sent.length).toBeGreaterThanOrEqual(4);
    expect(new Set(sent.map(({ body }) => JSON.parse(body).params[0])).size).toBe(1);
  });
});

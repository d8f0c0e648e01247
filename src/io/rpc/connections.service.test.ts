/** WebSocket and IPC: the connections that carry notifications. */
import { once } from 'node:events';
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { newTraffic } from '../http/traffic.ts';
import { NO_ACCESS_CONTROL } from './access.ts';
import type { Caller, Channel, Dispatcher } from './dispatcher.ts';
import { serveHttp } from './http.ts';
import { serveIpc } from './ipc.ts';
import { serveWebSocket } from './websocket.ts';

const ends: (() => unknown)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

/** Answers with the text that it got, and keeps the callers; `open` keeps the channel. */
function echo() {
  const seen: { callers: Caller[]; channel: Channel | undefined; isClosed: boolean } = {
    callers: [],
    channel: undefined,
    isClosed: false,
  };
  const reply = async (text: string, caller: Caller, channel?: Channel) => {
    seen.callers.push(caller);
    if (text.includes('open')) {
      seen.channel = channel;
      channel?.subscriptions.set('1', () => {
        seen.isClosed = true;
      });
    }
    return text.includes('silent') ? '' : JSON.stringify({ got: text });
  };
  return { seen, dispatcher: { reply } as never };
}

/** Waits for at least this many milliseconds. */
async function idle(ms: number): Promise<void> {
  const end = performance.now() + ms;
  await until(() => performance.now() > end);
}

async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await new Promise((resolve) => setImmediate(resolve));
}

async function webSocket(
  origins: string[] = [],
  { seen, dispatcher } = echo(),
  traffic = newTraffic(),
  prefix = '',
) {
  const http = await serveHttp(dispatcher, {
    host: '127.0.0.1',
    port: 0,
    vhosts: ['*'],
    corsDomains: [],
    prefix: '',
    pages: new Map(),
    authenticate: NO_ACCESS_CONTROL,
  });
  ends.push(() => http.close());
  ends.push(
    serveWebSocket(dispatcher, http.server, {
      ...{ origins, prefix, traffic },
      authenticate: NO_ACCESS_CONTROL,
    }),
  );
  return { seen, url: `ws://127.0.0.1:${http.port}` };
}

async function opened(url: string, headers: Record<string, string> = {}) {
  const socket = new WebSocket(url, { headers });
  const received: string[] = [];
  socket.on('message', (bytes) => received.push(bytes.toString()));
  await new Promise<void>((resolve, reject) => {
    socket.once('open', resolve);
    socket.once('error', reject);
  });
  ends.push(() => socket.terminate());
  return { socket, received };
}

/** A server whose answers have a megabyte each. */
function lavish() {
  const { seen } = echo();
  let begun = 0;
  const answer = 'x'.repeat(1024 * 1024);
  const reply = async (_: string, __: Caller, channel?: Channel) => {
    channel?.subscriptions.set('1', () => {
      seen.isClosed = true;
    });
    begun++;
    return answer;
  };
  return { seen, dispatcher: { reply } as never, begun: () => begun };
}

describe('WebSocket', () => {
  it('a client that does not read gets no more of its calls answered, and is cut off', async () => {
    const server = lavish();
    const { url } = await webSocket([], server, newTraffic({ stallMs: 200 }));
    const { socket } = await opened(url);
    socket.pause();
    for (let i = 0; i < 500; i++) socket.send('x');
    await until(() => server.seen.isClosed);
    // The machine buffers a few megabytes between two processes.
    expect(server.begun()).toBeLessThan(100);
  });

  it('also one that has said nothing for a while before', async () => {
    const server = lavish();
    const { url } = await webSocket([], server, newTraffic({ stallMs: 100 }));
    const { socket } = await opened(url);
    await idle(300);
    socket.pause();
    for (let i = 0; i < 500; i++) socket.send('x');
    await until(() => server.seen.isClosed);
  });

  it('the batches of many sockets find so much room together, and no more', async () => {
    const traffic = newTraffic({ unsent: { all: 8e6, ofSource: 8e6 } });
    let begun = 0;
    let release = () => {};
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    const reply: Dispatcher<never>['reply'] = async (_text, _caller, _channel, _signal, room) => {
      while (room?.take(2e6));
      begun++;
      await released;
      return 'done';
    };
    const { url } = await webSocket([], { ...echo(), dispatcher: { reply } as never }, traffic);
    const clients = await Promise.all([opened(url), opened(url), opened(url)]);
    for (const { socket } of clients) socket.send('[]');
    await until(() => begun === 3);
    expect(traffic.unsent.held).toBe(8e6);
    release();
    await until(() => clients.every(({ received }) => received.length === 1));
    await until(() => traffic.unsent.held === 0);
  });

  it('a client that does not read its notifications is cut off', async () => {
    const { url, seen } = await webSocket();
    const { socket, received } = await opened(url);
    socket.send('open');
    await until(() => received.length === 1);
    socket.pause();
    const news = 'x'.repeat(1024 * 1024);
    for (let i = 0; i < 40; i++) seen.channel!.send(news);
    await until(() => seen.isClosed);
    expect(received).toHaveLength(1);
  });

  it('messages that never end count while they come', async () => {
    const traffic = newTraffic({ requests: { all: 1e6, ofSource: 1e6 } });
    const { url } = await webSocket([], echo(), traffic);
    const { socket } = await opened(url);
    let isClosed = false;
    socket.on('close', () => {
      isClosed = true;
    });
    socket.send('x'.repeat(600_000), { fin: false });
    await until(() => traffic.requests.held > 500_000);
    socket.ping('x'.repeat(100));
    socket.send('x'.repeat(600_000), { fin: false });
    await until(() => isClosed && traffic.requests.held === 0);
  });

  it('who answers no ping is disconnected, and who answers stays', async () => {
    const { url } = await webSocket([], echo(), newTraffic({ pingMs: 100 }));
    const silent = new WebSocket(url, { autoPong: false });
    await once(silent, 'open');
    const { socket, received } = await opened(url);
    await once(silent, 'close');
    socket.send('still here');
    await until(() => received.length === 1);
  });

  it('pings count for nothing', async () => {
    const traffic = newTraffic();
    const { url } = await webSocket([], echo(), traffic);
    const { socket, received } = await opened(url);
    socket.send('1');
    await until(() => received.length === 1);
    let isAnswered = false;
    socket.once('pong', () => {
      isAnswered = true;
    });
    socket.ping('x'.repeat(100));
    await until(() => isAnswered);
    expect(traffic.requests.held).toBe(0);
  });

  it('answers in order and says nothing to notifications', async () => {
    const { url } = await webSocket();
    const { socket, received } = await opened(url);
    for (const text of ['1', 'silent', '2', '3']) socket.send(text);
    await until(() => received.length === 3);
    expect(received.map((text) => JSON.parse(text).got)).toEqual(['1', '2', '3']);
  });

  it('carries notifications and ends subscriptions with the connection', async () => {
    const { url, seen } = await webSocket();
    const { socket, received } = await opened(url);
    socket.send('open');
    await until(() => received.length === 1);
    seen.channel!.send('news');
    await until(() => received.length === 2);
    expect(received[1]).toBe('news');
    socket.close();
    await until(() => seen.isClosed);
    expect(seen.channel!.subscriptions.size).toBe(0);
    seen.channel!.send('to nobody');
  });

  it('takes only allowed origins', async () => {
    const { url } = await webSocket(['http://good.example']);
    await opened(url, { origin: 'http://good.example' });
    await expect(opened(url, { origin: 'http://bad.example' })).rejects.toThrow('403');
    await opened(url);
  });

  it('is below a path only, where there is one', async () => {
    const { url } = await webSocket([], echo(), newTraffic(), '/ws');
    await opened(`${url}/ws`);
    await opened(`${url}/ws/more`);
    await expect(opened(url)).rejects.toThrow('404');
  });

  it('takes the private state from the handshake', async () => {
    const { url, seen } = await webSocket();
    const { socket, received } = await opened(`${url}/?PSI=PS1`);
    socket.send('x');
    await until(() => received.length === 1);
    expect(seen.callers[0]).toMatchObject({ transport: 'ws', psi: 'PS1' });
  });

  it('takes binary frames as it takes text, in one order, and answers in text', async () => {
    const { url } = await webSocket();
    const { socket, received } = await opened(url);
    const isBinary: boolean[] = [];
    socket.on('message', (_, binary) => isBinary.push(binary));
    socket.send(Buffer.from('été'));
    socket.send('2');
    socket.send(Buffer.from('3'));
    await until(() => received.length === 3);
    expect(received.map((text) => JSON.parse(text).got)).toEqual(['été', '2', '3']);
    expect(isBinary).toEqual([false, false, false]);
  });
});

describe('IPC', () => {
  async function ipc({ seen, dispatcher } = echo(), traffic = newTraffic(), psi?: string) {
    const folder = mkdtempSync(join(tmpdir(), 'quorate-ipc-'));
    ends.push(() => rmSync(folder, { recursive: true, force: true }));
    const path = join(folder, 'node.ipc');
    ends.push(await serveIpc(dispatcher, path, traffic, psi));
    const received: string[] = [];
    const socket = connect(path);
    socket.setEncoding('utf8');
    let text = '';
    socket.on('data', (chunk) => {
      text += chunk;
      const lines = text.split('\n');
      text = lines.pop()!;
      received.push(...lines);
    });
    ends.push(() => socket.destroy());
    return { seen, path, socket, received };
  }

  it('answers concatenated values, one per line, only to the owner', async () => {
    const { socket, received, path } = await ipc();
    expect(statSync(path).mode & 0o777).toBe(0o600);
    socket.write('{"id":1}{"id":');
    socket.write('2}\n[{"silent":1}] nonsense\n');
    await until(() => received.length === 3);
    expect(received.map((line) => JSON.parse(line).got.trim())).toEqual([
      '{"id":1}',
      '{"id":2}',
      'nonsense',
    ]);
  });

  it('a client that does not read gets no more of its calls answered, and is cut off', async () => {
    const server = lavish();
    const { socket } = await ipc(server, newTraffic({ stallMs: 200 }));
    await once(socket, 'connect');
    socket.pause();
    socket.write('{}'.repeat(500));
    await until(() => server.seen.isClosed);
    expect(server.begun()).toBeLessThan(100);
  });

  it('also one that has said nothing for a while before', async () => {
    const server = lavish();
    const { socket } = await ipc(server, newTraffic({ stallMs: 100 }));
    await once(socket, 'connect');
    await idle(300);
    socket.pause();
    socket.write('{}'.repeat(500));
    await until(() => server.seen.isClosed);
  });

  it('a value that never ends counts while it comes', async () => {
    const traffic = newTraffic({ requests: { all: 1e6, ofSource: 1e6 } });
    const { socket } = await ipc(echo(), traffic);
    let isClosed = false;
    socket.on('error', () => undefined);
    socket.on('close', () => {
      isClosed = true;
    });
    socket.write(`{"x":"${'x'.repeat(1_100_000)}`);
    await until(() => isClosed);
  });

  it('has a private state for calls that name none', async () => {
    const { socket, received, seen } = await ipc(echo(), newTraffic(), 'PS2');
    socket.write('{"id":1}{"id":"PS1/7"}');
    await until(() => received.length === 2);
    expect(seen.callers.map(({ psi }) => psi)).toEqual(['PS2', 'PS1']);
  });

  it('finds the private state in the id, and ends subscriptions with the connection', async () => {
    const { socket, seen } = await ipc();
    socket.write('{"id":"PS1/7","method":"open"}');
    await until(() => seen.channel !== undefined);
    expect(seen.callers[0]).toMatchObject({ transport: 'ipc', psi: 'PS1' });
    socket.destroy();
    await until(() => seen.isClosed);
  });
});

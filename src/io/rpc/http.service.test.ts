import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { gunzipSync } from 'node:zlib';
import { afterEach, describe, expect, it } from 'vitest';
import { until } from '../../../test/support/conditions.ts';
import { newTraffic } from '../http/traffic.ts';
import { NO_ACCESS_CONTROL } from './access.ts';
import type { Caller, Dispatcher } from './dispatcher.ts';
import { HTTP_BODY_BYTES_MAX, type HttpOptions, serveHttp } from './http.ts';

const ends: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0)) await end();
});

async function serve(options: Partial<HttpOptions> = {}, dispatcher?: never) {
  const callers: Caller[] = [];
  const server = await serveHttp(
    dispatcher ??
      ({
        async reply(text: string, caller: Caller) {
          callers.push(caller);
          return text === 'long' ? `"${'x'.repeat(5_000)}"` : `"${text.length}"`;
        },
      } as never),
    {
      host: '127.0.0.1',
      port: 0,
      vhosts: ['localhost'],
      corsDomains: [],
      prefix: '',
      authenticate: NO_ACCESS_CONTROL,
      pages: new Map([
        ['/health', () => ({ status: 200, contentType: 'text/plain', body: 'fine' })],
      ]),
      ...options,
    },
  );
  ends.push(() => server.close());
  const url = `http://127.0.0.1:${server.port}`;
  const post = (body: string, headers: Record<string, string> = {}, path = '/') =>
    fetch(url + path, {
      method: 'POST',
      body,
      headers: { 'content-type': 'application/json', ...headers },
    });
  return { callers, url, post, port: server.port };
}

const HEAD =
  'POST / HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: ';

describe('pages for people', () => {
  const site = {
    has: (path: string) => path === '/site' || path.startsWith('/site/'),
    answer: (path: string, header: (name: string) => string | undefined) => ({
      ...{ status: 200, type: 'text/html', headers: { 'x-mark': 'own' } },
      body: `${path} ${header('accept-language')}`,
    }),
  };

  it('are answered below their path, with their headers', async () => {
    const { url } = await serve({ site });
    const reply = await fetch(`${url}/site/a/b`, { headers: { 'accept-language': 'de' } });
    expect([await reply.text(), reply.headers.get('x-mark')]).toEqual(['/site/a/b de', 'own']);
    expect((await fetch(`${url}/sites`)).status).toBe(404);
    expect((await fetch(`${url}/site`, { method: 'HEAD' })).status).toBe(200);
  });

  it('are refused under the name of another host, as everything is', async () => {
    const { port } = await serve({ site });
    const socket = connect(port, '127.0.0.1', () =>
      socket.write('GET /site HTTP/1.1\r\nHost: evil.example\r\n\r\n'),
    );
    const [answer] = await once(socket, 'data');
    socket.destroy();
    expect(String(answer)).toContain('403');
  });
});

/** Headers of calls that are answered without node:http, and of others. */
const inBothWays = it.each<Record<string, string>>([{}, { 'x-other': '1' }]);

/** A client that sends a request, and reads nothing. */
function asking(port: number, headers: Record<string, string>): Socket {
  const more = Object.entries(headers).map(([name, value]) => `\r\n${name}: ${value}`);
  const request = `${HEAD}1${more.join('')}\r\n\r\nx`;
  const socket = connect(port, '127.0.0.1', () => socket.write(request));
  socket.pause();
  return socket;
}

/** A client that announces more bytes than it sends. */
function announcing(port: number, announced: number, sent: number): Socket {
  const socket = connect(port, '127.0.0.1', () => {
    socket.write(`${HEAD}${announced}\r\n\r\n`);
    socket.write('x'.repeat(sent));
  });
  socket.on('error', () => undefined);
  socket.resume();
  return socket;
}

/** The answer to a request that is refused before all of it has arrived. */
async function refusedUnfinished(port: number, announced: number, sent: number) {
  const socket = announcing(port, announced, sent);
  let text = '';
  socket.on('data', (bytes) => {
    text += bytes;
    socket.destroy();
  });
  await once(socket, 'close');
  return { status: Number(text.split(' ')[1] ?? 0), text };
}

describe('serveHttp', () => {
  it('answers a call with a line of JSON', async () => {
    const { post } = await serve();
    const response = await post('abc');
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toBe('application/json');
    expect(await response.text()).toBe('"3"\n');
  });

  it('refuses other verbs, types and paths', async () => {
    const { post, url } = await serve();
    expect((await fetch(url, { method: 'PUT', body: 'x' })).status).toBe(405);
    expect((await post('x', { 'content-type': 'text/plain' })).status).toBe(415);
    expect((await post('x', {}, '/other')).status).toBe(404);
    const empty = await fetch(url);
    expect(empty.status).toBe(200);
    expect(await empty.text()).toBe('');
  });

  it('serves below a prefix only, where there is one', async () => {
    const { post } = await serve({ prefix: '/rpc' });
    expect((await post('x', {}, '/')).status).toBe(404);
    expect((await post('x', {}, '/rpc')).status).toBe(200);
  });

  it('refuses a body that is too long without reading it', async () => {
    const { post, port } = await serve();
    expect((await post('x'.repeat(HTTP_BODY_BYTES_MAX))).status).toBe(200);
    const head = await new Promise<string>((resolve) => {
      const socket = connect(port, '127.0.0.1', () =>
        socket.write(
          `POST / HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: ${HTTP_BODY_BYTES_MAX + 1}\r\n\r\n`,
        ),
      );
      socket.once('data', (bytes) => {
        socket.destroy();
        resolve(bytes.toString());
      });
    });
    expect(head).toMatch(/^HTTP\/1.1 413/);
    expect(head).toContain('content length too large (5242881>5242880)');
  });

  it('cuts a body of unknown length at the limit, answers, and reads no more', async () => {
    const { port, callers } = await serve();
    const head = `POST / HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n`;
    const chunk = `100000\r\n${'x'.repeat(0x100000)}\r\n`;
    const answer = await new Promise<string>((resolve) => {
      let text = '';
      const socket = connect(port, '127.0.0.1', () => {
        socket.write(head);
        for (let i = 0; i < 6; i++) socket.write(chunk);
      });
      socket.on('error', () => undefined);
      socket.on('data', (bytes) => {
        text += bytes;
      });
      socket.once('close', () => resolve(text));
    });
    expect(answer).toContain('parse error');
    expect(callers).toEqual([]);
  });

  it('counts bodies while they come, over all connections, and refuses what is too much', async () => {
    const traffic = newTraffic({ requests: { all: 4e6, ofSource: 4e6 } });
    const { port, post } = await serve({ traffic });
    let [closed, most] = [0, 0];
    const sockets = Array.from({ length: 30 }, () => {
      const socket = announcing(port, 1_000_000, 900_000);
      socket.once('close', () => closed++);
      return socket;
    });
    while (closed < 26) {
      most = Math.max(most, traffic.requests.held);
      expect(traffic.requests.held).toBeLessThanOrEqual(4e6);
      await new Promise((resolve) => setImmediate(resolve));
    }
    expect(most).toBeGreaterThan(3e6);
    for (const socket of sockets) socket.destroy();
    while (traffic.requests.held > 0) await new Promise((resolve) => setImmediate(resolve));
    expect((await post('x'.repeat(1_000_000))).status).toBe(200);
  });

  it('gives one source no more than its share', async () => {
    const traffic = newTraffic({ requests: { all: 1e9, ofSource: 2e6 } });
    const { port, post } = await serve({ traffic });
    expect((await refusedUnfinished(port, 3e6, 2.5e6)).status).toBe(503);
    expect((await post('x'.repeat(1e6))).status).toBe(200);
  });

  inBothWays('counts what each request takes besides its body %j', async (headers) => {
    const traffic = newTraffic({ requests: { all: 20_000, ofSource: 20_000 } });
    const endless = { reply: () => new Promise(() => undefined) } as never;
    const { post } = await serve({ traffic }, endless);
    const asked = Array.from({ length: 5 }, () => post('x', headers).then(({ status }) => status));
    expect(await Promise.race(asked)).toBe(503);
    for (const each of asked) each.catch(() => undefined);
  });

  it('judges the token before it reads the body; of a refused request it reads only a little', async () => {
    const { port, callers } = await serve({
      authenticate: async () => ({ kind: 'refused', why: 'token expired' }),
    });
    const { status, text } = await refusedUnfinished(port, 5_000_000, 66_000);
    expect([status, text.endsWith('token expired\n')]).toEqual([401, true]);
    expect(callers).toEqual([]);
  });

  inBothWays('cuts off clients that do not read their answer %j', async (headers) => {
    const great = { reply: async () => 'x'.repeat(20_000_000) } as never;
    const traffic = newTraffic({ stallMs: 100 });
    const { port } = await serve({ traffic }, great);
    const socket = asking(port, headers);
    socket.on('error', () => undefined);
    while (traffic.unsent.held === 0) await new Promise((resolve) => setImmediate(resolve));
    // The client neither reads nor writes any more: only the server can end the connection.
    while (traffic.unsent.held > 0) await new Promise((resolve) => setImmediate(resolve));
    socket.destroy();
  });

  inBothWays('looks after each answer whether all together leave too much %j', async (headers) => {
    const traffic = newTraffic();
    let looked = 0;
    traffic.unsent.relieve = () => {
      looked++;
    };
    const { post } = await serve({ traffic });
    await (await post('x', headers)).text();
    expect(looked).toBe(1);
  });

  inBothWays(
    'counts the answers of batches while they grow, and gives the room back %j',
    async (headers) => {
      const traffic = newTraffic({ unsent: { all: 3e6, ofSource: 3e6 } });
      let inWork = 0;
      let release = () => {};
      const released = new Promise<void>((resolve) => {
        release = resolve;
      });
      const reply: Dispatcher<never>['reply'] = async (_text, _caller, _channel, _signal, room) => {
        let taken = 0;
        while (room?.take(1e6)) taken++;
        inWork++;
        await released;
        return String(taken);
      };
      const { post } = await serve({ traffic }, { reply } as never);
      const posts = ['a', 'b', 'c'].map(async (body) => (await post(body, headers)).json());
      while (inWork < 3) await new Promise((resolve) => setImmediate(resolve));
      // A batch without any answers yet may keep its first megabyte.
      expect(traffic.unsent.held).toBeLessThanOrEqual(3e6);
      release();
      const outcomes = await Promise.allSettled(posts);
      expect(outcomes).toContainEqual({ status: 'fulfilled', value: 3 });
      while (traffic.unsent.held > 0) await new Promise((resolve) => setImmediate(resolve));
    },
  );

  it('packs long answers for those who take it', async () => {
    const { port } = await serve();
    const raw = await new Promise<Buffer>((resolve) => {
      const chunks: Buffer[] = [];
      const socket = connect(port, '127.0.0.1', () =>
        socket.write(
          'POST / HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nAccept-Encoding: gzip\r\nContent-Length: 4\r\nConnection: close\r\n\r\nlong',
        ),
      );
      socket.on('data', (bytes) => chunks.push(bytes));
      socket.once('close', () => resolve(Buffer.concat(chunks)));
    });
    const split = raw.indexOf('\r\n\r\n') + 4;
    expect(raw.subarray(0, split).toString().toLowerCase()).toContain('content-encoding: gzip');
    expect(gunzipSync(raw.subarray(split)).toString()).toHaveLength(5_003);
  });

  it('serves pages beside the API', async () => {
    const { url } = await serve();
    const response = await fetch(`${url}/health`);
    expect([response.status, await response.text()]).toEqual([200, 'fine']);
  });

  it('tells the private state and the token of a request', async () => {
    const { post, callers } = await serve({
      authenticate: async (shown) => ({ kind: 'refused', why: `shown: ${shown}` }),
    });
    await post('x', { 'quorum-psi': 'PS1', authorization: 'Bearer abc' });
    await post('x', { 'ledger-psi': 'PS2' });
    expect(callers.map(({ psi }) => psi)).toEqual(['PS1', 'PS2']);
    expect(callers.map(({ access }) => access)).toMatchObject([
      { why: 'shown: Bearer abc' },
      { why: 'shown: undefined' },
    ]);
  });

  it('COMPAT: takes the private state from the header before the URL, and none from an empty name', async () => {
    const { post, callers } = await serve();
    const ask = (path: string, headers: Record<string, string>) => post('x', headers, path);
    await ask('/?PSI=PS3', {});
    await ask('/?PSI=PS3', { 'quorum-psi': 'PS1' });
    await ask('/?PSI=PS3', { 'quorum-psi': '' });
    await ask('/?PSI=', {});
    // Names that exist only in GoQuorum's documentation.
    await ask('/?psi=PS3', { psi: 'PS4' });
    expect(callers.map(({ psi }) => psi)).toEqual(['PS3', 'PS1', 'PS3', undefined, undefined]);
  });

  it('a port of one private state has this one, whatever a request names', async () => {
    const { post, callers } = await serve({ psi: 'PS1' });
    await post('x', {});
    await post('x', { 'quorum-psi': 'PS2' }, '/?PSI=PS3');
    expect(callers.map(({ psi }) => psi)).toEqual(['PS1', 'PS1']);
  });

  it('sends CORS headers only to allowed origins', async () => {
    const { post } = await serve({ corsDomains: ['http://good.example'] });
    const good = await post('x', { origin: 'http://good.example' });
    expect(good.headers.get('access-control-allow-origin')).toBe('http://good.example');
    const bad = await post('x', { origin: 'http://bad.example' });
    expect(bad.headers.get('access-control-allow-origin')).toBeNull();
  });

  it('a request that is not complete in time is refused', async () => {
    const { port } = await serve({ traffic: newTraffic({ requestMs: 200 }) });
    for (const part of ['POST / HTTP/1.1\r\nHost: x\r\n', `${HEAD}99999\r\n\r\nx`]) {
      const socket = connect(port, '127.0.0.1', () => socket.write(part));
      // Sends a byte at a time, with pauses, as a slow client would.
      const drip = setInterval(() => socket.write(part.endsWith('x') ? 'x' : 'X-A: b\r\n'), 60);
      socket.on('error', () => undefined);
      let text = '';
      socket.on('data', (bytes) => {
        text += bytes;
      });
      await once(socket, 'close');
      clearInterval(drip);
      expect(text).toMatch(/^(HTTP\/1.1 408 |$)/);
    }
  });

  it('headers that are too long are refused', async () => {
    const { port } = await serve();
    const socket = connect(port, '127.0.0.1', () => {
      socket.write('POST / HTTP/1.1\r\nHost: x\r\n');
      for (let i = 0; i < 1_000; i++) socket.write(`X-${i}: ${'y'.repeat(30)}\r\n`);
    });
    const [answer] = await once(
      socket.on('error', () => undefined),
      'data',
    );
    socket.destroy();
    expect(String(answer)).toContain('431');
  });

  it('survives what is not HTTP', async () => {
    const { post, port } = await serve();
    const target = 'POST http://[bad HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n';
    for (const bytes of ['\x16\x03\x01 garbage\r\n\r\n', target]) {
      const socket = connect(port, '127.0.0.1', () => socket.write(bytes));
      await once(
        socket.on('data', () => {}).on('error', () => {}),
        'close',
      );
    }
    expect((await post('x')).status).toBe(200);
  });
});

it('has so many connections and no more', async () => {
  const { port } = await serve({ connectionsMax: 2 });
  const closed: number[] = [];
  const sockets = Array.from({ length: 3 }, (_, at) => {
    const socket = connect(port, '127.0.0.1');
    socket.on('error', () => undefined);
    socket.on('close', () => closed.push(at));
    return socket;
  });
  await until('the third is closed', () => closed.length === 1);
  for (const socket of sockets) socket.destroy();
});

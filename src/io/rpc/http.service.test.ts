import { connect } from 'node:net';
import { gunzipSync } from 'node:zlib';
import { afterEach, describe, expect, it } from 'vitest';
import { NO_ACCESS_CONTROL } from './access.ts';
import type { Caller } from './dispatcher.ts';
import { HTTP_BODY_BYTES_MAX, type HttpOptions, isAllowedHost, serveHttp } from './http.ts';

const ends: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0)) await end();
});

async function serve(options: Partial<HttpOptions> = {}) {
  const callers: Caller[] = [];
  const server = await serveHttp(
    {
      async reply(text: string, caller: Caller) {
        callers.push(caller);
        return text === 'long' ? `"${'x'.repeat(5_000)}"` : `"${text.length}"`;
      },
    } as never,
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
    // Names that only GoQuorum's documentation knows.
    await ask('/?psi=PS3', { psi: 'PS4' });
    expect(callers.map(({ psi }) => psi)).toEqual(['PS3', 'PS1', 'PS3', undefined, undefined]);
  });

  it('sends CORS headers to allowed origins alone', async () => {
    const { post } = await serve({ corsDomains: ['http://good.example'] });
    const good = await post('x', { origin: 'http://good.example' });
    expect(good.headers.get('access-control-allow-origin')).toBe('http://good.example');
    const bad = await post('x', { origin: 'http://bad.example' });
    expect(bad.headers.get('access-control-allow-origin')).toBeNull();
  });

  it('survives what is no HTTP', async () => {
    const { post, port } = await serve();
    await new Promise<void>((resolve) => {
      const socket = connect(port, '127.0.0.1', () => socket.write('\x16\x03\x01 garbage\r\n\r\n'));
      socket.on('data', () => {});
      socket.on('error', () => {});
      socket.once('close', () => resolve());
    });
    await new Promise<void>((resolve) => {
      const socket = connect(port, '127.0.0.1', () =>
        socket.write('POST http://[bad HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n'),
      );
      socket.on('data', () => {});
      socket.on('error', () => {});
      socket.once('close', () => resolve());
    });
    expect((await post('x')).status).toBe(200);
  });
});

it('hosts: addresses and listed names', () => {
  for (const host of ['localhost', 'localhost:1', '127.0.0.1:8545', '[::1]:1', undefined])
    expect(isAllowedHost(host, ['localhost'])).toBe(true);
  expect(isAllowedHost('evil.example', ['localhost'])).toBe(false);
  expect(isAllowedHost('evil.example', ['*'])).toBe(true);
});

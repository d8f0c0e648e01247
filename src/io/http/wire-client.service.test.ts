import { createServer, type RequestListener, type Server } from 'node:http';
import { type AddressInfo, createServer as createTcpServer, type Socket } from 'node:net';
import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { WireClient, wireText } from './wire-client.ts';
import { WireReader } from './wire-reader.ts';

const BYTES_MAX = 10_000;

function read(text: string, cuts: readonly number[] = []): unknown {
  const reader = new WireReader(BYTES_MAX);
  reader.restart();
  const bytes = Buffer.from(text, 'latin1');
  const places = [...new Set(cuts.map((cut) => cut % bytes.length))].sort((a, b) => a - b);
  let found: ReturnType<WireReader['push']>;
  for (const [index, start] of [0, ...places].entries()) {
    const piece = bytes.subarray(start, places[index] ?? bytes.length);
    if (piece.length > 0) found = reader.push(piece) ?? found;
  }
  const answer = found ?? reader.end();
  return answer && { ...answer, body: answer.body.toString(), isKept: reader.isKept };
}

describe('answers, however they are cut', () => {
  it.each<[string, string, object]>([
    [
      'fixed',
      'HTTP/1.1 200 OK\r\nContent-Length: 5\r\nX: a:b\r\n\r\nhello',
      { status: 200, body: 'hello', isKept: true },
    ],
    ['empty', 'HTTP/1.1 204 No Content\r\n\r\n', { status: 204, body: '', isKept: true }],
    [
      'chunked',
      'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3;x=y\r\nhel\r\n2\r\nlo\r\n0\r\nT: 1\r\n\r\n',
      { body: 'hello', isKept: true },
    ],
    [
      'after a 100',
      'HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 500 Oops\r\nConnection: close\r\nContent-Length: 1\r\n\r\nx',
      { status: 500, body: 'x', isKept: false },
    ],
    ['until the end', 'HTTP/1.0 200 OK\r\n\r\nhello', { body: 'hello', isKept: false }],
  ])('%s', (_, text, wanted) => {
    fc.assert(
      fc.property(fc.array(fc.nat(200)), (cuts) => {
        expect(read(text, cuts)).toMatchObject(wanted);
      }),
      { numRuns: 50 },
    );
  });

  it.each([
    'ICY 200 OK\r\n\r\n',
    'HTTP/1.1 200 OK\r\nbad\r\n\r\n',
    'HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n',
    'HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nxx',
    'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n',
    `HTTP/1.1 200 OK\r\nContent-Length: ${BYTES_MAX + 1}\r\n\r\n`,
    `HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n${(BYTES_MAX + 1).toString(16)}\r\n`,
    `HTTP/1.1 200 OK\r\nX: ${'x'.repeat(70_000)}`,
  ])('refuses %j', (text) => {
    expect(() => read(text)).toThrow();
  });
});

describe('a client', () => {
  const endings: (() => unknown)[] = [];
  afterEach(() => {
    for (const end of endings.splice(0)) end();
  });

  function client(port: number, change: object = {}): WireClient {
    const limits = {
      connectionsMax: 2,
      timeoutMs: 60_000,
      idleMs: 60_000,
      responseBytesMax: BYTES_MAX,
    };
    const found = new WireClient({ host: '127.0.0.1', port, ...limits, ...change });
    endings.push(() => found.close());
    return found;
  }

  async function listening(server: Server | ReturnType<typeof createTcpServer>): Promise<number> {
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    endings.push(() => server.close());
    return (server.address() as AddressInfo).port;
  }

  const serve = (play: RequestListener) => listening(createServer(play));

  it('shares its connections among many requests; text of any alphabet arrives', async () => {
    const sockets = new Set<Socket>();
    const port = await serve((request, response) => {
      sockets.add(request.socket);
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () =>
        response.end(`${request.url} ${request.headers['x-a']} ${Buffer.concat(chunks)}`),
      );
    });
    const http = client(port);
    const answers = await Promise.all(
      Array.from({ length: 50 }, (_, index) =>
        http.post(`/p${index}`, ['X-A', 'ä'], `"żółw ${index}"`),
      ),
    );
    const texts = answers.map((answer) => wireText(answer, BYTES_MAX));
    expect(texts).toEqual(texts.map((_, index) => `/p${index} ä "żółw ${index}"`));
    expect(sockets.size).toBe(2);
  });

  it('unpacks, and follows a server that closes after each answer', async () => {
    const packed = gzipSync('{"result":1}');
    const headers = { 'content-encoding': 'gzip', connection: 'close' };
    const port = await serve((_, response) => response.writeHead(200, headers).end(packed));
    const http = client(port);
    for (let turn = 0; turn < 3; turn++)
      expect(wireText(await http.post('/', [], ''), BYTES_MAX)).toBe('{"result":1}');
  });

  it('says whether anything can have been sent', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    endings.push(() => vi.useRealTimers());
    let isAsked = () => {};
    const asked = new Promise<void>((resolve) => (isAsked = resolve));
    const http = client(await serve(() => isAsked()), { connectionsMax: 1, timeoutMs: 300 });
    const both = Promise.allSettled([http.post('/', [], ''), http.post('/', [], '')]);
    await asked;
    vi.advanceTimersByTime(300);
    const ends = await both;
    vi.useRealTimers();
    expect(ends.map((end) => (end as PromiseRejectedResult).reason.message)).toEqual([
      'request timed out',
      'i/o timeout',
    ]);
    const gone = await listening(createTcpServer());
    endings.pop()!();
    await expect(client(gone).post('/', [], '')).rejects.toMatchObject({
      cause: { code: 'ECONNREFUSED' },
    });
  });

  it('a kept connection that ends without an answer is tried once more, and what fails then may have arrived', async () => {
    let turn = 0;
    const server = createTcpServer((socket) => {
      socket.on('error', () => {});
      socket.on('data', () => {
        if (turn++ === 0) socket.write('HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\nx');
        else {
          socket.destroy();
          server.close();
        }
      });
    });
    const http = client(await listening(server));
    await http.post('/', [], '');
    await expect(http.post('/', [], '')).rejects.toMatchObject({ data: { wasSent: true } });
  });
});

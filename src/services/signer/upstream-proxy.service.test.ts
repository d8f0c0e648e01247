/** A node behind an HTTP proxy: plain HTTP requests are sent to the proxy, TLS is tunnelled. */
import { X509Certificate } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, request as httpRequest, type Server } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import { type AddressInfo, connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import { WebSocket, WebSocketServer } from 'ws';
import { makeCertificate } from '../../../test/support/certificates.ts';
import { TunnelAgent } from '../../io/http/proxy-tunnel.ts';
import { upstreamAgent } from './tls.ts';
import { HttpUpstream, type UpstreamSettings } from './upstream.ts';

const endings: (() => void)[] = [];
afterEach(() => {
  for (const end of endings.splice(0).reverse()) end();
});

async function listening(server: Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  endings.push(() => {
    server.close();
    server.closeAllConnections();
  });
  return (server.address() as AddressInfo).port;
}

const ANSWER = '{"jsonrpc":"2.0","id":1,"result":"0x1"}';
const CREDENTIALS = `Basic ${Buffer.from('me:secret').toString('base64')}`;

/** An HTTP proxy that records its requests and refuses those without credentials. */
async function startProxy() {
  const asked: string[] = [];
  const server = createServer((request, response) => {
    asked.push(`${request.method} ${request.url}`);
    const { 'proxy-authorization': shown, ...headers } = request.headers;
    if (shown !== CREDENTIALS) return response.writeHead(407).end();
    const url = new URL(request.url!);
    const on = httpRequest(url, { method: request.method!, headers }, (answer) => {
      response.writeHead(answer.statusCode!, answer.headers);
      answer.pipe(response);
    });
    return request.pipe(on);
  });
  server.on('connect', (request, socket) => {
    asked.push(`CONNECT ${request.url}`);
    if (request.headers['proxy-authorization'] !== CREDENTIALS) {
      socket.end('HTTP/1.1 407 Who are you\r\n\r\n');
      return;
    }
    const [host, port] = request.url!.split(':');
    const on = connect(Number(port), host!, () => {
      socket.write('HTTP/1.1 200 Go on\r\n\r\n');
      on.pipe(socket).pipe(on);
    });
    for (const each of [socket, on]) each.on('error', () => each.destroy());
  });
  const port = await listening(server);
  const at = { host: '127.0.0.1', port, username: 'me', password: 'secret' as string | undefined };
  return { asked, at };
}

function ask(settings: Partial<UpstreamSettings>) {
  const upstream = new HttpUpstream({
    ...{ host: '127.0.0.1', port: 1, path: '/rpc', timeoutMs: 5_000, connectionsMax: 2 },
    ...{ secureAgent: undefined, ...settings },
  });
  endings.push(() => upstream.close());
  return upstream.post({ body: '{}', path: '/', headers: ['Content-Type', 'application/json'] });
}

it('plain HTTP: the proxy is asked for the whole URL, with credentials that the node does not see', async () => {
  const seen: unknown[] = [];
  const node = createServer((request, response) => {
    seen.push(request.url, request.headers.host, request.headers['proxy-authorization']);
    response.end(ANSWER);
  });
  const port = await listening(node);
  const { asked, at } = await startProxy();
  expect(await ask({ port, proxy: at })).toMatchObject({ status: 200, body: ANSWER });
  expect(asked).toEqual([`POST http://127.0.0.1:${port}/rpc`]);
  expect(seen).toEqual(['/rpc', `127.0.0.1:${port}`, undefined]);
  expect(await ask({ port, proxy: { ...at, username: undefined } })).toMatchObject({ status: 407 });
});

it('WebSockets go through a tunnel too', async () => {
  const node = createServer();
  const port = await listening(node);
  const sockets = new WebSocketServer({ server: node });
  sockets.on('connection', (socket) => socket.send('hello'));
  const { asked, at } = await startProxy();
  const heard = (proxy: typeof at) =>
    new Promise((resolve, reject) => {
      const client = new WebSocket(`ws://127.0.0.1:${port}/`, { agent: new TunnelAgent(proxy) });
      endings.push(() => client.terminate());
      client.on('error', reject);
      client.on('message', (data) => resolve(String(data)));
    });
  expect(await heard(at)).toBe('hello');
  expect(asked).toEqual([`CONNECT 127.0.0.1:${port}`]);
  await expect(heard({ ...at, password: 'wrong' })).rejects.toThrow('the proxy answers 407');
});

it('TLS: a tunnel, and the certificate of the node at its end is checked', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'tunnel-'));
  endings.push(() => rmSync(folder, { recursive: true }));
  const own = makeCertificate('node');
  const node = createSecureServer({ key: own.key, cert: own.cert }, (_request, response) =>
    response.end(ANSWER),
  );
  const port = await listening(node);
  const { asked, at } = await startProxy();
  const knownServersFile = join(folder, 'servers');
  const through = (proxy: typeof at | undefined) =>
    ask({
      port,
      secureAgent: upstreamAgent(
        {
          keyStore: undefined,
          knownServersFile,
          allowsAuthorities: false,
          authoritiesFile: undefined,
        },
        { host: '127.0.0.1', port, proxy },
      ),
    });
  writeFileSync(knownServersFile, '');
  await expect(through(at)).rejects.toMatchObject({ code: 'SIGNER_UPSTREAM_TLS' });
  const { fingerprint256 } = new X509Certificate(own.cert);
  writeFileSync(knownServersFile, `127.0.0.1:${port} ${fingerprint256}\n`);
  expect(await through(at)).toMatchObject({ status: 200, body: ANSWER });
  expect(asked).toEqual([`CONNECT 127.0.0.1:${port}`, `CONNECT 127.0.0.1:${port}`]);
  await expect(through({ ...at, password: undefined })).rejects.toBeDefined();
});

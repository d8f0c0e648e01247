import { createServer, request as httpRequest, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { HostAndOriginCheck, type HostAndOriginSettings } from './host-and-origin.ts';

const endings: (() => void)[] = [];
afterEach(() => {
  for (const end of endings.splice(0)) end();
});

async function serve(settings: Partial<HostAndOriginSettings>) {
  const check = new HostAndOriginCheck({
    hosts: ['localhost', '127.0.0.1'],
    corsOrigins: [],
    ...settings,
  });
  const server = createServer((request, response) => {
    if (!check.admit(request, response)) response.end('in');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  endings.push(() => server.close());
  const { port } = server.address() as AddressInfo;
  return (headers: Record<string, string>, method = 'POST') =>
    new Promise<{ response: IncomingMessage; body: string }>((resolve, reject) => {
      const sent = httpRequest({ port, host: '127.0.0.1', method, headers, path: '/' });
      sent.on('error', reject);
      sent.on('response', (response) => {
        let body = '';
        response.on('data', (chunk) => {
          body += chunk;
        });
        response.on('end', () => resolve({ response, body }));
      });
      sent.end();
    });
}

describe('host list', () => {
  it('by name, in any case, with any port; others get 403, an empty name too', async () => {
    const ask = await serve({ hosts: ['localhost', 'signer.example'] });
    for (const host of ['localhost', 'LOCALHOST:1', 'signer.example:8545'])
      expect((await ask({ host })).body).toBe('in');
    for (const host of ['evil.example', 'localhost.evil.example', ''] as const) {
      const { response, body } = await ask({ host });
      expect(response.statusCode).toBe(403);
      expect(response.headers['content-type']).toBe('application/json; charset=utf-8');
      expect(body).toBe('{"message":"Host not authorized."}');
    }
  });

  it('"*" is any, none is nobody', async () => {
    const any = await serve({ hosts: ['*'] });
    expect((await any({ host: 'evil.example' })).body).toBe('in');
    const nobody = await serve({ hosts: [] });
    expect((await nobody({ host: 'localhost' })).response.statusCode).toBe(403);
    const v6 = new HostAndOriginCheck({ hosts: ['::1'], corsOrigins: [] });
    expect(v6.refusal({ method: 'GET', headers: { host: '[::1]:8545' } })).toBeUndefined();
    expect(v6.refusal({ method: 'GET', headers: {} })).toEqual({ status: 400 });
  });
});

describe('origins', () => {
  const host = 'localhost';
  const refused = async (found: Promise<{ response: IncomingMessage; body: string }>) => {
    const { response, body } = await found;
    expect([response.statusCode, response.statusMessage, body]).toEqual([
      403,
      'CORS Rejected - Invalid origin',
      '',
    ]);
  };

  it('none listed: pages of browsers are refused, others come in', async () => {
    const ask = await serve({});
    expect((await ask({ host })).body).toBe('in');
    await refused(ask({ host, origin: 'https://a.example' }));
  });

  it('a list of whole origins: a dot is a dot', async () => {
    const ask = await serve({ corsOrigins: ['https://a.example', 'sample.com'] });
    const { response, body } = await ask({ host, origin: 'https://a.example' });
    expect(body).toBe('in');
    expect(response.headers['access-control-allow-origin']).toBe('https://a.example');
    expect(response.headers.vary).toBe('origin');
    expect((await ask({ host, origin: 'sample.com' })).body).toBe('in');
    await refused(ask({ host, origin: 'https://axexample' }));
    await refused(ask({ host, origin: 'https://a.example.evil' }));
    const preflight = {
      host,
      origin: 'https://a.example',
      'access-control-request-method': 'POST',
    };
    const answer = await ask(preflight, 'OPTIONS');
    expect(answer.response.statusCode).toBe(204);
    expect(answer.response.headers['access-control-allow-methods']).toContain('POST');
    expect(answer.response.headers['access-control-allow-headers']).toContain('authorization');
  });

  it('any: what is not an origin of the web is refused all the same', async () => {
    const ask = await serve({ corsOrigins: ['*'] });
    for (const origin of ['https://a.example:8080', 'null', 'ftp://x', 'moz-extension://ab-cd'])
      expect((await ask({ host, origin })).response.headers['access-control-allow-origin']).toBe(
        '*',
      );
    for (const origin of ['sample.com', 'file:///x', 'https://', 'https://a b'])
      await refused(ask({ host, origin }));
  });
});

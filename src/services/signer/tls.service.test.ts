import { X509Certificate } from 'node:crypto';
import { chmodSync, existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import * as https from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TLSSocket } from 'node:tls';
import { afterAll, afterEach, describe, expect, it } from 'vitest';
import {
  makeCertificate,
  pkcs12,
  type TestCertificate,
} from '../../../test/support/certificates.ts';
import { guardServer, serverOptions } from '../../io/http/tls-trust.ts';
import type { ServerTlsSettings, UpstreamTlsSettings } from './config/tls.ts';
import { serverTrust, upstreamAgent } from './tls.ts';

const folder = mkdtempSync(join(tmpdir(), 'signer-tls-'));
const endings: (() => void)[] = [];
afterEach(() => {
  for (const end of endings.splice(0)) end();
});
afterAll(() => rmSync(folder, { recursive: true }));

function file(name: string, content: string | Buffer): string {
  const path = join(folder, name);
  writeFileSync(path, content);
  return path;
}

const authority = makeCertificate('authority');
const server = makeCertificate('server', authority);
const listed = makeCertificate('listed');
const vouched = makeCertificate('vouched', authority);
const stranger = makeCertificate('listed');
const printOf = ({ cert }: TestCertificate): string => new X509Certificate(cert).fingerprint256;

const passwordFile = file('password', 'secret\nsecond line');
const keyStore = { file: file('server.p12', pkcs12(server, 'secret', [authority])), passwordFile };
const known = file(
  'known',
  `# clients\n\nlisted ${printOf(listed).toLowerCase()}\nother ${printOf(server).replaceAll(':', '')}\n`,
);
const CLOSED: ServerTlsSettings = {
  keyStore,
  knownClientsFile: known,
  allowsAuthorities: false,
  authoritiesFile: undefined,
  allowsAnyClient: false,
};

async function serve(settings: Partial<ServerTlsSettings>): Promise<number> {
  const trust = serverTrust({ ...CLOSED, ...settings });
  const made = https.createServer(serverOptions(trust), (_request, response) => response.end('in'));
  guardServer(made, trust);
  await new Promise<void>((resolve) => made.listen(0, '127.0.0.1', resolve));
  endings.push(() => {
    made.close();
    made.closeAllConnections();
  });
  return (made.address() as AddressInfo).port;
}

function ask(
  options: https.RequestOptions,
  see: (socket: TLSSocket) => void = () => {},
): Promise<string> {
  return new Promise((resolve, reject) => {
    const sent = https.request({ host: '127.0.0.1', ca: authority.cert, agent: false, ...options });
    sent.on('error', reject);
    sent.on('response', (response) => {
      see(response.socket as TLSSocket);
      response.on('data', (chunk) => resolve(String(chunk)));
    });
    sent.end();
  });
}

const shows = ({ key, cert }: TestCertificate) => ({ key, cert });

describe('the server', () => {
  it('lets in those who are in the file, and nobody else', async () => {
    const port = await serve({});
    expect(await ask({ port, ...shows(listed) })).toBe('in');
    await expect(ask({ port, ...shows(stranger) })).rejects.toThrow();
    await expect(ask({ port, ...shows(vouched) })).rejects.toThrow();
    await expect(ask({ port })).rejects.toThrow();
  });

  it('speaks TLS only, and shows the certificate of its file', async () => {
    const port = await serve({ knownClientsFile: undefined, allowsAnyClient: true });
    let shown = '';
    await ask({ port }, (socket) => {
      shown = socket.getPeerCertificate().fingerprint256;
    });
    expect(shown).toBe(printOf(server));
    await expect(ask({ port, ca: stranger.cert })).rejects.toThrow();
    await expect(fetch(`http://127.0.0.1:${port}/`)).rejects.toThrow();
  });

  it('or those whom an authority vouches for; or everybody', async () => {
    const authoritiesFile = file('authority.pem', authority.cert);
    const port = await serve({ allowsAuthorities: true, authoritiesFile });
    expect(await ask({ port, ...shows(vouched) })).toBe('in');
    expect(await ask({ port, ...shows(listed) })).toBe('in');
    await expect(ask({ port, ...shows(stranger) })).rejects.toThrow();
    const open = await serve({ knownClientsFile: undefined, allowsAnyClient: true });
    expect(await ask({ port: open })).toBe('in');
  });

  it('a session that is taken up again is checked as the first', async () => {
    const authoritiesFile = file('authority.pem', authority.cert);
    const port = await serve({ allowsAuthorities: true, authoritiesFile });
    for (const client of [listed, vouched]) {
      for (const maxVersion of ['TLSv1.2', 'TLSv1.3'] as const) {
        const agent = new https.Agent({ keepAlive: false });
        const resumed: boolean[] = [];
        for (let i = 0; i < 3; i++) {
          const body = ask({ port, agent, maxVersion, ...shows(client) }, (socket) =>
            resumed.push(socket.isSessionReused()),
          );
          expect(await body).toBe('in');
        }
        expect(resumed).toEqual([false, true, true]);
      }
    }
  });

  it('a list that is missing is made', async () => {
    const path = join(folder, 'made');
    const port = await serve({ knownClientsFile: path });
    expect(existsSync(path)).toBe(true);
    await expect(ask({ port, ...shows(listed) })).rejects.toThrow();
  });

  it("files that are wrong stop the start in EthSigner's and Web3Signer's words", () => {
    const start = (change: Partial<ServerTlsSettings>) => () =>
      serverTrust({ ...CLOSED, ...change });
    const withStore = (name: string, password: string) =>
      start({ keyStore: { file: name, passwordFile: password } });
    expect(withStore(keyStore.file, join(folder, 'none'))).toThrow(/does not exist at specified/);
    expect(withStore(join(folder, 'none.p12'), passwordFile)).toThrow(/does not exist/);
    expect(withStore(keyStore.file, file('empty', ''))).toThrow('Cannot read from empty file');
    expect(withStore(keyStore.file, file('wrong', 'wrong'))).toThrow('Failed to load TLS files');
    expect(withStore(file('no.p12', 'x'), passwordFile)).toThrow('Failed to load TLS files');
    const bad = (text: string) => start({ knownClientsFile: file('bad', text) });
    expect(bad('\nname')).toThrow(/Illegally formatted client fingerprint file.*\(line 2\)/);
    expect(bad('name 12:34')).toThrow(/Invalid fingerprint in .* \(line 1\)/);
    if (process.getuid?.() !== 0) {
      const closed = file('closed', 'secret');
      chmodSync(closed, 0);
      expect(withStore(keyStore.file, closed)).toThrow('does not have permissions');
    }
  });
});

describe('towards the node', () => {
  const OPEN: UpstreamTlsSettings = {
    keyStore: undefined,
    knownServersFile: undefined,
    allowsAuthorities: true,
    authoritiesFile: undefined,
  };
  const through = async (port: number, settings: Partial<UpstreamTlsSettings>): Promise<string> => {
    const agent = upstreamAgent({ ...OPEN, ...settings }, { host: '127.0.0.1', port })({});
    endings.push(() => agent.destroy());
    return ask({ port, ca: undefined, agent });
  };

  it('trusts authorities, or certificates by host and port', async () => {
    const port = await serve({ knownClientsFile: undefined, allowsAnyClient: true });
    await expect(through(port, {})).rejects.toMatchObject({ code: 'ERR_TLS_CERT_UNTRUSTED' });
    expect(await through(port, { authoritiesFile: file('ca.pem', authority.cert) })).toBe('in');
    const servers = (name: string) =>
      file('servers', `${name}:${port} ${printOf(server).replaceAll(':', '').toUpperCase()}\n`);
    const pinned = { allowsAuthorities: false, knownServersFile: servers('127.0.0.1') };
    expect(await through(port, pinned)).toBe('in');
    const other = { allowsAuthorities: false, knownServersFile: servers('localhost') };
    await expect(through(port, other)).rejects.toThrow('not trusted');
  });

  it('shows its own certificate', async () => {
    const port = await serve({});
    const own = { file: file('own.p12', pkcs12(listed, 'secret')), passwordFile };
    const authoritiesFile = file('ca.pem', authority.cert);
    expect(await through(port, { authoritiesFile, keyStore: own })).toBe('in');
    await expect(through(port, { authoritiesFile })).rejects.toThrow();
    const gone = { ...own, file: join(folder, 'gone.p12') };
    await expect(through(port, { keyStore: gone })).rejects.toThrow('does not exist');
    const wrong = { ...own, passwordFile: file('wrong', 'wrong') };
    await expect(through(port, { keyStore: wrong })).rejects.toThrow('Failed to load TLS files');
  });
});

import { writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { scratchFolder } from '../../../test/support/scratch.ts';
import { type ManagerFlag, resolveManagerConfig } from './config.ts';

const folder = scratchFolder('ptm-config-');
function file(name: string, text: string): string {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
}

describe('the way to the manager', () => {
  it('is undefined when PRIVATE_CONFIG is unset, empty or ignore', () => {
    for (const value of [undefined, '', 'ignore', 'IGNORE']) {
      expect(resolveManagerConfig(value)).toMatchObject({
        connection: 'none',
        timeout: 5,
        dialTimeout: 1,
        httpIdleConnTimeout: 10,
      });
    }
  });

  it('is a socket, or a TOML file with names in any case, and flags go over it', async () => {
    const path = join(folder, 'tm.ipc');
    const server = createServer();
    await new Promise<void>((done) => server.listen(path, done));
    expect(resolveManagerConfig(path)).toMatchObject({
      connection: 'unix',
      workDir: folder,
      socket: 'tm.ipc',
    });
    server.close();
    const toml = file(
      'a.toml',
      'HTTPUrl = "https://h:9101"\ntlsMode = "STRICT"\ntimeout = 7\nTLSINSECURESKIPVERIFY = true\nunknown = 1\n',
    );
    expect(resolveManagerConfig(toml, { 'ptm.timeout': 9 })).toMatchObject({
      connection: 'http',
      httpUrl: 'https://h:9101',
      tlsMode: 'strict',
      timeout: 9,
      tlsInsecureSkipVerify: true,
    });
    const socket = file('b.toml', 'socket = "tm.ipc"\nworkdir = "/qdata"\n');
    expect(resolveManagerConfig(socket)).toMatchObject({
      connection: 'unix',
      workDir: '/qdata',
      socket: 'tm.ipc',
    });
    expect(resolveManagerConfig(undefined, { 'ptm.socket': '/x/y.ipc' })).toMatchObject({
      connection: 'unix',
      workDir: '/x',
      socket: 'y.ipc',
    });
  });

  it("is refused in GoQuorum's words", () => {
    const neither = file('c.toml', 'timeout = 5\n');
    const cases: [string | undefined, Partial<Record<ManagerFlag, string>>, string][] = [
      [
        '/nonexistent/tm.ipc',
        {},
        "unable to check whether connection details are specified as a config file or ipc file '/nonexistent/tm.ipc', due to: lstat /nonexistent/tm.ipc: no such file or directory",
      ],
      [
        neither,
        {},
        `error reading config from '${neither}' due to: either Socket or HTTP connection must be specified in config file`,
      ],
      [
        undefined,
        { 'ptm.socket': '/a', 'ptm.url': 'http://b' },
        'HTTP URL and unix ipc file cannot both be specified for private transaction manager connection',
      ],
      [
        undefined,
        { 'ptm.socket': '/a', 'ptm.tls.mode': 'strict' },
        'TLS is not supported over unix domain socket for private transaction manager connection',
      ],
      [
        undefined,
        { 'ptm.url': 'http://b', 'ptm.tls.mode': 'strict' },
        'connection is configured with TLS but HTTPS url is not specified',
      ],
      [
        undefined,
        { 'ptm.url': 'http://b', 'ptm.tls.mode': 'x' },
        'invalid value for TLS mode in config file, must be either OFF or STRICT',
      ],
      [
        undefined,
        { 'ptm.url': 'https://b', 'ptm.tls.mode': 'strict', 'ptm.tls.clientcert': 'c' },
        'invalid details for HTTP connection with TLS, configuration must specify both clientCert and clientKey, or neither one',
      ],
      [
        undefined,
        { 'ptm.url': '' },
        'URL configuration is missing for private transaction manager HTTP connection',
      ],
      [
        undefined,
        { 'ptm.socket': '' },
        'ipc file configuration is missing for private transaction manager connection',
      ],
    ];
    for (const [path, flags, text] of cases)
      expect(() => resolveManagerConfig(path, flags), text).toThrow(text);
  });
});

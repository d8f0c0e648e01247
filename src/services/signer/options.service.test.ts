import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { variablesOf } from '../../io/options/environment.ts';
import { isUsageError } from '../../io/options/options.ts';
import { signerConfig } from './config.ts';
import { parseSignerOptions, SIGNER_ROWS, SIGNER_VARIABLES } from './options.ts';

const folder = mkdtempSync(join(tmpdir(), 'signer-options-'));
afterAll(() => rmSync(folder, { recursive: true }));

const BASE = ['--chain-id', '1337', '--downstream-http-port', '22000'];
const settings = (argv: readonly string[], env: Record<string, string> = {}) =>
  signerConfig(parseSignerOptions(argv, env));

function file(name: string, text: string): string {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
}

function refusal(argv: readonly string[], env: Record<string, string> = {}): string {
  try {
    settings(argv, env);
  } catch (error) {
    expect(isUsageError(error)).toBe(true);
    return (error as Error).message;
  }
  throw new Error('not refused');
}

describe('forms of the command line', () => {
  it("EthSigner's: where it listens, and what its subcommands read", () => {
    const found = settings([...BASE, 'multikey-signer', '--directory=keys']);
    expect(found.listen).toEqual({ host: '127.0.0.1', port: 8545 });
    expect(found.chainId).toBe(1337n);
    expect(found.upstream).toMatchObject({ host: '127.0.0.1', port: 22000, path: '/' });
    expect(found.keys.ethSigner).toEqual({ kind: 'multikey-signer', folder: 'keys' });
    expect(found.keys.configFolder).toBeUndefined();
    expect(found.portsFile).toBe('ethsigner.ports');
    const short = settings([...BASE, 'file-based-signer', '-k', 'key', '-p', 'password']).keys;
    expect(short.ethSigner).toEqual({
      kind: 'file-based-signer',
      keyFile: 'key',
      passwordFile: 'password',
    });
    const vault = settings([
      ...[...BASE, 'hashicorp-signer', '--host', 'vault', '--port=1', '--auth-file', 'a'],
      ...['--tls-enabled', 'false'],
    ]).keys;
    expect(vault.ethSigner).toMatchObject({ host: 'vault', port: 1, tls: false });
    expect(settings([...BASE, 'raw-signer', '--key', 'ab']).keys.ethSigner).toEqual({
      kind: 'raw-signer',
      key: 'ab',
    });
  });

  it("Web3Signer's: base options, eth1, its options; or without the word", () => {
    const argv = ['--http-listen-port=9000', '--key-store-path', 'keys', '-l=debug'];
    const found = settings([...argv, 'eth1', '--chain-id=1', '--azure-tags=a=b|c=d']);
    expect(found.upstream.port).toBe(8545);
    expect(found.keys).toMatchObject({ configFolder: 'keys', azure: undefined });
    expect(found.logging).toEqual({ verbosity: 4, format: 'PLAIN', access: false });
    expect(found.portsFile).toBe('web3signer.ports');
    expect(settings(['eth1', ...BASE]).keys.configFolder).toBe('./');
    expect(settings(BASE).keys.configFolder).toBeUndefined();
    const cloud = settings([...BASE, '--azure-vault-enabled', '--azure-tags=a=b|c=d']).keys.azure;
    expect(cloud?.tags).toEqual([
      ['a', 'b'],
      ['c', 'd'],
    ]);
    const flags = ['--vertx-worker-pool-size=5', '--signer-load-parallel', 'false'];
    expect(settings(['eth1', ...BASE, ...flags]).listen.port).toBe(8545);
  });

  it('what is missing or makes no sense is named', () => {
    expect(refusal([])).toBe('Missing required option(s): --chain-id');
    expect(refusal(['--chain-id', '1'])).toContain("'--downstream-http-port': this proxy listens");
    expect(refusal(['--chain-id', '-1', '--downstream-http-port=1'])).toContain('--chain-id');
    expect(refusal(['--chain-id', '0x'])).toContain('--chain-id');
    expect(refusal([...BASE, '--http-listen-port', '22000'])).toBe(
      'Http host and port must be different to the downstream host and port.',
    );
    expect(refusal([...BASE, '--http-listen-port', '65536'])).toContain('is not a port');
    expect(refusal([...BASE, '--downstream-http-request-timeout=0'])).toBe(
      'Http request timeout must be greater than 0.',
    );
    expect(refusal([...BASE, '--downstream-http-path', 'a b'])).toBe(
      'Illegal characters detected in --downstream-http-path',
    );
    expect(refusal([...BASE, '--metrics-enabled', '--metrics-push-enabled'])).toContain(
      "can't be used at the same time",
    );
    expect(refusal([...BASE, '--metrics-category=X'])).toBe('Unknown category: X');
    expect(refusal([...BASE, '--logging', 'loud'])).toContain("but was 'loud'");
    expect(refusal([...BASE, '--key-store-config-file-max-size=0'])).toBe(
      "Invalid value for option '--key-store-config-file-max-size': Expecting positive value.",
    );
    expect(refusal([...BASE, '--keystores-path', 'x'])).toBe(
      'Either --keystores-password-file or --keystores-passwords-path must be specified',
    );
    expect(refusal([...BASE, 'multikey-signer'])).toContain("'--directory'");
    expect(refusal([...BASE, 'eth2'])).toContain('eth2');
    expect(refusal([...BASE, 'nonsense'])).toBe("Unmatched argument: 'nonsense'");
    expect(refusal([...BASE, 'eth1', 'multikey-signer'])).toContain('multikey-signer');
    expect(refusal([...BASE, '--chain-di', '1'])).toContain('did you mean --chain-id?');
    expect(refusal([...BASE, '--jwt-issuer', 'x'])).toContain('need --jwt-keys');
    expect(refusal([...BASE, '--ptm-url', 'localhost'])).toContain('--ptm-url');
  });

  it('lists of hosts and origins', () => {
    const hosts = (text: string) => settings([...BASE, '--http-host-allowlist', text]).hosts;
    expect(settings(BASE).hosts).toEqual(['localhost', '127.0.0.1']);
    expect(hosts('Example.COM,a')).toEqual(['example.com', 'a']);
    expect(hosts('all')).toEqual(['*']);
    expect(hosts('none')).toEqual([]);
    expect(refusal([...BASE, '--http-host-allowlist', 'none,a'])).toBe(
      "Value 'none' can't be used with other hostnames",
    );
    expect(refusal([...BASE, '--http-cors-origins', '*,a'])).toBe(
      "Values '*' or 'all' can't be used with other domains",
    );
  });
});

describe('TLS options that belong together', () => {
  const store = ['--tls-keystore-file', 'k', '--tls-keystore-password-file', 'p'];
  it('of the server', () => {
    expect(settings(BASE).tls).toBeUndefined();
    expect(settings([...BASE, ...store, '--tls-allow-any-client']).tls).toMatchObject({
      keyStore: { file: 'k', passwordFile: 'p' },
      allowsAnyClient: true,
    });
    expect(refusal([...BASE, '--tls-keystore-file', 'k'])).toBe(
      '--tls-keystore-file must be specified together with --tls-keystore-password-file',
    );
    const raw = ['raw-signer', '--key', 'ab'];
    expect(refusal([...BASE, '--tls-keystore-file', 'k', ...raw])).toBe(
      "Missing required argument(s): '--tls-keystore-password-file=<FILE>'",
    );
    expect(refusal([...BASE, ...store])).toContain('--tls-known-clients-file must be specified if');
    expect(refusal([...BASE, ...store, ...raw])).toContain(
      'expecting either --tls-allow-any-client or one of',
    );
    expect(
      refusal([...BASE, ...store, '--tls-allow-any-client', '--tls-allow-ca-clients']),
    ).toContain('--tls-allow-any-client cannot be set to true when');
    expect(refusal([...BASE, '--tls-known-clients-file', 'f'])).toContain('must be specified');
  });

  it('towards the node', () => {
    const on = [...BASE, '--downstream-http-tls-enabled'];
    expect(settings(on).upstream.tls).toMatchObject({ allowsAuthorities: true });
    expect(refusal([...on, '--downstream-http-tls-ca-auth-enabled', 'false'])).toContain(
      "'--downstream-http-tls-known-servers-file' must be specified",
    );
    expect(refusal([...BASE, '--downstream-http-tls-known-servers-file', 'f'])).toBe(
      "Missing required argument(s): '--downstream-http-tls-enabled=true'",
    );
    expect(refusal([...on, '--downstream-http-tls-keystore-file', 'f'])).toContain(
      "'--downstream-http-tls-keystore-password-file=<FILE>'",
    );
  });
});

describe('environment and configuration files', () => {
  it('every option and alias under the names of both programs; ours wins', () => {
    const env = {
      WEB3SIGNER_ETH1_CHAIN_ID: '5',
      ETHSIGNER_DOWNSTREAM_HTTP_PORT: '22000',
      WEB3SIGNER_KEY_STORE_PATH: 'keys',
      WEB3SIGNER_HTTP_LISTEN_HOST: '0.0.0.0',
      ETHSIGNER_HTTP_LISTEN_HOST: '10.0.0.1',
      QUORATE_SIGNER_HTTP_LISTEN_PORT: '1',
      WEB3SIGNER_HTTP_LISTEN_PORT: '2',
      ETHSIGNER_MULTIKEY_SIGNER_DIRECTORY: 'multi',
      ETHSIGNER_DATA_PATH: '',
    };
    expect(settings([], env)).toMatchObject({
      chainId: 5n,
      listen: { host: '0.0.0.0', port: 1 },
      keys: { configFolder: 'keys' },
      dataPath: undefined,
    });
    expect(settings(['multikey-signer'], env).keys.ethSigner).toMatchObject({ folder: 'multi' });
    const names = SIGNER_ROWS.flatMap((row) => variablesOf(row, SIGNER_VARIABLES));
    expect(new Set(names).size).toBe(names.length);
    expect(refusal(BASE, { WEB3SIGNER_HTTP_LISTEN_PORT: 'x' })).toContain(
      'environment variable WEB3SIGNER_HTTP_LISTEN_PORT',
    );
  });

  it('command line over environment over file, in TOML and in YAML', () => {
    const toml = file('a.toml', 'chain-id = 1\ndownstream-http-port = 5\nhttp-listen-port = 6\n');
    const yaml = file(
      'a.yaml',
      'eth1:\n  chain-id: 1\n  downstream-http-port: 5\nhttp-listen-port: 6',
    );
    for (const path of [toml, yaml]) {
      const env = { WEB3SIGNER_HTTP_LISTEN_PORT: '7', ETHSIGNER_CONFIG_FILE: path };
      const found = settings(['--downstream-http-port', '8'], env);
      expect(found).toMatchObject({ chainId: 1n, listen: { port: 7 }, upstream: { port: 8 } });
    }
  });

  it('tables, lists and maps', () => {
    const toml = file(
      'b.toml',
      `chain-id = "2018"
       downstream-http-port = 1
       http-host-allowlist = ["a", "b"]
       [multikey-signer]
       directory = "/keys"`,
    );
    const found = settings(['--config-file', toml, 'multikey-signer']);
    expect(found).toMatchObject({ hosts: ['a', 'b'], keys: { ethSigner: { folder: '/keys' } } });
    const yaml = file(
      'b.yaml',
      `eth1.chain-id: 7
eth1.downstream-http-port: 1
eth1.azure-vault-enabled: true
eth1.azure-tags: { a: b, c: d }
http-host-allowlist: [a, b]`,
    );
    const other = settings([`--config-file=${yaml}`, 'eth1']);
    expect(other).toMatchObject({ chainId: 7n, hosts: ['a', 'b'] });
    expect(other.keys.azure?.tags).toHaveLength(2);
  });

  it("errors in EthSigner's and Web3Signer's words, without what is in the file", () => {
    const bad = (name: string, text: string) =>
      refusal([...BASE, '--config-file', file(name, text)]);
    expect(refusal([...BASE, '--config-file=none.yaml'])).toBe(
      'Unable to read yaml configuration. File not found: none.yaml',
    );
    expect(refusal([...BASE, '--config-file=none.toml'])).toBe(
      'TOML configuration file not found: none.toml',
    );
    expect(bad('e.yaml', '')).toContain('Empty yaml configuration file: ');
    expect(bad('e.toml', '# nothing')).toContain('Empty TOML configuration file: ');
    expect(bad('l.yaml', '- a')).toBe('Unexpected yaml content');
    expect(bad('u.yaml', 'zz: 1')).toBe('Unknown option in yaml configuration file: zz');
    expect(bad('u.toml', 'zz = 1\naa = 2')).toBe(
      'Unknown options in TOML configuration file: aa, zz',
    );
    expect(bad('s.toml', 'chain-id = = secret-word')).toMatch(/^Invalid TOML configuration: /);
    expect(bad('s.toml', 'chain-id = = secret-word')).not.toContain('secret-word');
    expect(bad('s.yaml', 'a: [secret-word')).toContain('Invalid yaml file [');
    expect(bad('s.yaml', 'a: [secret-word')).not.toContain('secret-word');
    expect(bad('v.yaml', 'http-listen-port: many')).toContain('v.yaml: http-listen-port');
  });
});

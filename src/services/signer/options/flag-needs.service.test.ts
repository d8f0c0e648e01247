/**
 * Some code reads every flag of the signing proxy, and a flag that needs another one says so when
 * that is missing.
 */
import { describe, expect, it } from 'vitest';
import { flagsReadBy } from '../../../../test/support/read-flags.ts';
import { flagsInVain } from '../../../io/options/needs.ts';
import { tracingSettings } from '../../../io/tracing/settings.ts';
import { signerConfig } from '../config.ts';
import { ETHSIGNER_SUBCOMMANDS, parseSignerOptions, SIGNER_ROWS } from '../options.ts';
import { SIGNER_NEEDS } from './flag-needs.ts';

const BASE = ['--chain-id', '1', '--downstream-http-port', '1'];
const words = (text: string) => (text === '' ? [] : text.split(' '));

function vain(line: string): string[] {
  const options = parseSignerOptions([...BASE, ...words(line)], {});
  return flagsInVain({ options }, SIGNER_NEEDS).map(
    ({ flags, why }) => `${flags.join(' ')}: ${why}`,
  );
}

it.each([
  '',
  'eth1 --key-store-path=k --key-store-config-file-max-size 5',
  'eth1 --key-store-config-file-max-size 5',
  '--keystores-path k --keystores-password-file p --keystores-unlock-at-start',
  '--azure-vault-enabled --azure-vault-name v --azure-client-id c --azure-client-secret s --azure-tenant-id t --azure-tags a=b',
  '--azure-vault-enabled --azure-vault-auth-mode USER_ASSIGNED_MANAGED_IDENTITY --azure-vault-name v --azure-client-id c',
  '--aws-kms-enabled --aws-kms-region r --aws-kms-access-key-id a --aws-kms-secret-access-key s',
  '--metrics-enabled --metrics-host h --metrics-category HTTP',
  '--metrics-push-enabled --metrics-push-port 5 --metrics-category HTTP',
  '--downstream-http-proxy-host h --downstream-http-proxy-port 3 --downstream-http-proxy-username u --downstream-http-proxy-password p',
  '--downstream-http-tls-enabled --downstream-http-tls-ca-file f',
  '--tls-keystore-file f --tls-keystore-password-file p --tls-allow-any-client',
  '--tls-allow-any-client=false',
  '--jwt-keys k --forward-authorization',
  'multikey-signer --directory d',
  'hashicorp-signer --auth-file f --tls-known-server-file k',
])('nothing to say of "%s"', (line) => expect(vain(line)).toEqual([]));

it.each([
  ['--keystores-password-file p', 'keystores-password-file: it needs --keystores-path'],
  ['--key-store-config-file-max-size 5', 'it needs --key-config-path'],
  [
    'multikey-signer --directory d --key-store-path k',
    'key-config-path: it needs a start without an EthSigner subcommand',
  ],
  [
    '--azure-vault-name v --azure-tags a=b',
    'azure-vault-name azure-tags: they need --azure-vault-enabled',
  ],
  [
    '--azure-vault-enabled --azure-vault-auth-mode system_assigned_managed_identity --azure-client-id c',
    'azure-client-id: it needs another --azure-vault-auth-mode',
  ],
  [
    '--azure-vault-enabled --azure-vault-auth-mode SYSTEM_ASSIGNED_MANAGED_IDENTITY --azure-tenant-id t',
    'azure-tenant-id: it needs --azure-vault-auth-mode CLIENT_SECRET',
  ],
  ['--aws-kms-region r', 'aws-kms-region: it needs --aws-kms-enabled'],
  [
    '--aws-kms-enabled --aws-kms-auth-mode ENVIRONMENT --aws-kms-access-key-id a',
    'aws-kms-access-key-id: it needs --aws-kms-auth-mode SPECIFIED',
  ],
  ['--tls-allow-any-client', 'tls-allow-any-client: it needs --tls-keystore-file'],
  ['--metrics-port 5', 'metrics-port: it needs --metrics-enabled'],
  ['--metrics-category HTTP', 'it needs --metrics-enabled or --metrics-push-enabled'],
  ['--metrics-push-interval 5', 'metrics-push-interval: it needs --metrics-push-enabled'],
  ['--downstream-http-proxy-port 5', 'it needs --downstream-http-proxy-host'],
  [
    '--downstream-http-proxy-host h --downstream-http-proxy-password p',
    'it needs --downstream-http-proxy-username',
  ],
  [
    '--downstream-http-tls-enabled --downstream-http-tls-ca-auth-enabled=false --downstream-http-tls-ca-file f',
    'downstream-http-tls-ca-file: it needs --downstream-http-tls-ca-auth-enabled',
  ],
  ['--forward-authorization', 'it needs --jwt-keys or --jwt-secret-file'],
  ['--multikey-signer.directory d', 'it needs the subcommand multikey-signer'],
  [
    'hashicorp-signer --auth-file f --tls-enabled false --tls-known-server-file k',
    'it needs --tls-enabled of hashicorp-signer',
  ],
])('"%s" is told', (line, text) => {
  const [only, ...more] = vain(line);
  expect(only).toContain(text);
  expect(more).toEqual([]);
});

describe('each flag', () => {
  /** Command lines that together use everything. */
  const STARTS = [
    '--azure-vault-enabled --aws-kms-enabled --metrics-enabled --keystores-path k --keystores-password-file p --downstream-http-proxy-host h',
    '--metrics-push-enabled --downstream-http-tls-enabled --jwt-keys k',
    '--otel.endpoint http://127.0.0.1:4318',
    ...ETHSIGNER_SUBCOMMANDS.map((name) => {
      const own = SIGNER_ROWS.filter(({ flag }) => flag.startsWith(`${name}.`));
      const given = own.filter(({ type }) => type === 'string');
      return [name, ...given.map(({ flag }) => `--${flag.slice(name.length + 1)}=x`)].join(' ');
    }),
  ];

  it('is read, or says that it is without effect', () => {
    const read = flagsReadBy(() => {
      for (const line of STARTS) {
        const options = parseSignerOptions([...BASE, ...words(line)], {});
        signerConfig(options);
        tracingSettings(options, {}, 'quorate-signer', () => {});
      }
    });
    const unread = SIGNER_ROWS.filter(
      ({ flag, ignored }) => !ignored && flag !== 'config-file' && !read.has(flag),
    );
    expect(unread.map(({ flag }) => flag)).toEqual([]);
  });
});

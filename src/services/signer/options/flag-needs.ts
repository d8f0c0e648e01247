/** Flags of the signing proxy that have an effect only together with another flag. */
import { type FlagNeed, given, type NeedWorld, on } from '../../../io/options/needs.ts';
import { ETHSIGNER_SUBCOMMANDS, isEthSignerSubcommand, SIGNER_ROWS } from '../options.ts';

const word = ({ options }: NeedWorld): string | undefined => options.positional[0];
const isMode =
  (flag: string, ...modes: string[]) =>
  ({ options }: NeedWorld): boolean =>
    modes.includes(options.string(flag)!.toUpperCase());

const azure = on('azure-vault-enabled');
const kms = on('aws-kms-enabled');

const KEY_NEEDS: readonly FlagNeed[] = [
  ...ETHSIGNER_SUBCOMMANDS.map((name) => ({
    flags: SIGNER_ROWS.map(({ flag }) => flag).filter((flag) => flag.startsWith(`${name}.`)),
    isMet: (world: NeedWorld) => word(world) === name,
    what: `the subcommand ${name}`,
  })),
  {
    flags: ['hashicorp-signer.tls-known-server-file'],
    isMet: (world) =>
      word(world) !== 'hashicorp-signer' || on('hashicorp-signer.tls-enabled')(world),
    what: '--tls-enabled of hashicorp-signer',
  },
  {
    flags: ['key-config-path', 'key-store-config-file-max-size'],
    isMet: (world) => !isEthSignerSubcommand(word(world)),
    what: 'a start without an EthSigner subcommand, which names the keys itself',
  },
  {
    flags: ['key-store-config-file-max-size'],
    isMet: (world) => word(world) !== undefined || given('key-config-path')(world),
    what: '--key-config-path',
  },
  {
    flags: ['keystores-passwords-path', 'keystores-password-file'],
    isMet: given('keystores-path'),
    what: '--keystores-path',
  },
  {
    flags: [
      ...['azure-vault-auth-mode', 'azure-vault-name', 'azure-client-id', 'azure-client-secret'],
      ...['azure-tenant-id', 'azure-response-timeout', 'azure-tags'],
    ],
    isMet: azure,
    what: '--azure-vault-enabled',
  },
  {
    flags: ['azure-client-secret', 'azure-tenant-id'],
    isMet: (world) => !azure(world) || isMode('azure-vault-auth-mode', 'CLIENT_SECRET')(world),
    what: '--azure-vault-auth-mode CLIENT_SECRET',
  },
  {
    flags: ['azure-client-id'],
    isMet: (world) =>
      !azure(world) || !isMode('azure-vault-auth-mode', 'SYSTEM_ASSIGNED_MANAGED_IDENTITY')(world),
    what: 'another --azure-vault-auth-mode: this one knows its identity from the machine',
  },
  {
    flags: [
      ...['aws-kms-auth-mode', 'aws-kms-access-key-id', 'aws-kms-secret-access-key'],
      ...['aws-kms-region', 'aws-kms-tag', 'aws-endpoint-override'],
    ],
    isMet: kms,
    what: '--aws-kms-enabled',
  },
  {
    flags: ['aws-kms-access-key-id', 'aws-kms-secret-access-key'],
    isMet: (world) => !kms(world) || isMode('aws-kms-auth-mode', 'SPECIFIED')(world),
    what: '--aws-kms-auth-mode SPECIFIED',
  },
];

export const SIGNER_NEEDS: readonly FlagNeed[] = [
  ...KEY_NEEDS,
  {
    flags: ['tls-allow-any-client'],
    isMet: given('tls-keystore-file'),
    what: '--tls-keystore-file',
  },
  {
    flags: ['metrics-host', 'metrics-port', 'metrics-host-allowlist'],
    isMet: on('metrics-enabled'),
    what: '--metrics-enabled',
  },
  {
    flags: ['metrics-category'],
    isMet: on('metrics-enabled', 'metrics-push-enabled'),
    what: '--metrics-enabled or --metrics-push-enabled',
  },
  {
    flags: [
      ...['metrics-push-host', 'metrics-push-port', 'metrics-push-interval'],
      'metrics-push-prometheus-job',
    ],
    isMet: on('metrics-push-enabled'),
    what: '--metrics-push-enabled',
  },
  {
    flags: [
      ...['downstream-http-proxy-port', 'downstream-http-proxy-username'],
      'downstream-http-proxy-password',
    ],
    isMet: given('downstream-http-proxy-host'),
    what: '--downstream-http-proxy-host',
  },
  {
    flags: ['downstream-http-proxy-password'],
    isMet: (world) =>
      !given('downstream-http-proxy-host')(world) || given('downstream-http-proxy-username')(world),
    what: '--downstream-http-proxy-username',
  },
  {
    flags: ['downstream-http-tls-ca-file'],
    isMet: on('downstream-http-tls-ca-auth-enabled'),
    what: '--downstream-http-tls-ca-auth-enabled',
  },
  {
    flags: ['forward-authorization'],
    isMet: given('jwt-keys', 'jwt-secret-file'),
    what: '--jwt-keys or --jwt-secret-file: without them the header is always passed on',
  },
];

/**
 * The configuration of GoQuorum's account plugin for HashiCorp Vault, in the format of that plugin
 * (quorum-account-plugin-hashicorp-vault).
 */
import { fileURLToPath } from 'node:url';
import {
  type Environment,
  type Fields,
  invalidSettings,
  object,
} from '../../../io/auth/plugin-settings.ts';

export interface VaultAccountsConfig {
  readonly vault: URL;
  /**
   * `kv`: keys are read from the vault when unlocked; `signer`: the vault's engine quorum-signer
   * signs.
   */
  readonly engine: { readonly kind: 'kv' | 'signer'; readonly name: string };
  readonly accountFolder: string;
  /** Addresses, hex without 0x, lower case. */
  readonly unlock: readonly string[];
  readonly login:
    | { readonly kind: 'token'; readonly token: string }
    | {
        readonly kind: 'approle';
        readonly mount: string;
        readonly roleId: string;
        readonly secretId: string;
      };
  /** Paths of PEM files. */
  readonly tls: {
    readonly caCert: string | undefined;
    readonly clientCert: string | undefined;
    readonly clientKey: string | undefined;
  };
}

/** Throws SECURITY_CONFIG_INVALID with the plugin's texts. Names are case-insensitive, as in Go. */
export function vaultAccountsConfig(
  content: Fields,
  environment: Environment,
): VaultAccountsConfig {
  const given = anyCase(content);
  return {
    vault: vaultUrl(given.vault),
    accountFolder:
      filePath(given.accountdirectory) ??
      refuse('accountDirectory must be a valid absolute file url'),
    login: loginOf(anyCase(object(given.authentication ?? {}, 'authentication')), environment),
    tls: tlsOf(anyCase(object(given.tls ?? {}, 'tls'))),
    ...engineOf(given),
  };
}

function anyCase(fields: Fields): Fields {
  return Object.fromEntries(
    Object.entries(fields).map(([name, value]) => [name.toLowerCase(), value]),
  );
}

function vaultUrl(given: unknown): URL {
  const url = typeof given === 'string' && URL.canParse(given) ? new URL(given) : undefined;
  if (url && /^https?:$/.test(url.protocol)) return new URL(`${url.href.replace(/\/+$/, '')}/`);
  return refuse('vault must be a valid HTTP/HTTPS url');
}

function engineOf(given: Fields): Pick<VaultAccountsConfig, 'engine' | 'unlock'> {
  const { kvenginename: kv = '', quorumsignerenginename: signer = '', unlock = [] } = given;
  if (typeof kv !== 'string' || typeof signer !== 'string' || (kv === '') === (signer === '')) {
    return refuse('either kvEngineName or quorumSignerEngineName must be set');
  }
  const accounts = Array.isArray(unlock) ? unlock : refuse('unlock must be a list of addresses');
  const addresses = accounts.map((each) => {
    const [, digits] = /^(?:0x)?([0-9a-f]{40})$/i.exec(String(each)) ?? [];
    return digits?.toLowerCase() ?? refuse(`unlock: "${String(each)}" is not an address`);
  });
  if (signer !== '' && addresses.length > 0) {
    return refuse('unlock is not supported when using quorumSignerEngine');
  }
  const engine = kv === '' ? ({ kind: 'signer', name: signer } as const) : undefined;
  return { engine: engine ?? { kind: 'kv', name: kv }, unlock: addresses };
}

function loginOf(given: Fields, environment: Environment): VaultAccountsConfig['login'] {
  const token = variable(given.token, environment);
  const roleId = variable(given.roleid, environment);
  const secretId = variable(given.secretid, environment);
  const path = variable(given.approlepath, environment) ?? plain(given.approlepath);
  const hasRole = roleId !== undefined && secretId !== undefined && path !== undefined;
  if (token !== undefined && roleId === undefined && secretId === undefined) {
    return { kind: 'token', token };
  }
  if (token === undefined && hasRole) return { kind: 'approle', mount: path, roleId, secretId };
  return refuse(
    'authentication must contain roleId, secretId and approlePath OR only token, and the given environment variables must be set',
  );
}

/** The value of the variable that `env://NAME` names, if it is set. */
function variable(value: unknown, environment: Environment): string | undefined {
  const [, name] = /^env:\/\/([^/?#]+)/.exec(String(value ?? '')) ?? [];
  return name === undefined ? undefined : environment[name];
}

/** A value without `env://`: the plugin's own example gives the path of the mount like this. */
function plain(value: unknown): string | undefined {
  return typeof value === 'string' && /^[\w/-]+$/.test(value) ? value : undefined;
}

function tlsOf(given: Fields): VaultAccountsConfig['tls'] {
  const path = (name: string): string | undefined => {
    const value = given[name.toLowerCase()];
    if (value === undefined || value === '') return undefined;
    return filePath(value) ?? refuse(`${name} must be a valid absolute file url`);
  };
  return { caCert: path('caCert'), clientCert: path('clientCert'), clientKey: path('clientKey') };
}

function filePath(value: unknown): string | undefined {
  if (typeof value !== 'string' || !/^file:\/\/\/./.test(value)) return undefined;
  return URL.canParse(value) ? fileURLToPath(value) : undefined;
}

function refuse(text: string): never {
  throw invalidSettings(`account plugin: ${text}`);
}

/** Connections to vaults and clouds: sessions shared by many keys. */
import { fail } from '../../../core/base/errors.ts';
import type { Clock, Timers } from '../../../core/base/ports.ts';
import type { LoadPackage } from '../../../io/host/optional-package.ts';
import { type AwsCall, type AwsService, awsCalls } from '../../../io/keys/aws-client.ts';
import { awsCredentialChain } from '../../../io/keys/aws-credentials.ts';
import type { AwsCredentials } from '../../../io/keys/aws-signature.ts';
import { type AzureIdentity, AzureLogin } from '../../../io/keys/azure-login.ts';
import { GcpLogin } from '../../../io/keys/gcp-kms.ts';
import { type HashicorpAuth, HashicorpSession } from '../../../io/keys/hashicorp-session.ts';
import { readSmallFile } from '../../../io/keys/secret-key.ts';
import { openVaultClient } from '../../../io/keys/vault-client.ts';
import { baseUrl } from '../../../io/keys/vault-types.ts';
import { Connections } from './connections.ts';
import type {
  AwsAccess,
  AzureAccess,
  GcpKmsKey,
  HashicorpKey,
  HashicorpLogin,
} from './key-config.ts';
import { vaultTls } from './vault-trust.ts';

const SECRET_FILE_BYTES_MAX = 64 * 1024;

export interface CloudParts {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly clock: Clock;
  readonly timers: Timers;
  /** Replaces import() in tests. */
  readonly load?: LoadPackage | undefined;
}

export interface AzureVault {
  readonly login: AzureLogin;
  readonly base: URL;
}

export class Clouds {
  readonly connections = new Connections();
  readonly parts: CloudParts;

  constructor(parts: CloudParts) {
    this.parts = parts;
  }

  hashicorp(key: HashicorpKey): { readonly session: HashicorpSession; readonly base: URL } {
    const { host, port, tls, trust, timeoutMs, namespace, login } = key;
    const base = baseUrl(`${tls ? 'https' : 'http'}://${host}:${port}`, 'HashiCorp Vault');
    const about = { host, port, tls, trust, timeoutMs, namespace, login };
    const { session } = this.connections.get('hashicorp', about, () => {
      const client = openVaultClient({ timeoutMs, ...(tls ? vaultTls(trust, host, port) : {}) });
      const auth = hashicorpAuth(login);
      const { timers } = this.parts;
      const opened = new HashicorpSession({ base, ask: client.ask, auth, namespace, timers });
      return {
        session: opened,
        close() {
          opened.close();
          client.close();
        },
      };
    });
    return { session, base };
  }

  aws(service: AwsService, access: AwsAccess): AwsCall {
    const { call } = this.connections.get(`aws-${service.name}`, access, () => {
      const client = openVaultClient();
      const { region, endpoint } = access;
      const credentials = awsCredentials(access, this.parts);
      const now = () => new Date(this.parts.clock.nowMs());
      const { ask } = client;
      return {
        call: awsCalls({ service, region, endpoint, credentials, ask, now }),
        close: () => client.close(),
      };
    });
    return call;
  }

  azure(access: AzureAccess): AzureVault {
    const { vault } = this.connections.get('azure', access, () => {
      if (!/^[0-9A-Za-z-]{1,127}$/.test(access.vaultName)) {
        throw fail(
          'VAULT_CONFIG_INVALID',
          "an Azure Key Vault's name consists of letters, digits and -",
        );
      }
      const client = openVaultClient({ timeoutMs: access.timeoutMs });
      const url = access.endpoint ?? `https://${access.vaultName}.vault.azure.net`;
      const login = new AzureLogin({
        ...this.parts,
        identity: azureIdentity(access),
        ask: client.ask,
      });
      return {
        vault: { login, base: baseUrl(url, 'Azure Key Vault') },
        close: () => client.close(),
      };
    });
    return vault;
  }

  gcp({ credentialsPath, endpoint }: GcpKmsKey): GcpLogin {
    const { login } = this.connections.get('gcp', { credentialsPath, endpoint }, () => {
      const client = openVaultClient();
      return {
        login: new GcpLogin({ ...this.parts, credentialsPath, ask: client.ask }),
        close: () => client.close(),
      };
    });
    return login;
  }
}

function hashicorpAuth(login: HashicorpLogin): HashicorpAuth {
  switch (login.method) {
    case 'TOKEN':
      return { kind: 'token', token: () => login.token };
    case 'TOKEN_FILE':
      return { kind: 'token', token: () => firstLine(login.path) };
    case 'APPROLE':
      return {
        kind: 'login',
        name: 'AppRole',
        mount: login.mount,
        credentials: () => ({ role_id: login.roleId, secret_id: login.secretId }),
      };
    case 'KUBERNETES':
      return {
        kind: 'login',
        name: 'Kubernetes',
        mount: login.mount,
        credentials: async () => ({ role: login.role, jwt: await firstLine(login.tokenPath) }),
      };
  }
}

function awsCredentials(
  { mode, region, accessKeyId, secretAccessKey, sessionToken }: AwsAccess,
  parts: CloudParts,
): () => AwsCredentials | Promise<AwsCredentials> {
  if (mode === 'ENVIRONMENT') return awsCredentialChain({ ...parts, region });
  if (accessKeyId === undefined || secretAccessKey === undefined) {
    throw fail('VAULT_CONFIG_INVALID', 'AWS: accessKeyId and secretAccessKey are missing');
  }
  return () => ({ region, accessKeyId, secretAccessKey, sessionToken });
}

function azureIdentity(access: AzureAccess): AzureIdentity {
  const { mode, clientId, clientSecret, clientSecretPath, tenantId } = access;
  if (mode === 'DEFAULT') return { kind: 'default' };
  if (mode === 'SYSTEM_ASSIGNED_MANAGED_IDENTITY') return { kind: 'managed' };
  if (mode === 'USER_ASSIGNED_MANAGED_IDENTITY') return { kind: 'managed', id: clientId };
  if (clientId === undefined || tenantId === undefined) {
    throw fail('VAULT_CONFIG_INVALID', 'Azure: clientId and tenantId are missing');
  }
  return {
    kind: 'client',
    id: clientId,
    tenant: tenantId,
    secret: () => clientSecret ?? firstLine(clientSecretPath ?? ''),
  };
}

/** A token or secret in a file. Throws FILE_UNREADABLE or KEY_INVALID. */
export async function firstLine(path: string): Promise<string> {
  const text = (await readSmallFile(path, SECRET_FILE_BYTES_MAX)).toString('utf8');
  const line = text.split(/\r?\n/, 1)[0]!.trim();
  if (/^[!-~]+$/.test(line)) return line;
  throw fail('KEY_INVALID', `${path}: its first line is not a token or secret`, { data: { path } });
}

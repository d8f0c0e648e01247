/**
 * Tokens for Azure Key Vault: for a client with its secret, for a managed identity, or from Azure's
 * own package.
 */
import { fail } from '../../core/base/errors.ts';
import type { Clock } from '../../core/base/ports.ts';
import { type LoadPackage, optionalPackage } from '../host/optional-package.ts';
import { BearerSession, type BearerToken, heldUntil, tokenOf } from './bearer-session.ts';
import { baseUrl, type VaultAnswer, type VaultEnv, type VaultRequest } from './vault-types.ts';

const NAME = 'Azure Key Vault';
const AUTHORITY_DEFAULT = 'https://login.microsoftonline.com';
const RESOURCE = 'https://vault.azure.net';
const SCOPE = `${RESOURCE}/.default`;
/** The server from which a virtual machine requests its own identity. */
const METADATA_DEFAULT = 'http://169.254.169.254';
const PACKAGE = '@azure/identity';

export type AzureIdentity =
  | {
      readonly kind: 'client';
      readonly tenant: string;
      readonly id: string;
      readonly secret: () => string | Promise<string>;
    }
  /** `id`: that of a user-assigned identity. */
  | { readonly kind: 'managed'; readonly id?: string | undefined }
  /** DefaultAzureCredential of @azure/identity. */
  | { readonly kind: 'default' };

export interface AzureLoginParts {
  readonly identity: AzureIdentity;
  readonly ask: VaultRequest;
  readonly env: VaultEnv;
  readonly clock: Clock;
  readonly load?: LoadPackage | undefined;
}

export class AzureLogin {
  private readonly parts: AzureLoginParts;
  private readonly session: BearerSession;

  constructor(parts: AzureLoginParts) {
    this.parts = parts;
    const { ask, clock } = parts;
    this.session = new BearerSession({ ask, clock, login: () => this.obtain() });
  }

  /** Sends a request with the token. Throws VAULT_REFUSED, VAULT_FAILED, HTTP_FAILED. */
  request(method: string, url: URL, body?: string): Promise<VaultAnswer> {
    return this.session.request(method, url, body);
  }

  private obtain(): Promise<BearerToken> {
    const { identity } = this.parts;
    switch (identity.kind) {
      case 'client':
        return this.ofClient(identity);
      case 'managed':
        return this.ofMachine(identity.id);
      case 'default':
        return this.ofPackage();
    }
  }

  private async ofClient(
    identity: Extract<AzureIdentity, { kind: 'client' }>,
  ): Promise<BearerToken> {
    const authority = baseUrl(this.parts.env.AZURE_AUTHORITY_HOST ?? AUTHORITY_DEFAULT, NAME);
    const url = new URL(`${encodeURIComponent(identity.tenant)}/oauth2/v2.0/token`, authority);
    const form = new URLSearchParams({
      grant_type: 'client_credentials',
      client_id: identity.id,
      client_secret: await identity.secret(),
      scope: SCOPE,
    });
    const type = ['content-type', 'application/x-www-form-urlencoded'] as const;
    return tokenOf(
      await this.parts.ask('POST', url, [type], form.toString()),
      NAME,
      this.parts.clock,
    );
  }

  /** App Service and containers provide an endpoint; virtual machines use the metadata service. */
  private async ofMachine(id: string | undefined): Promise<BearerToken> {
    const { env } = this.parts;
    const isService = env.IDENTITY_ENDPOINT !== undefined && env.IDENTITY_HEADER !== undefined;
    const url = isService
      ? new URL(env.IDENTITY_ENDPOINT!)
      : new URL(
          'metadata/identity/oauth2/token',
          baseUrl(env.AZURE_POD_IDENTITY_AUTHORITY_HOST ?? METADATA_DEFAULT, NAME),
        );
    url.searchParams.set('api-version', isService ? '2019-08-01' : '2018-02-01');
    url.searchParams.set('resource', RESOURCE);
    if (id !== undefined) url.searchParams.set('client_id', id);
    const header: [string, string] = isService
      ? ['X-IDENTITY-HEADER', env.IDENTITY_HEADER!]
      : ['Metadata', 'true'];
    return tokenOf(await this.parts.ask('GET', url, [header]), NAME, this.parts.clock);
  }

  private async ofPackage(): Promise<BearerToken> {
    const purpose = "the authentication mode DEFAULT of Azure's keys";
    const { DefaultAzureCredential } = (await optionalPackage(
      PACKAGE,
      purpose,
      this.parts.load,
    )) as AzureIdentityPackage;
    const found = await new DefaultAzureCredential().getToken(SCOPE).catch((cause: unknown) => {
      throw fail('VAULT_REFUSED', 'Failed to authenticate to vault.', { cause });
    });
    if (!found) throw fail('VAULT_REFUSED', 'Failed to authenticate to vault.');
    return heldUntil(found.token, found.expiresOnTimestamp);
  }
}

interface AzureIdentityPackage {
  readonly DefaultAzureCredential: new () => {
    getToken(scope: string): Promise<{ token: string; expiresOnTimestamp: number } | null>;
  };
}

/** Tokens for Azure Key Vault: of a client and its secret, of a managed identity, or of Azure's own package. */
import { fail } from '../../core/base/errors.ts';
import type { Clock } from '../../core/ports.ts';
import { type LoadPackage, optionalPackage } from './optional-package.ts';
import {
  baseUrl,
  refused,
  type VaultAnswer,
  type VaultEnv,
  type VaultRequest,
} from './vault-types.ts';

const NAME = 'Azure Key Vault';
const AUTHORITY_DEFAULT = 'https://login.microsoftonline.com';
const RESOURCE = 'https://vault.azure.net';
const SCOPE = `${RESOURCE}/.default`;
/** Where a virtual machine asks for its own identity. */
const METADATA_DEFAULT = 'http://169.254.169.254';
const PACKAGE = '@azure/identity';
/** Tokens that end sooner are had anew. */
const EARLY_SECONDS = 300;
const LIFE_SECONDS_DEFAULT = 3600;

export type AzureIdentity =
  | {
      readonly kind: 'client';
      readonly tenant: string;
      readonly id: string;
      readonly secret: () => string | Promise<string>;
    }
  /** `id`: of a user-assigned one. */
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

interface Token {
  readonly text: string;
  readonly untilMs: number;
}

export class AzureLogin {
  private readonly parts: AzureLoginParts;
  private held: Token | undefined;
  private waiting: Promise<Token> | undefined;

  constructor(parts: AzureLoginParts) {
    this.parts = parts;
  }

  /** A request with the token; one that is refused is had anew, once. Throws VAULT_REFUSED, VAULT_FAILED, HTTP_FAILED. */
  async request(method: string, url: URL, body?: string): Promise<VaultAnswer> {
    const used = await this.current();
    const answer = await this.ask(method, url, used.text, body);
    if (answer.status !== 401) return answer;
    if (this.held === used) this.held = undefined;
    return this.ask(method, url, (await this.current()).text, body);
  }

  private ask(method: string, url: URL, token: string, body?: string): Promise<VaultAnswer> {
    const headers: [string, string][] = [
      ['authorization', `Bearer ${token}`],
      ['content-type', 'application/json'],
    ];
    return this.parts.ask(method, url, headers, body);
  }

  private async current(): Promise<Token> {
    if (this.held && this.parts.clock.nowMs() < this.held.untilMs) return this.held;
    this.waiting ??= this.obtain().finally(() => {
      this.waiting = undefined;
    });
    this.held = await this.waiting;
    return this.held;
  }

  private obtain(): Promise<Token> {
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

  private async ofClient(identity: Extract<AzureIdentity, { kind: 'client' }>): Promise<Token> {
    const authority = baseUrl(this.parts.env.AZURE_AUTHORITY_HOST ?? AUTHORITY_DEFAULT, NAME);
    const url = new URL(`${encodeURIComponent(identity.tenant)}/oauth2/v2.0/token`, authority);
    const form = new URLSearchParams({
      grant_type: 'client_credentials',
      client_id: identity.id,
      client_secret: await identity.secret(),
      scope: SCOPE,
    });
    const type = ['content-type', 'application/x-www-form-urlencoded'] as const;
    return this.tokenOf(await this.parts.ask('POST', url, [type], form.toString()));
  }

  /** App Service and containers say where to ask; machines ask the metadata service. */
  private async ofMachine(id: string | undefined): Promise<Token> {
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
    return this.tokenOf(await this.parts.ask('GET', url, [header]));
  }

  private tokenOf({ status, fields }: VaultAnswer): Token {
    if (status !== 200 || typeof fields.access_token !== 'string') {
      throw refused(NAME, 'the login', status);
    }
    const seconds = Number(fields.expires_in ?? LIFE_SECONDS_DEFAULT);
    const life = Number.isFinite(seconds) ? Math.max(seconds - EARLY_SECONDS, 0) : 0;
    return { text: fields.access_token, untilMs: this.parts.clock.nowMs() + life * 1000 };
  }

  private async ofPackage(): Promise<Token> {
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
    return {
      text: found.token,
      untilMs: found.expiresOnTimestamp - EARLY_SECONDS * 1000,
    };
  }
}

interface AzureIdentityPackage {
  readonly DefaultAzureCredential: new () => {
    getToken(scope: string): Promise<{ token: string; expiresOnTimestamp: number } | null>;
  };
}

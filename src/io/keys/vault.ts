/** Key vaults that hold private keys of the transaction manager: one form for HashiCorp, AWS and Azure (privacy dossier §12.2). */
import { fail } from '../../core/base/errors.ts';
import { HttpClient } from '../host/http-client.ts';
import { openAwsVault } from './vault-aws.ts';
import { openAzureVault } from './vault-azure.ts';
import { openHashicorpVault } from './vault-hashicorp.ts';
import type { KeyVault, VaultConfig, VaultRequest } from './vault-types.ts';

const TIMEOUT_MS = 30_000;
const DIAL_TIMEOUT_MS = 10_000;
const RESPONSE_BYTES_MAX = 1024 * 1024;

/** Credentials come from `env`, under the names that the reference reads. Throws VAULT_CREDENTIALS_MISSING. */
export function openVault(
  config: VaultConfig,
  env: Readonly<Record<string, string | undefined>>,
): KeyVault & { close(): void } {
  const client = new HttpClient({
    dialTimeoutMs: DIAL_TIMEOUT_MS,
    timeoutMs: TIMEOUT_MS,
    idleTimeoutMs: TIMEOUT_MS,
    responseBytesMax: RESPONSE_BYTES_MAX,
  });
  const ask: VaultRequest = async (method, url, headers, body) => {
    const bytes = body === undefined ? undefined : Buffer.from(body);
    const length = bytes ? [['content-length', String(bytes.length)] as const] : [];
    const answer = await client.request({
      method,
      url,
      headers: [...headers, ...length],
      body: bytes,
    });
    return { status: answer.status, fields: fieldsOf(answer.body) };
  };
  const vault = open(config, env, ask);
  return { get: vault.get, set: vault.set, close: () => client.close() };
}

function open(
  config: VaultConfig,
  env: Readonly<Record<string, string | undefined>>,
  ask: VaultRequest,
): KeyVault {
  switch (config.type) {
    case 'HASHICORP':
      return openHashicorpVault(config, env, ask);
    case 'AWS':
      return openAwsVault(config, env, ask, () => new Date());
    case 'AZURE':
      return openAzureVault(config, env, ask);
  }
}

function fieldsOf(body: Uint8Array): Readonly<Record<string, unknown>> {
  if (body.length === 0) return {};
  try {
    const value: unknown = JSON.parse(Buffer.from(body).toString('utf8'));
    if (typeof value === 'object' && value !== null) return value as Record<string, unknown>;
  } catch {
    // The text is foreign and may hold anything: it is not repeated.
  }
  throw fail('VAULT_FAILED', 'the key vault does not answer with JSON: check its URL');
}

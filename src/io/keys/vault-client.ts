/**
 * The HTTP side of every key vault: JSON over kept-alive connections, with bounds; errors never
 * quote answers.
 */
import type * as https from 'node:https';
import { fail } from '../../core/base/errors.ts';
import { HttpClient } from '../http/http-client.ts';
import type { VaultRequest } from './vault-types.ts';

const TIMEOUT_MS = 30_000;
const DIAL_TIMEOUT_MS = 10_000;
const RESPONSE_BYTES_MAX = 1024 * 1024;

export interface VaultClientOptions {
  /** Time limit of a whole request. */
  readonly timeoutMs?: number | undefined;
  readonly tls?: https.AgentOptions | undefined;
  readonly secureAgent?: ((pool: https.AgentOptions) => https.Agent) | undefined;
}

export interface VaultClient {
  readonly ask: VaultRequest;
  close(): void;
}

export function openVaultClient(options: VaultClientOptions = {}): VaultClient {
  const timeoutMs = options.timeoutMs ?? TIMEOUT_MS;
  const client = new HttpClient({
    dialTimeoutMs: Math.min(DIAL_TIMEOUT_MS, timeoutMs),
    timeoutMs,
    idleTimeoutMs: TIMEOUT_MS,
    responseBytesMax: RESPONSE_BYTES_MAX,
    tls: options.tls,
    secureAgent: options.secureAgent,
  });
  return {
    async ask(method, url, headers, body) {
      const bytes = body === undefined ? undefined : Buffer.from(body);
      const length = bytes ? [['content-length', String(bytes.length)] as const] : [];
      const answer = await client.request({
        method,
        url,
        headers: [...headers, ...length],
        body: bytes,
      });
      return { status: answer.status, fields: fieldsOf(answer.body) };
    },
    close: () => client.close(),
  };
}

function fieldsOf(body: Uint8Array): Readonly<Record<string, unknown>> {
  if (body.length === 0) return {};
  try {
    const value: unknown = JSON.parse(Buffer.from(body).toString('utf8'));
    if (typeof value === 'object' && value !== null) return value as Record<string, unknown>;
  } catch {
    // The parser's error is dropped: the answer is untrusted, may contain anything, and must not be
    // quoted.
  }
  throw fail('VAULT_FAILED', 'the key vault does not answer with JSON: check its URL');
}

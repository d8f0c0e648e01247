/** JSON-RPC over HTTP. */
import { rootCertificates } from 'node:tls';
import { fail } from '../../core/base/errors.ts';
import { reasonOf } from '../host/reason.ts';
import { HttpClient } from '../http/http-client.ts';
import {
  DIAL_MS,
  headersOf,
  REPLY_BYTES_MAX,
  type RpcWire,
  type WireOptions,
  type WireTls,
} from './wire.ts';

export class HttpWire implements RpcWire {
  private readonly url: URL;
  private readonly options: WireOptions;
  private readonly client: HttpClient;

  constructor(url: URL, options: WireOptions) {
    this.url = url;
    this.options = options;
    this.client = new HttpClient({
      dialTimeoutMs: DIAL_MS,
      // A call has no time limit: the waiting user can cancel it.
      timeoutMs: 0,
      idleTimeoutMs: 0,
      responseBytesMax: REPLY_BYTES_MAX,
      tls: options.tls && tlsOptions(options.tls),
    });
  }

  async ask(request: string): Promise<string> {
    const headers = [
      ['Content-Type', 'application/json'] as const,
      ['Content-Length', String(Buffer.byteLength(request))] as const,
      ...headersOf(this.options),
    ];
    const call = { method: 'POST', url: this.url, headers, body: request };
    const answer = await this.client.request(call).catch((cause: unknown) => {
      throw fail('RPC_AWAY', `Post "${this.url.href}": ${reasonOf(cause)}`, { cause });
    });
    const text = Buffer.from(answer.body).toString('utf8');
    if (answer.status >= 200 && answer.status < 300) return text;
    throw fail('RPC_AWAY', `${answer.status}: ${text.slice(0, 200).trim()}`);
  }

  close(): void {
    this.client.close();
  }
}

export function tlsOptions({ certificates, isUnverified, ciphers }: WireTls) {
  return {
    rejectUnauthorized: !isUnverified,
    ...(certificates.length > 0 ? { ca: [...rootCertificates, ...certificates] } : {}),
    ...(ciphers === undefined ? {} : { ciphers }),
  };
}

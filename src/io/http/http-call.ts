/** What HttpClient is asked and answers. */
import type { IncomingHttpHeaders } from 'node:http';
import type * as https from 'node:https';
import type { LookupFunction } from 'node:net';

export interface HttpClientOptions {
  /** Unix socket for every request, whatever host its URL names. */
  readonly socketPath?: string | undefined;
  /** For connecting; 0: no limit. */
  readonly dialTimeoutMs: number;
  /** For the whole request; 0: no limit. */
  readonly timeoutMs: number;
  /** Idle connections are closed after this time; 0: never. */
  readonly idleTimeoutMs: number;
  readonly responseBytesMax: number;
  /** Maximum number of simultaneous connections to one server. */
  readonly socketsMax?: number | undefined;
  readonly tls?: https.AgentOptions | undefined;
  /** Replaces the system's resolver, and may refuse addresses. */
  readonly lookup?: LookupFunction | undefined;
  /**
   * Creates the agent for https requests from the pool's options, for custom certificate checks.
   */
  readonly secureAgent?: ((pool: https.AgentOptions) => https.Agent) | undefined;
  /**
   * Whether requests without TLS are written and read by WireClient: for services that send many to
   * a few servers.
   */
  readonly isFrequent?: boolean | undefined;
}

export interface HttpCall {
  readonly method: string;
  readonly url: URL;
  /** Path and query exactly as sent, when the URL class would spell them differently. */
  readonly path?: string;
  /** Sent in this order; `Host` is added if the caller does not include it. */
  readonly headers: readonly (readonly [string, string])[];
  /** Text is sent in one write with the headers. */
  readonly body?: Uint8Array | string | undefined;
  /** Receives the answer's body as it arrives; the answer's own body is then empty. */
  readonly onData?: (chunk: Uint8Array) => void;
}

export interface HttpAnswer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  /** Name, value, name, value, … as received. */
  readonly rawHeaders: readonly string[];
  readonly body: Uint8Array;
}

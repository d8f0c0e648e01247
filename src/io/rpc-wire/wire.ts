/** A node's JSON-RPC over any transport: text in, the reply's text out. */

/** For one reply: a trace of a large transaction takes this much. */
export const REPLY_BYTES_MAX = 256 * 1024 * 1024;
export const DIAL_MS = 5_000;

export interface RpcWire {
  /** A request or batch as JSON. Rejects with RPC_AWAY; the next one connects again. */
  ask(request: string): Promise<string>;
  close(): void;
}

export interface WireOptions {
  /** Value of the Authorization header. */
  readonly token?: string | undefined;
  /** The private state to use. */
  readonly psi?: string | undefined;
  readonly tls?: WireTls | undefined;
}

export interface WireTls {
  /** PEM; in addition to those that the system trusts. */
  readonly certificates: readonly string[];
  readonly isUnverified: boolean;
  /** Names of OpenSSL with colons between; undefined: its own choice. */
  readonly ciphers?: string | undefined;
}

/** Headers of every request over HTTP, or of a WebSocket's upgrade request. */
export function headersOf({ token, psi }: WireOptions): [string, string][] {
  return [
    ...(token === undefined ? [] : [['Authorization', token] as [string, string]]),
    ...(psi === undefined ? [] : [['Quorum-PSI', psi] as [string, string]]),
  ];
}

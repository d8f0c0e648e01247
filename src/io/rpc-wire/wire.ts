/** A node's JSON-RPC over any transport: sends text, and receives the text of the reply. */

/** Maximum bytes of one reply: enough for the trace of a large transaction. */
export const REPLY_BYTES_MAX = 256 * 1024 * 1024;
export const DIAL_MS = 5_000;

export interface RpcWire {
  /** Sends a request or batch as JSON. Rejects with RPC_AWAY; the next request connects again. */
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
  /** PEM; trusted in addition to those of the system. */
  readonly certificates: readonly string[];
  readonly isUnverified: boolean;
  /** OpenSSL's names, separated by colons; undefined: OpenSSL's own choice. */
  readonly ciphers?: string | undefined;
}

/** Headers of every request over HTTP, or of a WebSocket's upgrade request. */
export function headersOf({ token, psi }: WireOptions): [string, string][] {
  return [
    ...(token === undefined ? [] : [['Authorization', token] as [string, string]]),
    ...(psi === undefined ? [] : [['Quorum-PSI', psi] as [string, string]]),
  ];
}

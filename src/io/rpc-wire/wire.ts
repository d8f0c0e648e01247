/** A node's JSON-RPC by any of its ways: text in, the reply's text out. */

/** Of one reply: a trace of a large transaction takes as much. */
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
  /** Private state that is asked. */
  readonly psi?: string | undefined;
  readonly tls?: WireTls | undefined;
}

export interface WireTls {
  /** PEM; beside those that the system trusts. */
  readonly certificates: readonly string[];
  readonly isUnverified: boolean;
  /** Names of OpenSSL with colons between; undefined: its own choice. */
  readonly ciphers?: string | undefined;
}

/** What goes with every request over HTTP, or with a WebSocket's first. */
export function headersOf({ token, psi }: WireOptions): [string, string][] {
  return [
    ...(token === undefined ? [] : [['Authorization', token] as [string, string]]),
    ...(psi === undefined ? [] : [['Quorum-PSI', psi] as [string, string]]),
  ];
}

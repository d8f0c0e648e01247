/** The caller of a method. */
import type { Access } from './access.ts';

/** What the transport knows about the caller. */
export interface Caller {
  readonly transport: 'http' | 'ws' | 'ipc';
  /** Private state that the request names (`?PSI=`, header, or IPC id). */
  readonly psi: string | undefined;
  readonly access: Access;
  readonly remote: string;
  /** Number of the caller's connection. */
  readonly connection?: number;
  /** The request's W3C trace context, as written: of a WebSocket, that of its upgrade. */
  readonly traceparent?: string | undefined;
}

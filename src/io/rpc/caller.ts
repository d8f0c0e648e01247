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
}

/** Who calls. */
import type { Access } from './access.ts';

/** The caller, as far as the transport knows. */
export interface Caller {
  readonly transport: 'http' | 'ws' | 'ipc';
  /** Private state named by the request (`?PSI=`, header, or IPC id). */
  readonly psi: string | undefined;
  readonly access: Access;
  readonly remote: string;
  /** Number of the connection. */
  readonly connection?: number;
}

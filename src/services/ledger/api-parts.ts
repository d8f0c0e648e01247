/** Parts from which the API is composed. */
import type { Kv, Log, Timers } from '../../core/base/ports.ts';
import type { Manager } from '../../core/privacy/manager-port.ts';
import type { PrivateStates } from '../../core/privacy/private-states.ts';
import type { CallAudit } from '../../io/rpc/call-audit.ts';
import type { AccessControl } from './config/access-control.ts';
import type { LedgerConfig } from './config.ts';
import type { ReadinessParts } from './monitoring/readiness.ts';
import type { Development } from './node/development/development.ts';
import type { Accounts } from './node/sending/accounts.ts';
import type { ReaderSettings, ReaderThreads } from './readers/job.ts';

export interface ApiParts extends ReadinessParts {
  readonly config: LedgerConfig;
  readonly accounts: Accounts;
  readonly manager: Manager;
  readonly kv: Kv;
  readonly timers: Timers;
  readonly privateStates: PrivateStates;
  readonly access: AccessControl;
  readonly log: Log;
  readonly audit?: CallAudit | undefined;
  /** Only on a chain for development. */
  readonly development?: Development | undefined;
  /** Creates the reader threads; undefined: this thread answers everything. */
  readonly readers?: ((settings: ReaderSettings) => ReaderThreads) | undefined;
}

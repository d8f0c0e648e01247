/** Composes the additional parts of a chain for development (`--dev`). */
import { fromHex } from '../../core/base/hex.ts';
import type { Log } from '../../core/base/ports.ts';
import { MNEMONIC_KEYS } from '../../core/base/test-mnemonic.ts';
import type { ConsensusSigner } from '../../core/consensus/bft/interface.ts';
import type { SerialQueue } from '../../core/store/serial-queue.ts';
import { steadyClock, systemClock } from '../../io/host/clock.ts';
import { systemTimers } from '../../io/host/timers.ts';
import type { LedgerConfig } from './config.ts';
import type { LedgerNode } from './node/compose.ts';
import { Development } from './node/development/development.ts';
import { ImpersonatingAccounts } from './node/development/impersonating-accounts.ts';
import type { Accounts } from './node/sending/accounts.ts';

/** Keys of the accounts in the genesis. */
export const DEVELOPMENT_KEYS: readonly Uint8Array[] = MNEMONIC_KEYS.map(fromHex);

/** The accounts of the folder; on a chain for development also those with known keys. */
export function withKnownKeys({ development }: LedgerConfig, stored: Accounts): Accounts {
  return development ? new ImpersonatingAccounts(stored, DEVELOPMENT_KEYS) : stored;
}

export function composeDevelopment(
  { development }: LedgerConfig,
  parts: {
    readonly node: LedgerNode;
    readonly accounts: Accounts;
    readonly signer: ConsensusSigner;
    /** Undefined: the chain is not one for development. */
    readonly turn: SerialQueue | undefined;
    readonly log: Log;
    fatal(error: unknown): void;
  },
): Development | undefined {
  const { accounts, turn } = parts;
  if (!development || !turn || !(accounts instanceof ImpersonatingAccounts)) return undefined;
  const time = { calendar: systemClock, clock: steadyClock, timers: systemTimers };
  const made = new Development({ ...parts, ...time, accounts, turn });
  made.setInterval(development.periodMs);
  return made;
}

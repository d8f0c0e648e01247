/** The guard of a proxy without access control: allows everything. */
import type { Guard, Identity } from '../../../core/signing/guard.ts';

export const EVERYBODY: Identity = { name: 'anybody', mayUse: () => true, mayCall: () => true };

export const OPEN_GUARD: Guard = {
  identify: () => Promise.resolve(EVERYBODY),
  check: () => undefined,
  record: () => {},
};

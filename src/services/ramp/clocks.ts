/** The clocks of the service. */
import type { Clock, Log } from '../../core/base/ports.ts';
import type { Database } from '../../io/database/database.ts';
import { DatabaseClock } from '../../io/database/database-clock.ts';
import type { StoreSource } from '../../io/database/open.ts';
import { steadyClock, systemClock } from '../../io/host/clock.ts';

export interface Clocks {
  readonly clock: Clock;
  /** Monotonic. */
  readonly steady: Clock;
  stop(): Promise<void>;
}

/** Instances that share a database use its clock. `given`: this clock is used instead. */
export async function startClocks(
  { storeUrl }: StoreSource,
  { query }: Database,
  log: Log,
  given: Clock | undefined,
): Promise<Clocks> {
  const stop = async () => {};
  if (given) return { clock: given, steady: given, stop };
  if (storeUrl === undefined) return { clock: systemClock, steady: steadyClock, stop };
  const clock = new DatabaseClock({ query, steady: steadyClock, log });
  await clock.start();
  return { clock, steady: steadyClock, stop: () => clock.stop() };
}

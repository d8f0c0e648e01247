/**
 * `quorate db reindex --index.accounts`: builds the index of accounts from the blocks of a stopped
 * node. Blocks with calls are executed again.
 */
import type { Clock, Effort, Log, Timers } from '../../../core/base/ports.ts';
import type { Manager } from '../../../core/privacy/manager-port.ts';
import type { PrivateStates } from '../../../core/privacy/private-states.ts';
import { PUBLIC_SPACE } from '../../../core/store/interface.ts';
import { timeLeft } from '../../../io/telemetry/time-left.ts';
import { AccountIndexer } from '../node/accounts/account-indexer.ts';
import { Chain } from '../node/chain/chain.ts';
import { Events } from '../node/chain/events.ts';
import { PayloadCache } from '../node/private-state/payload-cache.ts';
import type { OpenChain } from '../store/data.ts';

export interface IndexAccountsParts {
  /** Must be opened with the index of accounts. */
  readonly opened: Pick<OpenChain, 'store' | 'genesis' | 'accounts'>;
  readonly manager: Manager;
  readonly privateStates: PrivateStates;
  readonly clock: Clock;
  readonly timers: Timers;
  readonly effort: Effort;
  readonly log: Log;
}

/**
 * Resolves with the number of the last block. Private states need the manager: without it, the node
 * indexes them when it runs.
 */
export async function indexAccounts(parts: IndexAccountsParts): Promise<number> {
  const { opened, manager, privateStates, clock, timers, effort, log } = parts;
  const { store, genesis } = opened;
  const index = opened.accounts!;
  const events = new Events();
  const chain = new Chain({ store, config: genesis.config, timers, effort, events, log });
  const { psis, psiOf } = privateStates;
  const hasPrivate = genesis.config.isQuorum && manager.isInUse;
  const first = index.cursor(PUBLIC_SPACE);
  const startMs = clock.nowMs();
  let failed: (error: unknown) => void = () => {};
  const failure = new Promise<never>((_, reject) => {
    failed = reject;
  });
  const indexer = new AccountIndexer({
    ...{ index, chain, events, clock, timers, log, fatal: failed, isGentle: false },
    private: hasPrivate
      ? { cache: new PayloadCache({ manager, clock, log }), psis, psiOf }
      : undefined,
    onProgress(block, of) {
      const elapsedMs = clock.nowMs() - startMs;
      log('info', 'Indexing accounts', {
        ...{ block, of },
        'blocks/s': Math.round(((block - first) * 1_000) / Math.max(elapsedMs, 1)),
        left: timeLeft(elapsedMs, (block - first) / Math.max(of - first, 1)),
      });
    },
  });
  chain.connect({ accounts: indexer });
  await Promise.race([indexer.catchUp(), failure]);
  return chain.head().number;
}

/** Composes the staking API: its guard, its store, and the sending of deposits. */
import { fromHex } from '../../../core/base/hex.ts';
import type { Clock, Log } from '../../../core/base/ports.ts';
import type { DepositKeys } from '../../../core/staking/deposit-order.ts';
import { validatorsKey } from '../../../core/staking/validator-keys.ts';
import { PROFILE_TYPE, TokenChecker } from '../../../io/auth/token-checker.ts';
import type { DepositSigner } from '../../../io/crypto/deposit-threads.ts';
import type { Database } from '../../../io/database/database.ts';
import { Idempotency } from '../../../io/database/idempotency.ts';
import { systemTimers } from '../../../io/host/timers.ts';
import type { Route } from '../../../io/http/server.ts';
import { LedgerClient } from '../../../io/ledger-client/ledger-client.ts';
import type { ApiConfig, StakingConfig } from '../config.ts';
import type { LiveState } from '../live-state.ts';
import { Deposits } from './deposits.ts';
import { Rewards } from './rewards.ts';
import { stakeRoutes } from './routes.ts';
import { Stakes } from './stakes.ts';

const CACHE_ENTRIES = 10_000;
const CACHE_SECONDS = 300;

export interface ApiParts {
  readonly config: StakingConfig;
  readonly database: Database;
  readonly live: LiveState;
  readonly clock: Clock;
  readonly steady: Clock;
  readonly log: Log;
  /** Filled in when the server listens. */
  readonly place: { readonly issuer: string; readonly audience: string };
  readonly secretFor: (purpose: string) => Buffer;
  readonly lookMs: number;
  readonly depositSigner: (keys: DepositKeys) => DepositSigner;
}

export interface StakingApi {
  readonly routes: readonly Route[];
  /** Call when the server listens: deposits may be sent from then on. */
  begin(): void;
  close(): Promise<void>;
}

/** Sends nothing before `begin` is called. */
export async function composeApi(api: ApiConfig, parts: ApiParts): Promise<StakingApi> {
  const { config, database, live, clock, steady, log, place } = parts;
  const signer = parts.depositSigner({
    parent: validatorsKey(parts.secretFor('validators')),
    forkVersion: fromHex(api.forkVersion),
  });
  const stakes = new Stakes(database, signer);
  await stakes.prepare();
  const idempotency = new Idempotency(database, clock);
  if (config.storeUrl === undefined) await idempotency.forgetUnfinished();
  const ledger = new LedgerClient(api.ledgerUrl);
  const { from, contract, forkVersion } = api;
  const sending = { ledger, clock, steady, timers: systemTimers, log, lookMs: parts.lookMs };
  const deposits =
    from === undefined ? undefined : new Deposits({ database, from, contract, ...sending });
  if (!deposits) log('warn', 'Without --deposit.from nothing can be staked, only read');
  const checker = tokenChecker(parts);
  return {
    routes: stakeRoutes({
      checker,
      isClient: (id) => live.clients.find(id) !== undefined,
      clock,
      stakes,
      rewards: new Rewards(database),
      idempotency,
      target: async () => {
        const address = await deposits?.contractAddress();
        return address === undefined ? undefined : { contract: address, forkVersion };
      },
      added: () => deposits?.wake(),
      place,
    }),
    begin: () => deposits?.wake(),
    async close() {
      await deposits?.stop();
      await signer.stop();
      ledger.close();
      checker.close();
    },
  };
}

/** Accepts only tokens of this service, for this API. */
function tokenChecker({ config, live, clock, log, place }: ApiParts): TokenChecker {
  return new TokenChecker({
    rules: {
      get issuers() {
        return [place.issuer];
      },
      get audience() {
        return place.audience;
      },
      scopeField: 'scope',
      keys: undefined,
      introspection: undefined,
      prefersIntrospection: false,
      cache: { entriesMax: CACHE_ENTRIES, seconds: CACHE_SECONDS },
      type: PROFILE_TYPE,
      toleranceSeconds: config.toleranceSeconds,
    },
    clock,
    log,
    ownKeys: async (header) => live.keys.find(header, clock.nowMs()),
    isRevoked: live.revocations.has,
    isWithdrawn: (keyId) => !live.keys.isLive(keyId, clock.nowMs()),
  });
}

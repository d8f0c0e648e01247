/** Starts a manager that serves requests, or one that recovers lost payloads. */

import type { Manager } from '../../core/privacy/manager-port.ts';
import { systemEntropy as entropy } from '../../io/host/entropy.ts';
import { adminRoutes } from './api/admin.ts';
import { commonRoutes } from './api/common.ts';
import { comparisonRoutes } from './api/comparison.ts';
import { groupRoutes } from './api/groups.ts';
import { p2pRoutes, recoveryRoutes } from './api/p2p.ts';
import { q2tRoutes } from './api/q2t.ts';
import { base64 } from './api/replies.ts';
import { thirdPartyRoutes } from './api/third-party.ts';
import { composePtm, type PtmHost } from './compose.ts';
import type { PtmConfig } from './config/ptm-config.ts';
import { embeddedManager } from './embedded.ts';
import { PrivacyGroups } from './manager/privacy-groups.ts';
import { Recovery, type RecoveryReport } from './manager/recovery.ts';
import { Resender } from './manager/resend.ts';
import { SourceBudget } from './manager/source-budget.ts';

export type { PtmHost } from './compose.ts';

/** Privacy groups accepted without proof of membership: docs/limits.md. */
const GROUPS_OF_STRANGER = { burst: 50, perSecond: 50 / 3600 };
const GROUPS_OF_STRANGERS = { burst: 500, perSecond: 500 / 3600 };
/** Limits of full resends, per key and in total. */
const RESENDS_OF_KEY = { burst: 6, perSecond: 1 / 60 };
const RESENDS_OF_KEYS = { burst: 60, perSecond: 1 / 6 };
/** Limits of comparisons, per key and in total. */
const QUESTIONS_OF_KEY = { burst: 600, perSecond: 1 };
const QUESTIONS_OF_KEYS = { burst: 6_000, perSecond: 10 };

export interface RunningPtm {
  /** `http://host:port` or `unix:/path`. */
  readonly q2tUrl: string;
  readonly thirdPartyUrl: string | undefined;
  readonly adminUrl: string | undefined;
  readonly p2pUrl: string;
  /** Base64, in the order of the configuration. */
  readonly publicKeys: readonly string[];
  /** For a node in the same process. */
  readonly manager: Manager;
  /** Answers requests in progress, then closes everything, including the store. */
  close(): Promise<void>;
}

/**
 * Resolves when every server listens. Throws PTM_CONFIG_INVALID, PTM_KEY_…, STORAGE_… or
 * HTTP_LISTEN_FAILED.
 */
export async function startPtm(config: PtmConfig, host: PtmHost = {}): Promise<RunningPtm> {
  const parts = await composePtm(config, host);
  const { manager, discovery, distributor, table, enclave, comparison } = parts;
  const search = (wanted: Parameters<typeof discovery.search>[0]) => discovery.search(wanted);
  const unproven = new SourceBudget(RESENDS_OF_KEY, RESENDS_OF_KEYS, parts.clock);
  const resender = new Resender({ ...parts, search, unproven });
  const strangers = new SourceBudget(GROUPS_OF_STRANGER, GROUPS_OF_STRANGERS, parts.clock);
  const groups = new PrivacyGroups({ ...parts, entropy, search, strangers });
  const questions = new SourceBudget(QUESTIONS_OF_KEY, QUESTIONS_OF_KEYS, parts.clock);
  const { multiplePrivateStates } = config;
  let ready = false;
  const common = commonRoutes(config, () => ready);
  try {
    await parts.listen({
      Q2T: [
        ...common,
        ...q2tRoutes(manager, groups, parts.failure, parts.trace),
        ...groupRoutes({ manager, groups, multiplePrivateStates }),
        ...comparisonRoutes(comparison),
      ],
      ThirdParty: [...common, ...thirdPartyRoutes(manager, table)],
      ADMIN: [...common, ...adminRoutes(parts)],
      P2P: [...common, ...p2pRoutes(manager, resender, groups, { ...parts, questions }, parts)],
    });
    discovery.start();
    comparison.start();
    await distributor.start();
    if (!config.discovery) {
      parts.say('info', 'Only the configured peers are contacted', {
        peers: config.peers.length,
        otherwise: '"disablePeerDiscovery": false',
      });
    }
    ready = true;
  } catch (error) {
    await parts.close();
    throw error;
  }
  return {
    q2tUrl: parts.urlOf('Q2T')!,
    thirdPartyUrl: parts.urlOf('ThirdParty'),
    adminUrl: parts.urlOf('ADMIN'),
    p2pUrl: parts.urlOf('P2P')!,
    publicKeys: enclave.publicKeys.map(base64),
    manager: embeddedManager(manager, {
      privacyEnhancements: config.enhancements,
      multiTenancy: true,
      multiplePrivateStates: config.multiplePrivateStates,
      mandatoryRecipients: config.enhancements,
    }),
    close() {
      ready = false;
      return parts.close();
    },
  };
}

/**
 * Fetches everything that peers hold for our keys, into an empty or outdated store, then stops.
 * Only P2P listens meanwhile. `without`: URLs of peers that are gone for good. Throws as startPtm
 * does; peers that fail are listed in the report.
 */
export async function recoverPtm(
  config: PtmConfig,
  host: PtmHost = {},
  without: readonly string[] = [],
): Promise<RecoveryReport> {
  const parts = await composePtm(config, { ...host, mayBeGone: true });
  try {
    const recovery = new Recovery(parts);
    const common = commonRoutes(config, () => false);
    await parts.listen({ P2P: [...common, ...recoveryRoutes(recovery, parts)] });
    await parts.discovery.settle();
    return await recovery.run(without);
  } finally {
    await parts.close();
  }
}

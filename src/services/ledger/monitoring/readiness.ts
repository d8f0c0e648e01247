/** `/ready`: whether the node can serve clients now, and if not, why (docs/install.md). */
import { consensusAt } from '../../../core/chain/consensus-rules.ts';
import type { Page } from '../../../io/rpc/http.ts';
import type { LoopWatch } from '../../../io/telemetry/loop-watch.ts';
import type { LedgerConfig } from '../config.ts';
import type { LedgerNode } from '../node/compose.ts';
import { describeFault, type PrivateWatch } from '../node/private-state/private-watch.ts';
import { READY_REASONS, type ReadyReason } from '../options/rpc.ts';
import type { NodeAdmin } from '../view/node-admin.ts';
import type { CountedBytes } from './geth-metrics.ts';
import type { ManagerPulse } from './manager-pulse.ts';

/** A node further behind is not ready; where blocks take less than a second, by as many seconds. */
const LAG_BLOCKS_MAX = 16;
/** A node delayed for longer in the last ten seconds is not ready either. */
const LAG_MS_MAX = 1_000;

export interface PrivacyWatches {
  readonly pulse?: ManagerPulse | undefined;
  readonly privateWatch?: PrivateWatch | undefined;
}

export interface ReadinessParts extends PrivacyWatches, CountedBytes {
  readonly node: LedgerNode;
  readonly admin: NodeAdmin;
  readonly config: Pick<LedgerConfig, 'rpc' | 'metrics'>;
  /** Whether files name peers to connect to. */
  readonly hasConfiguredPeers?: boolean;
  /** Of this thread. */
  readonly watch?: LoopWatch | undefined;
  /** Of the thread of agreement, which may be this one. */
  readonly agreementWatch?: Pick<LoopWatch, 'longest' | 'onLag'> | undefined;
}

export function readiness(parts: ReadinessParts): Page {
  const { node, admin, watch, agreementWatch, config } = parts;
  const head = node.chain.head().number;
  const progress = admin.syncing();
  const fields = {
    head,
    behind: progress ? progress.highestBlock - head : 0,
    lagMs: Math.round(agreementWatch?.longest.ms ?? 0),
    ownLagMs: Math.round(agreementWatch?.longest.ownMs ?? 0),
    chainLagMs: Math.round(watch?.longest.ms ?? 0),
    peers: admin.peers().length,
    ...(node.follower ? { privateBehind: head - node.follower.cursor() } : {}),
  };
  const { blockPeriodMs } = consensusAt(node.chain.config, head);
  const blocksMax = LAG_BLOCKS_MAX * Math.max(1, Math.ceil(1000 / (blockPeriodMs || 1000)));
  const found = faults(parts, fields, blocksMax);
  const ignored = new Set(config.rpc.ignoredReasons);
  const reasons = READY_REASONS.flatMap((reason) => {
    const text = found[reason];
    return text === undefined ? [] : [{ reason, text }];
  });
  const isReady = reasons.every(({ reason }) => ignored.has(reason));
  const body = { ready: isReady, ...fields, reasons };
  return {
    status: isReady ? 200 : 503,
    contentType: 'application/json',
    body: `${JSON.stringify(body)}\n`,
  };
}

type Fact = 'head' | 'behind' | 'lagMs' | 'chainLagMs' | 'peers';

/** Each a text for an operator; undefined: fine. They contain nothing private. */
function faults(
  { node, hasConfiguredPeers, pulse, privateWatch }: ReadinessParts,
  { head, behind, peers, ...lags }: Readonly<Record<Fact, number>>,
  blocksMax: number,
): Partial<Record<ReadyReason, string | undefined>> {
  const late = node.follower ? head - node.follower.cursor() : 0;
  const bad = privateWatch?.firstBad;
  const lagMs = Math.max(lags.lagMs, lags.chainLagMs);
  return {
    behind: behind > blocksMax ? `${behind} blocks behind the network` : undefined,
    lag: lagMs > LAG_MS_MAX ? `held up for ${lagMs} ms` : undefined,
    peers: hasConfiguredPeers && peers === 0 ? 'none of the configured peers is there' : undefined,
    manager: pulse?.fault && `the private transaction manager does not answer: ${pulse.fault}`,
    private: late > blocksMax ? `private state is ${late} blocks behind` : undefined,
    diverged: bad
      ? `private state has diverged at block ${describeFault(bad).block}: quorate db private-check`
      : privateWatch?.isDiverged
        ? 'a peer that is party to the same payloads has a different private state: quorate db private-check'
        : undefined,
    votes: node.bft?.abstention && `this validator abstains: ${node.bft.abstention}`,
  };
}

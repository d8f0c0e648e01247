/** `/ready`: whether the node can serve clients now, and if not, why (docs/install.md). */
import { consensusAt } from '../../../core/chain/consensus-rules.ts';
import type { Page } from '../../../io/rpc/http.ts';
import type { LoopWatch } from '../../../io/telemetry/loop-watch.ts';
import type { Tracing } from '../../../io/tracing/tracing.ts';
import type { LedgerConfig } from '../config.ts';
import type { LedgerNode } from '../node/compose.ts';
import { describeFault, type PrivateWatch } from '../node/private-state/private-watch.ts';
import { READY_REASONS, type ReadyReason } from '../options/rpc.ts';
import type { NodeAdmin } from '../view/node-admin.ts';
import type { CountedBytes } from './geth-metrics.ts';
import { lateMs } from './late.ts';
import type { ManagerPulse } from './manager-pulse.ts';
import type { NodeKeyPulse } from './node-key-pulse.ts';

/**
 * A node that is further behind is not ready; if blocks take less than a second, the limit is this
 * many seconds.
 */
const LAG_BLOCKS_MAX = 16;
/** A node whose event loop was blocked for longer, within the last ten seconds, is not ready. */
const LAG_MS_MAX = 1_000;

/** If the next block is overdue for this long, the validators are assumed to have no quorum. */
const SILENCE_MS_MAX = 60_000;

export interface PrivacyWatches {
  readonly pulse?: ManagerPulse | undefined;
  readonly privateWatch?: PrivateWatch | undefined;
}

export interface ReadinessParts extends PrivacyWatches, CountedBytes {
  readonly node: LedgerNode;
  /** For a node key that a signing proxy keeps. */
  readonly keyPulse?: Pick<NodeKeyPulse, 'fault'> | undefined;
  readonly admin: NodeAdmin;
  readonly config: Pick<LedgerConfig, 'rpc' | 'metrics' | 'consensus' | 'dataFolder'>;
  /** Whether configuration files name peers to connect to. */
  readonly hasConfiguredPeers?: boolean;
  /** Number of votes on disk since the vote file was created. */
  readonly votesWritten?: (() => number) | undefined;
  /** undefined: nothing is traced. */
  readonly tracing?: Tracing | undefined;
  /** The watch of this thread's event loop. */
  readonly watch?: LoopWatch | undefined;
  /** The watch of the consensus thread, which may be this thread. */
  readonly agreementWatch?: Pick<LoopWatch, 'longest' | 'onLag'> | undefined;
}

export interface Moment {
  /** Unix time in milliseconds. */
  readonly nowMs: number;
  /** Milliseconds since this process began. */
  readonly upMs: number;
}

export function readiness(parts: ReadinessParts, moment: Moment): Page {
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
  const found = { ...faults(parts, fields, blocksMax), quorum: quorumFault(parts, moment) };
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

/**
 * Why no block can be decided: a Raft cluster without a leader, or a validator that has seen no
 * block for a minute after the next one was due. After its start, a node is given a minute too.
 */
function quorumFault(
  { node, admin, config }: ReadinessParts,
  { nowMs, upMs }: Moment,
): string | undefined {
  if (admin.raft && !admin.raft.hasLeader()) return 'the Raft cluster has no leader';
  if (!node.bft?.isRunning) return undefined;
  const { chain } = node;
  const rulesAt = (height: number) => consensusAt(chain.config, height, config.consensus.defaults);
  const silentMs = Math.min(upMs, lateMs(chain, rulesAt, nowMs));
  if (silentMs <= SILENCE_MS_MAX) return undefined;
  const seconds = Math.round(silentMs / 1000);
  return `block ${chain.head().number + 1} is ${seconds} s late: the validators do not reach a quorum`;
}

type Fact = 'head' | 'behind' | 'lagMs' | 'chainLagMs' | 'peers';

/**
 * Each value is a text for the operator; undefined: no fault. The texts contain nothing private.
 */
function faults(
  { node, hasConfiguredPeers, pulse, keyPulse, privateWatch }: ReadinessParts,
  { head, behind, peers, ...lags }: Readonly<Record<Fact, number>>,
  blocksMax: number,
): Partial<Record<ReadyReason, string | undefined>> {
  const late = node.follower ? head - node.follower.cursor() : 0;
  const bad = privateWatch?.firstBad;
  const lagMs = Math.max(lags.lagMs, lags.chainLagMs);
  return {
    behind: behind > blocksMax ? `${behind} blocks behind the network` : undefined,
    lag: lagMs > LAG_MS_MAX ? `held up for ${lagMs} ms` : undefined,
    peers: hasConfiguredPeers && peers === 0 ? 'no configured peer is connected' : undefined,
    manager: pulse?.fault && `the private transaction manager does not answer: ${pulse.fault}`,
    nodekey: keyPulse?.fault && `the node key cannot sign: ${keyPulse.fault}`,
    private: late > blocksMax ? `private state is ${late} blocks behind` : undefined,
    diverged: bad
      ? `private state has diverged at block ${describeFault(bad).block}: quorate db private-check`
      : privateWatch?.isDiverged
        ? 'a peer that is party to the same payloads has a different private state: quorate db private-check'
        : undefined,
    votes: node.bft?.abstention && `this validator abstains: ${node.bft.abstention}`,
  };
}

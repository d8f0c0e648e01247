/**
 * Runs the signing proxy: its pipeline with nonces and their journal, the connection to the node,
 * and the HTTP and WebSocket servers.
 */
import type { IncomingMessage } from 'node:http';
import { join } from 'node:path';
import type { ClientOptions } from 'ws';
import type { Log, Metrics } from '../../core/base/ports.ts';
import type { SigningAccounts } from '../../core/signing/account-signer.ts';
import type { Guard, Identity } from '../../core/signing/guard.ts';
import type { NodeKeys } from '../../core/signing/node-keys.ts';
import { NonceManager } from '../../core/signing/nonce-manager.ts';
import { steadyClock } from '../../io/host/clock.ts';
import { systemTimers } from '../../io/host/timers.ts';
import { newTraffic, type Traffic } from '../../io/http/traffic.ts';
import { stampFolder } from '../../io/storage/folder-stamp.ts';
import { nodeLogFolder } from '../../io/storage/node-log-file.ts';
import { GuardedSigning } from './proxy/guarded-signing.ts';
import { FileJournal, FORGETFUL_JOURNAL } from './proxy/journal.ts';
import { NodeKeyCalls } from './proxy/node-key-calls.ts';
import { Pipeline, type PipelineParts } from './proxy/pipeline.ts';
import type { NodeAnswer, PayloadStore } from './proxy/ports.ts';
import { Sender } from './proxy/sender.ts';
import { TransactionSigner } from './proxy/transaction-signer.ts';
import { Transactions } from './proxy/transactions.ts';
import { type ServeOptions, serveSigner } from './serve.ts';
import { HttpUpstream, type UpstreamSettings } from './upstream.ts';
import { serveWebSocket } from './websocket.ts';

const JOURNAL_FOLDER = 'transactions';
const MS_PER_SECOND = 1_000;

export interface ProxySettings {
  readonly chainId: bigint;
  readonly upstream: UpstreamSettings;
  /** undefined: pending transactions are lost at a restart. */
  readonly dataPath: string | undefined;
  readonly fillsGaps: boolean;
  readonly strictNonce: boolean;
  readonly estimatesGas: boolean;
  readonly forwarded: readonly string[];
  readonly serve: Omit<ServeOptions, 'pipeline' | 'guard' | 'traffic'>;
  /** Undefined: the default limits. */
  readonly traffic?: Traffic;
  /** The node's WebSocket, for subscriptions. */
  readonly nodeWebSocket: { readonly url: string; readonly options: ClientOptions };
  /** Whether a WebSocket may be opened, by host list and origins. */
  readonly mayConnect: (request: IncomingMessage) => boolean;
}

export interface ProxyParts {
  readonly accounts: SigningAccounts;
  /** undefined: the proxy has no node keys. */
  readonly nodeKeys?: NodeKeys | undefined;
  readonly guard: Guard;
  readonly payloads: PayloadStore | undefined;
  readonly log: Log;
  readonly metrics?: Metrics | undefined;
  readonly watch?: PipelineParts['watch'];
  readonly trace?: PipelineParts['trace'];
  /** Receives functions that read the current figures of the nonces. */
  readonly watchNonces?: (figures: NonceFigures) => void;
}

export interface NonceFigures {
  /** Transactions that are neither mined nor refused. */
  pending(): number;
  /**
   * Seconds in which none of an account's pending transactions was mined; the longest of all
   * accounts.
   */
  stuckSeconds(): number;
  /** Requests that wait for a nonce, a signature or the node. */
  requests(): number;
}

export interface RunningProxy {
  readonly port: number;
  /** Answers pending requests first. */
  close(): Promise<void>;
}

/**
 * Format of the data folder; raise with any change that an older program would misread. 1: the
 * format of 0.1.0, which wrote no version.
 */
const FORMAT = { of: 'signer', version: 1 };

/** The identity used for transactions that fill a gap, because no client requested them. */
const FILLER: Identity = { name: 'gap filler', mayUse: () => true, mayCall: () => true };

export async function startProxy(
  settings: ProxySettings,
  parts: ProxyParts,
): Promise<RunningProxy> {
  const { chainId, dataPath } = settings;
  const upstream = new HttpUpstream(settings.upstream);
  if (dataPath !== undefined) stampFolder(dataPath, FORMAT);
  const journal =
    dataPath === undefined
      ? undefined
      : new FileJournal(nodeLogFolder(join(dataPath, JOURNAL_FOLDER)), parts.log);
  if (!journal)
    parts.log('warn', 'No data folder: pending transactions are forgotten at a restart');
  const signing = new GuardedSigning(parts.accounts, parts.guard);
  const signer = new TransactionSigner(signing, chainId);
  const manager = new NonceManager<NodeAnswer>({ fillsGaps: settings.fillsGaps });
  const sender = new Sender({
    manager,
    upstream,
    journal: journal ?? FORGETFUL_JOURNAL,
    clock: steadyClock,
    timers: systemTimers,
    log: parts.log,
    metrics: parts.metrics,
    signFill: (nonceKey, nonce) => signer.fill(nonceKey, nonce, FILLER),
  });
  parts.watchNonces?.({
    pending: () => manager.pending.heldCount,
    stuckSeconds: () => manager.pending.stuckMs(steadyClock.nowMs()) / MS_PER_SECOND,
    requests: () => sender.underWay,
  });
  const transactions = new Transactions({
    ...{ signing, signer, sender, upstream, chainId, payloads: parts.payloads },
    strictNonce: settings.strictNonce,
    estimatesGas: settings.estimatesGas,
  });
  if (journal) sender.restore(journal.restored());
  const pipeline = new Pipeline({
    ...{ signing, transactions, upstream, watch: parts.watch, forwarded: settings.forwarded },
    trace: parts.trace,
    nodeKeys: parts.nodeKeys && new NodeKeyCalls(parts.nodeKeys, parts.guard, steadyClock),
  });
  const { traffic = newTraffic() } = settings;
  const server = await serveSigner({ ...settings.serve, traffic, pipeline, guard: parts.guard });
  const webSockets = serveWebSocket(server.server, {
    ...{ pipeline, guard: parts.guard, log: parts.log, mayConnect: settings.mayConnect },
    forwardsAuthorization: settings.serve.forwardsAuthorization,
    frameBytesMax: settings.serve.bodyBytesMax,
    traffic,
    nodeUrl: settings.nodeWebSocket.url,
    nodeOptions: settings.nodeWebSocket.options,
  });
  return {
    port: server.port,
    async close() {
      await Promise.all([server.drain(), webSockets.drain(settings.serve.drainMs)]);
      sender.close();
      await journal?.close();
      upstream.close();
    },
  };
}

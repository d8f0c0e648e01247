/** The API over its transports: HTTP, WebSocket and IPC, each with its own namespaces. */
import type { Server } from 'node:http';
import { bareHex } from '../../core/base/hex.ts';
import type { Kv, Log, Timers } from '../../core/base/ports.ts';
import { engineAt } from '../../core/chain/consensus-rules.ts';
import { type CallLimits, estimateGas } from '../../core/execution/call.ts';
import { DEFAULT_PSI } from '../../core/privacy/inputs.ts';
import type { Manager } from '../../core/privacy/manager-port.ts';
import type { PrivateStates } from '../../core/privacy/private-states.ts';
import { systemClock } from '../../io/host/clock.ts';
import { systemEntropy } from '../../io/host/entropy.ts';
import { newTraffic } from '../../io/http/traffic.ts';
import type { ParsedOptions } from '../../io/options/options.ts';
import { type Caller, Dispatcher } from '../../io/rpc/dispatcher.ts';
import { type Page, serveHttp } from '../../io/rpc/http.ts';
import { serveIpc } from '../../io/rpc/ipc.ts';
import { serveWebSocket } from '../../io/rpc/websocket.ts';
import type { MetricsRegistry } from '../../io/telemetry/metrics.ts';
import type { Context } from './api/context.ts';
import { requestOf, siteOf } from './api/eth/call.ts';
import { patient } from './api/private-arrival.ts';
import { TABLE } from './api/table.ts';
import { Callbacks } from './callbacks.ts';
import { composeSending } from './compose-sending.ts';
import type { AccessControl } from './config/access-control.ts';
import { tenantsOf } from './config/private-states.ts';
import { callSecondsOf, ipcPath, namespacesOf } from './config/settings.ts';
import { callMeter, metricsOf, serveMetrics } from './metrics.ts';
import type { Component } from './node/component.ts';
import { composeExtensions } from './node/compose-extension.ts';
import type { Accounts } from './node/sending/accounts.ts';
import { AsyncSends, type CallbackShape } from './node/sending/async-sends.ts';
import type { ReaderSettings, ReaderThreads } from './readers/job.ts';
import { Readers } from './readers/readers.ts';
import { type ReadinessParts, readiness } from './readiness.ts';
import { LATEST } from './view/block-tag.ts';
import { Filters } from './view/filters.ts';
import { type Looks, openViews } from './view/open-views.ts';
import { PartyInputs } from './view/party-inputs.ts';
import type { PartyView } from './view/party-view.ts';
import type { PendingPlan } from './view/pending-block.ts';
import { PendingPlanner } from './view/pending-planner.ts';

export interface ApiParts extends ReadinessParts {
  readonly accounts: Accounts;
  readonly manager: Manager;
  readonly kv: Kv;
  readonly timers: Timers;
  readonly privateStates: PrivateStates;
  readonly access: AccessControl;
  readonly log: Log;
  /** Makes the threads that read the store beside this one; undefined: this one answers all. */
  readonly readers?: ((settings: ReaderSettings) => ReaderThreads) | undefined;
}

export interface ServedApi {
  readonly httpUrl: string | undefined;
  readonly webSocketUrl: string | undefined;
  close(): Promise<void>;
}

export function composeApi(parts: ApiParts): {
  dispatcher: Dispatcher<Context>;
  /** What works on behalf of this node's accounts. */
  parts: readonly Component[];
  serve(): Promise<ServedApi>;
} {
  const { node, admin, options } = parts;
  const namespaces: Record<Caller['transport'], Set<string>> = {
    http: namespacesOf(options.list('http.api')),
    ws: namespacesOf(options.list('ws.api')),
    ipc: namespacesOf([
      ...new Set(TABLE.methods.flatMap(({ names }) => names.map((name) => name.split('_')[0]!))),
    ]),
  };
  // As in GoQuorum, a chain has the methods of its own consensus.
  const engine = engineAt(node.chain.config, node.chain.head().number + 1);
  namespaces.ipc.delete(engine === 'raft' ? 'istanbul' : 'raft');
  for (const transport of ['http', 'ws'] as const)
    sayUnavailable(parts, transport, namespaces[transport], namespaces.ipc);
  for (const set of Object.values(namespaces)) set.delete(engine === 'raft' ? 'istanbul' : 'raft');
  const callLimits = callLimitsOf(options);
  const filters = new Filters({
    events: node.events,
    clock: systemClock,
    entropy: systemEntropy,
  });
  const looks = looksOf(options);
  const { privateStates: states } = parts;
  const viewOf = openViews({ chain: node.chain.store, config: node.chain.config, states, looks });
  const planner = new PendingPlanner(node, systemClock);
  const privateArrival = () => node.follower?.arrival() ?? Promise.resolve(true);
  const reading = readersOf(parts, privateArrival, () => planner.plan());
  const readers = reading?.readers;
  const sending = composeSending(parts, (psi) => async (args) => {
    const request = { ...requestOf(args), isPrivate: args.private !== undefined };
    if (readers) return readers.estimateGas(request, psi);
    return estimateGas(request, siteOf({ view: viewOf(psi) }, LATEST), callLimits());
  });
  const extensions = composeExtensions({
    ...parts,
    ...node,
    ...sending.shared,
    submitterOf: (psi) => sending.of(psi).submitter,
    membersOf: (psi) => parts.privateStates.membersOf(psi),
  });
  const callbacks = new Callbacks(options.list('rpc.callback-hosts'));
  const shape = options.string('rpc.async-callback') as CallbackShape;
  const asyncSends = new AsyncSends({ ...parts, shape, callbacks });
  const metrics = metricsOf(parts);
  const dispatcher = new Dispatcher<Context>(
    { ...TABLE, methods: TABLE.methods.map(patient) },
    {
      contextOf: (caller, requestId) => {
        const view = viewOf(caller.psi ?? DEFAULT_PSI);
        return {
          caller,
          requestId,
          view,
          inputs: inputsOf(parts, view),
          ...sending.shared,
          ...sending.as(caller),
          pooled: (hash) => sending.shared.pool.transaction(hash),
          search: readers && ((query, from, to) => readers.logs({ query, from, to }, caller)),
          extensions: extensions?.requests,
          asyncSends,
          filters,
          admin,
          pending: planner.reader(view),
          events: node.events,
          namespaces: namespaces[caller.transport],
          callLimits,
          isGivenUp: () => false,
          privateArrival,
          hasGoquorumCasing: options.boolean('rpc.goquorum-casing'),
          hasExtraFields: options.boolean('rpc.extra-fields'),
          reloadPlugin: parts.access.reload,
        };
      },
      isEnabled: (caller, namespace) => namespaces[caller.transport].has(namespace),
      newId: () => `0x${bareHex(systemEntropy.bytes(16)).replace(/^0+(?=.)/, '')}`,
      log: parts.log,
      isMultitenant: parts.access.isMultitenant,
      nowMs: () => systemClock.nowMs(),
      onCall: callMeter(metrics),
      readers,
      watch: parts.watch,
    },
  );
  const posting = { name: 'callbacks', start: () => {}, stop: () => callbacks.close() };
  const readerPart = {
    name: 'readers',
    start: () => reading?.threads.start(),
    stop: () => reading?.threads.stop(),
  };
  const works = [readerPart, posting, asyncSends, ...(extensions ? [extensions.agent] : [])];
  return { dispatcher, parts: works, serve: () => serve(dispatcher, parts, metrics) };
}

function inputsOf({ node }: ApiParts, view: PartyView): PartyInputs | undefined {
  const isFor = (keys: readonly string[]) => keys.some((key) => view.isManagedBy(key));
  return node.payloads && new PartyInputs(node.payloads, isFor);
}

function looksOf(options: ParsedOptions): Looks {
  return {
    hasRaftSeconds: options.string('rpc.raft-timestamps') === 'seconds',
    hasRevertReasons: options.boolean('revertreason'),
  };
}

function readersOf(
  { node, options, privateStates, readers, log }: ApiParts,
  privateArrival: () => Promise<boolean>,
  plan: () => PendingPlan,
): { readonly readers: Readers; readonly threads: ReaderThreads } | undefined {
  const limits = {
    gasCap: BigInt(options.number('rpc.gascap')!),
    callSeconds: callSecondsOf(options),
  };
  const tenants = tenantsOf(privateStates);
  const threads = readers?.({ tenants, looks: looksOf(options), limits });
  if (!threads) return undefined;
  const made = new Readers({
    threads,
    limits,
    log,
    end: () => node.chain.store.end,
    payloads: node.payloads,
    privateArrival,
    plan,
  });
  return { readers: made, threads };
}

/** Phrase of geth (node/rpcstack.go): a name that nobody knows, or of the other consensus, opens nothing. */
function sayUnavailable(
  { options, log }: ApiParts,
  transport: 'http' | 'ws',
  wanted: ReadonlySet<string>,
  available: ReadonlySet<string>,
): void {
  const unavailable = [...wanted].filter((name) => !available.has(name));
  if (unavailable.length === 0 || !options.boolean(transport)) return;
  log('error', `Unavailable modules in ${transport.toUpperCase()} API list`, {
    unavailable,
    available: [...available].filter((name) => !name.includes('.')).sort(),
  });
}

function callLimitsOf(options: ParsedOptions): () => CallLimits {
  const gasCap = BigInt(options.number('rpc.gascap')!);
  const seconds = callSecondsOf(options);
  return () => {
    const deadline = systemClock.nowMs() + seconds * 1000;
    return { gasCap, shouldStop: () => systemClock.nowMs() > deadline, timeoutText: `${seconds}s` };
  };
}

async function serve(
  dispatcher: Dispatcher<Context>,
  parts: ApiParts,
  metrics: MetricsRegistry | undefined,
): Promise<ServedApi> {
  const { options, access, log } = parts;
  const ends: (() => void | Promise<void>)[] = [];
  if (metrics) ends.push(await serveMetrics(metrics, options, log));
  const traffic = newTraffic();
  const pages = new Map<string, () => Page>([
    ['/health', () => json(200, { status: 'ok' })],
    ['/ready', () => readiness(parts)],
  ]);
  const open = async (host: string, port: number): Promise<{ server: Server; port: number }> => {
    const server = await serveHttp(dispatcher, {
      host,
      port,
      vhosts: options.list('http.vhosts'),
      corsDomains: options.list('http.corsdomain'),
      prefix: options.string('http.rpcprefix')!,
      pages,
      authenticate: access.authenticate,
      tls: access.tls,
      traffic,
    });
    ends.push(() => server.close());
    return server;
  };
  const isHttp = options.boolean('http');
  const http = isHttp
    ? await open(options.string('http.addr')!, options.number('http.port')!)
    : undefined;
  const webSocketUrl = options.boolean('ws') ? await serveWs() : undefined;
  const socket = ipcPath(options);
  if (socket) ends.push(await serveIpc(dispatcher, socket, traffic));
  const secure = access.tls ? 's' : '';
  return {
    httpUrl: http && `http${secure}://${options.string('http.addr')}:${http.port}`,
    webSocketUrl,
    async close() {
      for (const end of ends.reverse()) await end();
    },
  };

  async function serveWs(): Promise<string> {
    const host = options.string('ws.addr')!;
    const port = options.number('ws.port')!;
    const isShared = http !== undefined && port === options.number('http.port') && port !== 0;
    const target = isShared ? http : await open(host, port);
    const { authenticate } = access;
    const origins = options.list('ws.origins');
    ends.push(serveWebSocket(dispatcher, target.server, { origins, authenticate, traffic }));
    return `ws${access.tls ? 's' : ''}://${host}:${target.port}`;
  }
}

function json(status: number, body: object): Page {
  return { status, contentType: 'application/json', body: `${JSON.stringify(body)}\n` };
}

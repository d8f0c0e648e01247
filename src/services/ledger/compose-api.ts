/** Composes the API: the dispatcher of its methods, and each transport's view and permissions. */
import { bareHex } from '../../core/base/hex.ts';
import { engineAt } from '../../core/chain/consensus-rules.ts';
import { type CallLimits, estimateGas } from '../../core/execution/call.ts';
import { DEFAULT_PSI, type Psi } from '../../core/privacy/inputs.ts';
import { steadyClock, systemClock } from '../../io/host/clock.ts';
import { systemEntropy } from '../../io/host/entropy.ts';
import { type Caller, Dispatcher } from '../../io/rpc/dispatcher.ts';
import type { Context } from './api/context.ts';
import { DEVELOPMENT_NAMESPACES, whereDeveloped } from './api/development/namespaces.ts';
import { requestOf, siteOf } from './api/eth/call.ts';
import { openRpcOf } from './api/openrpc.ts';
import { patient } from './api/private-arrival.ts';
import { TABLE } from './api/table.ts';
import type { ApiParts } from './api-parts.ts';
import { Callbacks } from './callbacks.ts';
import { composeSending } from './compose-sending.ts';
import { tenantsOf } from './config/private-states.ts';
import type { RpcConfig } from './config/rpc.ts';
import { graphqlEndpoints } from './graphql-endpoint.ts';
import { traceCalls } from './monitoring/call-traces.ts';
import { callMeter, metricsOf } from './monitoring/metrics.ts';
import { permissionRequests } from './network/permission-requests.ts';
import type { Component } from './node/component.ts';
import { composeExtensions } from './node/compose-extension.ts';
import { AsyncSends } from './node/sending/async-sends.ts';
import type { ReaderThreads } from './readers/job.ts';
import { Readers, type ReadersParts } from './readers/readers.ts';
import { thisThread } from './readers/this-thread.ts';
import { type ServedApi, serveApi } from './serve.ts';
import { type AccountHistory, accountHistory } from './view/account-history.ts';
import { LATEST } from './view/block-tag.ts';
import { Filters } from './view/filters.ts';
import { openViews } from './view/open-views.ts';
import { PartyInputs } from './view/party-inputs.ts';
import type { PartyView } from './view/party-view.ts';
import { PendingPlanner } from './view/pending-planner.ts';

const FIRST_READER_MS = 3_000;

export interface ComposedApi {
  readonly dispatcher: Dispatcher<Context>;
  /** Methods that act for this node's accounts. */
  readonly parts: readonly Component[];
  serve(): Promise<ServedApi>;
}

export function composeApi(parts: ApiParts): ComposedApi {
  const { node, admin } = parts;
  const { rpc } = parts.config;
  const namespaces = openNamespaces(parts);
  const callLimits = callLimitsOf(rpc);
  const filters = new Filters({
    events: node.events,
    clock: steadyClock,
    entropy: systemEntropy,
  });
  const { looks } = rpc;
  const { privateStates: states } = parts;
  const viewOf = openViews({ chain: node.chain.store, config: node.chain.config, states, looks });
  const planner = new PendingPlanner(node, steadyClock);
  const privateArrival = () => node.follower?.arrival() ?? Promise.resolve(true);
  const accounts = (psi: Psi) => accountsOf(parts, viewOf(psi));
  const supplies = { privateArrival, plan: () => planner.plan(), accounts };
  const reading = readersOf(parts, supplies, viewOf);
  const readers = reading?.isHere === false ? reading.readers : undefined;
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
  const permissions = permissionRequests(parts);
  const callbacks = new Callbacks(rpc.callbackHosts);
  const asyncSends = new AsyncSends({ ...parts, shape: rpc.callbackShape, callbacks });
  const metrics = metricsOf(parts);
  const contextOf = (caller: Caller, requestId: string | undefined): Context => {
    const view = viewOf(caller.psi ?? DEFAULT_PSI);
    return {
      caller,
      requestId,
      view,
      inputs: inputsOf(parts, view),
      accounts: accountsOf(parts, view),
      ...sending.shared,
      ...sending.as(caller),
      pooled: (hash) => sending.shared.pool.transaction(hash),
      search: readers && ((query, from, to) => readers.logs({ query, from, to }, caller)),
      extensions: extensions?.requests,
      permissions,
      asyncSends,
      development: parts.development,
      filters,
      admin,
      pending: planner.reader(view),
      events: node.events,
      timers: parts.timers,
      namespaces: namespaces[caller.transport],
      callLimits,
      isGivenUp: () => false,
      loadScripts: undefined,
      privateArrival,
      hasGoquorumCasing: rpc.hasGoquorumCasing,
      hasExtraFields: rpc.hasExtraFields,
      reloadPlugin: parts.access.reload,
    };
  };
  const dispatcher = new Dispatcher<Context>(
    { ...TABLE, methods: TABLE.methods.map(patient) },
    {
      contextOf,
      isEnabled: (caller, namespace) => namespaces[caller.transport].has(namespace),
      whereServed: parts.development ? undefined : whereDeveloped,
      newId: () => `0x${bareHex(systemEntropy.bytes(16)).replace(/^0+(?=.)/, '')}`,
      log: parts.log,
      isMultitenant: parts.access.isMultitenant,
      nowMs: () => systemClock.nowMs(),
      onCall: callMeter(metrics),
      readers,
      watch: parts.watch,
      limits: rpc.batchLimits,
      ...{ audit: parts.audit, traces: parts.tracing && traceCalls(parts.tracing) },
    },
  );
  const posting = { name: 'callbacks', start: () => {}, stop: () => callbacks.close() };
  const works = [
    readersPart(reading?.threads),
    posting,
    asyncSends,
    ...(extensions ? [extensions.agent] : []),
  ];
  const endpoints = graphqlEndpoints(rpc.graphql, {
    readers: reading?.readers,
    contextOf: (caller) => contextOf(caller, undefined),
    isMultitenant: parts.access.isMultitenant,
    nowMs: () => systemClock.nowMs(),
    log: parts.log,
  });
  const openRpc = () => openRpcOf(TABLE, namespaces.http, admin.info().clientVersion);
  const served = { ...parts, metrics, endpoints, openRpc };
  return { dispatcher, parts: works, serve: () => serveApi(dispatcher, served) };
}

/** The first reader is started when the node already answers, unless a request needs it sooner. */
function readersPart(threads: ReaderThreads | undefined): Component {
  let timer: NodeJS.Timeout | undefined;
  return {
    name: 'readers',
    start() {
      timer = setTimeout(() => threads?.start(), FIRST_READER_MS);
      timer.unref();
    },
    stop() {
      clearTimeout(timer);
      return threads?.stop();
    },
  };
}

function accountsOf({ node }: ApiParts, view: PartyView): AccountHistory {
  const head = () => node.chain.head().number;
  return accountHistory(node.accounts, () => view.ownSpaces(), head);
}

function inputsOf({ node }: ApiParts, view: PartyView): PartyInputs | undefined {
  const isFor = (keys: readonly string[]) => keys.some((key) => view.isManagedBy(key));
  return node.payloads && new PartyInputs(node.payloads, isFor);
}

/**
 * `isHere`: this thread is the only reader; it answers GraphQL alone through `readers`. Undefined:
 * there is no reader.
 */
function readersOf(
  { node, config: { rpc }, privateStates, readers, development, log }: ApiParts,
  supplies: Pick<ReadersParts, 'privateArrival' | 'plan' | 'accounts'>,
  viewOf: (psi: Psi) => PartyView,
):
  | { readonly readers: Readers; readonly threads: ReaderThreads; readonly isHere: boolean }
  | undefined {
  const limits = { gasCap: rpc.gasCap, callSeconds: rpc.callSeconds };
  const tenants = tenantsOf(privateStates);
  const own = readers?.({ tenants, looks: rpc.looks, limits });
  if (!own && !development) return undefined;
  const hasPrivateStates = node.chain.config.isQuorum;
  const threads = own ?? thisThread({ viewOf, hasPrivateStates, limits, clock: steadyClock, log });
  const made = new Readers({
    threads,
    limits,
    log,
    end: () => node.chain.store.end,
    payloads: node.payloads,
    ...supplies,
  });
  return { readers: made, threads, isHere: !own };
}

/** Not reported as unavailable: the devnet's nodes always list them, even without permissions. */
const PERMISSION_NAMESPACES = ['ledgerPermission', 'quorumPermission'];
const PLUGIN_NAMESPACE = 'plugin@account';

/**
 * As in GoQuorum, a chain has the methods of its own consensus, those of permissions if it is
 * permissioned, and those of the account plugin if one is configured; IPC has all of them.
 */
function openNamespaces(parts: ApiParts): Record<Caller['transport'], ReadonlySet<string>> {
  const { chain } = parts.node;
  const isRaft = engineAt(chain.config, chain.head().number + 1) === 'raft';
  const foreign = isRaft ? 'istanbul' : 'raft';
  const names = TABLE.methods.flatMap((method) =>
    method.names.map((name) => name.split(/[_.]/)[0]!),
  );
  const { hasMethods } = parts.config.permissions;
  const absent = [
    foreign,
    ...(hasMethods ? [] : PERMISSION_NAMESPACES),
    ...(parts.development ? [] : DEVELOPMENT_NAMESPACES),
    ...(parts.accounts.vault ? [] : [PLUGIN_NAMESPACE]),
  ];
  const known = new Set(['rpc', ...names].filter((name) => name !== foreign));
  const own = new Set([...known].filter((name) => !absent.includes(name)));
  const { http, ws } = parts.config.rpc.namespaces;
  const opened = (transport: 'http' | 'ws', wanted: readonly string[]) => {
    sayUnavailable(parts, transport, wanted, known);
    return new Set(wanted.filter((name) => !absent.includes(name)));
  };
  return { http: opened('http', http), ws: opened('ws', ws), ipc: own };
}

/**
 * Uses geth's text (node/rpcstack.go): a name that is unknown, or of another consensus, enables
 * nothing.
 */
function sayUnavailable(
  { config, log }: ApiParts,
  transport: 'http' | 'ws',
  wanted: readonly string[],
  available: ReadonlySet<string>,
): void {
  const unavailable = [...new Set(wanted)].filter((name) => !available.has(name));
  if (unavailable.length === 0 || !config.rpc[transport]) return;
  log('error', `Unavailable modules in ${transport.toUpperCase()} API list`, {
    unavailable,
    available: [...available].sort(),
  });
}

function callLimitsOf({ gasCap, callSeconds }: RpcConfig): () => CallLimits {
  return () => {
    const deadline = steadyClock.nowMs() + callSeconds * 1000;
    const shouldStop = () => steadyClock.nowMs() > deadline;
    return { gasCap, shouldStop, timeoutText: `${callSeconds}s` };
  };
}

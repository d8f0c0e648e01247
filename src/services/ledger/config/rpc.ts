/** Settings of JSON-RPC: namespaces, addresses, and time limits of calls. */
import { isAbsolute, join } from 'node:path';
import type { ParsedOptions } from '../../../io/options/options.ts';
import type { ExplorerSetUp } from '../../../io/pages/explorer-site.ts';
import type { BatchLimits } from '../../../io/rpc/batch.ts';
import type { CallbackShape } from '../node/sending/async-sends.ts';
import type { Looks } from '../view/open-views.ts';
import { explorerSetUp } from './explorer.ts';

const DAY_SECONDS = 86_400;
/** Two names of the same namespace: enabling one enables the other. */
const TWIN_NAMESPACES: Readonly<Record<string, string>> = {
  ledgerExtension: 'quorumExtension',
  quorumExtension: 'ledgerExtension',
  ledgerPermission: 'quorumPermission',
  quorumPermission: 'ledgerPermission',
};

export interface RpcConfig {
  /** undefined: HTTP is not served. */
  readonly http: TransportConfig | undefined;
  readonly ws: WebSocketConfig | undefined;
  /**
   * The namespaces of each transport, in both spellings where there are two; always includes `rpc`.
   */
  readonly namespaces: Readonly<Record<'http' | 'ws', readonly string[]>>;
  /** Path of the socket; undefined: IPC is not served. */
  readonly ipc: string | undefined;
  /** For HTTP, and for the other APIs on its port. */
  readonly vhosts: readonly string[];
  readonly corsDomains: readonly string[];
  readonly prefix: string;
  /** Access to GraphQL; undefined: it is not served. */
  readonly graphql: GraphqlConfig | undefined;
  /** Initial data of the explorer's page; undefined: it is not served. */
  readonly explorer: ExplorerSetUp | undefined;
  /** Number of threads that answer long reads; undefined: depends on the machine. */
  readonly readers: number | undefined;
  readonly batchLimits: BatchLimits;
  readonly gasCap: bigint;
  /** Time limit of one call of the EVM. */
  readonly callSeconds: number;
  readonly looks: Looks;
  readonly callbackHosts: readonly string[];
  readonly callbackShape: CallbackShape;
  readonly hasGoquorumCasing: boolean;
  readonly hasExtraFields: boolean;
  /** File of the audit log; undefined: none is kept. */
  readonly auditLog: string | undefined;
  /** Reasons that /ready ignores; they stay in its answer. */
  readonly ignoredReasons: readonly string[];
}

/** Settings separate from those of JSON-RPC. */
export interface GraphqlConfig {
  readonly vhosts: readonly string[];
  readonly corsDomains: readonly string[];
}

export interface TransportConfig {
  readonly host: string;
  readonly port: number;
}

export interface WebSocketConfig extends TransportConfig {
  readonly origins: readonly string[];
  /** Prefix of the path; '': any path is served. */
  readonly prefix: string;
}

export function rpcConfig(options: ParsedOptions, dataFolder: string): RpcConfig {
  return {
    http: options.boolean('http') ? transport(options, 'http') : undefined,
    ws: options.boolean('ws')
      ? {
          ...transport(options, 'ws'),
          origins: options.list('ws.origins'),
          prefix: options.string('ws.rpcprefix')!,
        }
      : undefined,
    namespaces: {
      http: namespacesOf(options.list('http.api')),
      ws: namespacesOf(options.list('ws.api')),
    },
    ipc: ipcPath(options, dataFolder),
    vhosts: options.list('http.vhosts'),
    corsDomains: options.list('http.corsdomain'),
    prefix: options.string('http.rpcprefix')!,
    graphql: options.boolean('graphql')
      ? {
          vhosts: options.list('graphql.vhosts'),
          corsDomains: options.list('graphql.corsdomain'),
        }
      : undefined,
    explorer: options.boolean('explorer') ? explorerSetUp(options) : undefined,
    readers: options.number('rpc.readers'),
    batchLimits: {
      batchCallsMax: options.number('rpc.batch-request-limit') || Number.POSITIVE_INFINITY,
      batchReplyCharactersMax:
        options.number('rpc.batch-response-max-size') || Number.POSITIVE_INFINITY,
    },
    gasCap: BigInt(options.number('rpc.gascap')!),
    callSeconds: callSecondsOf(options),
    looks: {
      hasRaftSeconds: options.string('rpc.raft-timestamps') === 'seconds',
      hasRevertReasons: options.boolean('revertreason'),
    },
    callbackHosts: options.list('rpc.callback-hosts'),
    callbackShape: options.string('rpc.async-callback') as CallbackShape,
    hasGoquorumCasing: options.boolean('rpc.goquorum-casing'),
    hasExtraFields: options.boolean('rpc.extra-fields'),
    auditLog: options.string('audit-log') || undefined,
    ignoredReasons: options.list('ready.ignore'),
  };
}

function transport(options: ParsedOptions, name: 'http' | 'ws'): TransportConfig {
  return {
    host: options.string(`${name}.addr`)!,
    port: options.number(`${name}.port`)!,
  };
}

/** As in GoQuorum, 0 means no limit; here that is one day. */
function callSecondsOf(options: ParsedOptions): number {
  return options.number('vm.calltimeout') || DAY_SECONDS;
}

/** The given names with their second spelling, if they have one, and always `rpc`. */
function namespacesOf(list: readonly string[]): string[] {
  const names = list.map((name) => name.trim());
  return ['rpc', ...names, ...names.flatMap((name) => TWIN_NAMESPACES[name] ?? [])];
}

/** undefined: IPC is not served. */
export function ipcPath(options: ParsedOptions, dataFolder: string): string | undefined {
  if (options.boolean('ipcdisable')) return undefined;
  const path = options.string('ipcpath')!;
  return isAbsolute(path) || path.includes('/') ? path : join(dataFolder, path);
}

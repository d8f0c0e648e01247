/** A manager's peers: which are known, how they are reached, and what strangers may request. */
import type { Clock, Entropy, Log, Timers } from '../../core/base/ports.ts';
import type { EnclaveCrypto } from '../../core/payload/enclave-crypto.ts';
import { DialGuard } from '../../io/http/dial-guard.ts';
import { HttpClient } from '../../io/http/http-client.ts';
import { type ClientTrust, TrustingAgent } from '../../io/http/tls-trust.ts';
import type { Tracer } from '../../io/telemetry/trace-context.ts';
import type { PtmConfig } from './config/ptm-config.ts';
import { Candidates } from './manager/candidates.ts';
import { Discovery } from './manager/discovery.ts';
import type { Enclave } from './manager/enclave.ts';
import { KeyChallenge } from './manager/key-challenge.ts';
import { PartyTable } from './manager/party-table.ts';
import { type PeerWire, peerVersions } from './manager/peers.ts';
import { Proofs } from './manager/proofs.ts';
import { type Budget, SourceBudget } from './manager/source-budget.ts';
import { httpPeerWire } from './peer-wire.ts';

export const BODY_BYTES_MAX: number = 64 * 1024 * 1024;
const DIAL_TIMEOUT_MS = 2_000;
const TIMEOUT_MS = 30_000;
/** Time limit of a resend: the peer answers only after it has sent everything. */
const RESEND_TIMEOUT_MS = 3_600_000;
/** Limits for managers that have not confirmed themselves. */
const WARY_TIMEOUT_MS = 5_000;
const WARY_BYTES_MAX = 1024 * 1024;
const WARY_SOCKETS_MAX = 8;
const IDLE_TIMEOUT_MS = 60_000;

const SECONDS_PER_DAY = 86_400;
const UNBOUNDED: Budget = { burst: Number.POSITIVE_INFINITY, perSecond: 0 };
/** See docs/limits.md. */
const REFUSED_BYTES: Budget = { burst: 64 * 1024 * 1024, perSecond: 1024 * 1024 };
const NAMED_BY_STRANGER: Budget = { burst: 32, perSecond: 2 };
const NAMED_BY_STRANGERS: Budget = { burst: 128, perSecond: 16 };
const NAMED_BY_PEER: Budget = { burst: 256, perSecond: 16 };
const NAMED_BY_PEERS: Budget = { burst: 1024, perSecond: 64 };
const LOOKS_FOR_STRANGER: Budget = { burst: 64, perSecond: 4 };
const LOOKS_FOR_STRANGERS: Budget = { burst: 256, perSecond: 32 };
/** One source's share of the budget for all unknown senders. */
const SHARE_OF_SOURCE = 0.25;

export interface PeeringOptions {
  readonly config: PtmConfig;
  readonly enclave: Enclave;
  readonly crypto: EnclaveCrypto;
  readonly entropy: Entropy;
  /** Monotonic. */
  readonly clock: Clock;
  readonly calendar: Clock;
  readonly timers: Timers;
  readonly say: Log;
  readonly trust: ClientTrust | undefined;
  /** undefined: nothing is traced. */
  readonly tracing: Tracer | undefined;
}

export interface Peering {
  readonly table: PartyTable;
  readonly wire: PeerWire;
  readonly guard: DialGuard;
  /** Versions announced to peers. */
  readonly versions: readonly string[];
  readonly challenge: KeyChallenge;
  readonly proofs: Proofs;
  readonly candidates: Candidates;
  readonly discovery: Discovery;
  /** Bytes of refused requests, by source. */
  readonly refusals: SourceBudget;
  /** Bytes that senders with unknown managers may store here. */
  readonly unknownSenders: SourceBudget;
  close(): void;
}

export function composePeering(options: PeeringOptions): Peering {
  const { config, enclave, crypto, entropy, clock, calendar, timers, say } = options;
  const table = new PartyTable({
    ownUrl: advertisedUrl(config) ?? 'http://localhost:0/',
    ownKeys: enclave.publicKeys,
    configured: config.peers,
    discovery: config.discovery,
    clock,
    calendar,
  });
  const hosts = config.peers.map((url) => new URL(url).hostname);
  const guard = new DialGuard(hosts, config.discoverInternal);
  const client = (timeoutMs: number, responseBytesMax: number, socketsMax?: number) =>
    new HttpClient({
      dialTimeoutMs: DIAL_TIMEOUT_MS,
      timeoutMs,
      idleTimeoutMs: IDLE_TIMEOUT_MS,
      responseBytesMax,
      socketsMax,
      isFrequent: true,
      lookup: guard.lookup,
      ...secureAgent(options.trust),
    });
  const clients = {
    quick: client(TIMEOUT_MS, BODY_BYTES_MAX),
    patient: client(RESEND_TIMEOUT_MS, BODY_BYTES_MAX),
    wary: client(WARY_TIMEOUT_MS, WARY_BYTES_MAX, WARY_SOCKETS_MAX),
  };
  const proofs = new Proofs({ enclave, crypto, entropy, clock });
  const versions = peerVersions(config.enhancements);
  const wire = httpPeerWire({
    clients,
    versions,
    guard,
    tracer: options.tracing,
    prove: (url, text, key, request) => proofs.answer(text, key, table.keysAt(url), request),
  });
  const challenge = new KeyChallenge({ enclave, wire, entropy, clock, say });
  const budget = (each: Budget, all: Budget) => new SourceBudget(each, all, clock);
  const candidates = new Candidates({
    table,
    wire,
    challenge,
    clock,
    say,
    strangers: budget(NAMED_BY_STRANGER, NAMED_BY_STRANGERS),
    peers: budget(NAMED_BY_PEER, NAMED_BY_PEERS),
  });
  const discovery = new Discovery({
    table,
    enclave,
    wire,
    challenge,
    candidates,
    refreshes: budget(LOOKS_FOR_STRANGER, LOOKS_FOR_STRANGERS),
    clock,
    timers,
    say,
    intervalMs: config.partyInfoIntervalMs,
  });
  const perDay = config.unknownSenderBytesPerDay;
  return {
    ...{ table, wire, guard, versions, challenge, proofs, candidates, discovery },
    refusals: budget(REFUSED_BYTES, UNBOUNDED),
    unknownSenders: budget(daily(perDay * SHARE_OF_SOURCE), daily(perDay)),
    close() {
      for (const one of Object.values(clients)) one.close();
    },
  };
}

function daily(units: number): Budget {
  return { burst: units, perSecond: units / SECONDS_PER_DAY };
}

function secureAgent(trust: ClientTrust | undefined) {
  if (!trust) return {};
  return { secureAgent: (pool: object) => new TrustingAgent(trust, pool) };
}

export function advertisedUrl(config: PtmConfig): string | undefined {
  return config.servers.find((server) => server.app === 'P2P')?.advertised;
}

/** The command lines of the devnet's nodes and managers, as a user would type them. */
import { join } from 'node:path';
import type { PreparedFiles } from './prepared-files.ts';
import { rampPage } from './ramp-offer.ts';
import type { Account } from './test-keys.ts';
import {
  accountsOf,
  CHAIN_ID,
  type NodeSpec,
  rampAccount,
  STAKING_CLIENT,
  stakingAudience,
  type Topology,
} from './topology.ts';

const HTTP_API =
  'admin,debug,eea,erigon,eth,istanbul,raft,ledgerExtension,ledgerPermission,miner,net,ots,personal,priv,quorumExtension,quorumPermission,rpc,trace,txpool,web3';

const DEVELOPMENT_API = 'evm,anvil,hardhat,trace';

/** Any price is accepted, and 0 is always suggested, so that accounts without funds can send. */
export const FREE_GAS = [
  '--miner.gasprice',
  '0',
  '--txpool.pricelimit',
  '0',
  '--gpo.maxprice',
  '0',
];

/** Where traces are sent: an OpenTelemetry collector. */
export interface DevnetTracing {
  readonly endpoint: string;
  readonly ratio?: number | undefined;
}

/** Flags of a process, by the name that traces give it. */
export function tracingFlags(tracing: DevnetTracing | undefined): (name: string) => string[] {
  if (!tracing) return () => [];
  const { endpoint, ratio } = tracing;
  const share = ratio === undefined ? [] : ['--otel.ratio', String(ratio)];
  return (name) => ['--otel.endpoint', endpoint, '--otel.service', name, ...share];
}

export function ptmCommand(node: NodeSpec): string[] {
  return ['ptm', '--configfile', join(node.ptmFolder, 'config.json')];
}

/** `verbosity`: 0 silent .. 5 trace. */
export function nodeCommand(
  node: NodeSpec,
  topology: Topology,
  files: PreparedFiles,
  verbosity: number,
): string[] {
  const rpcPort = String(node.ports.rpc);
  const api = topology.isDevelopment ? `${HTTP_API},${DEVELOPMENT_API}` : HTTP_API;
  return [
    ...['node', '--datadir', node.folder, '--genesis', files.genesis.path],
    ...['--networkid', String(CHAIN_ID), '--nodiscover', '--port', String(node.ports.p2p)],
    ...blockFlags(node, topology),
    ...FREE_GAS,
    ...['--syncmode', 'full', '--index.accounts'],
    ...['--http', '--http.addr', '127.0.0.1', '--http.port', rpcPort, '--http.api', api],
    ...['--http.corsdomain', '*'],
    ...['--graphql', '--graphql.corsdomain', '*'],
    ...explorerFlags(node, topology, files),
    ...['--ws', '--ws.addr', '127.0.0.1', '--ws.port', rpcPort, '--ws.api', api],
    ...['--ws.origins', '*', '--rpc.allow-unprotected-txs', '--revertreason'],
    ...['--metrics', '--metrics.addr', '127.0.0.1', '--metrics.port', String(node.ports.metrics)],
    ...['--verbosity', String(verbosity)],
    ...['--ptm.url', `http://127.0.0.1:${node.ports.ptmQ2t}`],
    ...unlockFlags(accountsOf(topology, node), files),
  ];
}

/** The explorer of each node can also query the other nodes. */
function explorerFlags(
  node: NodeSpec,
  { nodes, signerPort, rampPort, accounts }: Topology,
  { ptmPublicKeys }: PreparedFiles,
): string[] {
  const others = nodes.filter((each) => each !== node);
  const named = others.map(({ name, ports }) => `${name}=http://127.0.0.1:${ports.rpc}`);
  const parties = nodes.map(({ name }, at) => `${name}=${ptmPublicKeys[at]}`);
  return [
    ...['--explorer.parties', parties.join(',')],
    ...['--explorer', '--explorer.name', node.name, '--explorer.nodes', named.join(',')],
    ...['--explorer.signer', `http://127.0.0.1:${signerPort}`],
    ...['--explorer.ramp', rampPage(`http://127.0.0.1:${rampPort}`, accounts[0]!.address)],
  ];
}

/** Options for making blocks. */
function blockFlags(node: NodeSpec, { consensus, isDevelopment, nodes }: Topology): string[] {
  if (consensus === 'raft') return raftFlags(node);
  if (!isDevelopment) return ['--mine'];
  const members = nodes.map(({ name, ports }) => `${name}=${ports.rpc}`);
  return ['--dev', '--dev.members', members.join(',')];
}

/** Timestamps in seconds: most clients cannot hold nanoseconds. */
function raftFlags(node: NodeSpec): string[] {
  return [
    ...['--raft', '--raftport', String(node.ports.raft), '--raft.addr', '127.0.0.1'],
    ...['--rpc.raft-timestamps', 'seconds'],
  ];
}

/**
 * The proxy is in front of node 1, with the funded accounts; its private transactions go to that
 * node's manager.
 */
export function signerCommand(
  topology: Topology,
  files: PreparedFiles,
  verbosity: number,
): string[] {
  const [node] = topology.nodes;
  const levels = ['OFF', 'ERROR', 'WARN', 'INFO', 'DEBUG', 'TRACE'];
  return [
    ...['signer', '--chain-id', String(CHAIN_ID), '--data-path', files.signerFolder],
    ...['--http-listen-port', String(topology.signerPort), '--http-cors-origins', '*'],
    ...['--downstream-http-port', String(node!.ports.rpc)],
    ...['--ptm-url', `http://127.0.0.1:${node!.ports.ptmQ2t}`],
    ...['--keystores-path', files.signerKeys, '--keystores-password-file', files.signerPassword],
    ...['--metrics-enabled', '--metrics-port', String(topology.metricsPorts.signer)],
    ...['--logging', levels[verbosity] ?? 'INFO', '--fill-gaps', '--estimate-gas'],
  ];
}

/** Deposits are paid by the third of the accounts, through the signing proxy. */
export function stakingCommand(
  topology: Topology,
  files: PreparedFiles,
  verbosity: number,
): string[] {
  return [
    ...['staking', '--datadir', files.stakingFolder, '--verbosity', String(verbosity)],
    ...['--http.port', String(topology.stakingPort), '--api.audience', stakingAudience(topology)],
    ...['--metrics.port', String(topology.metricsPorts.staking)],
    ...['--ledger.url', `http://127.0.0.1:${topology.signerPort}`],
    ...['--deposit.from', topology.accounts[2]!.address],
    ...['--bootstrap.client', STAKING_CLIENT, '--bootstrap.secret-file', files.stakingSecretFile],
  ];
}

/**
 * The ramp's partners use the token service of the staking service; crypto is paid out through the
 * signing proxy.
 */
export function rampCommand(topology: Topology, files: PreparedFiles, verbosity: number): string[] {
  const [node] = topology.nodes;
  const { address } = rampAccount(topology, (each) => files.genesis.allocates(each));
  const audience = stakingAudience(topology);
  return [
    ...['ramp', '--datadir', files.rampFolder, '--offer', files.rampOffer],
    ...['--http.port', String(topology.rampPort), '--verbosity', String(verbosity)],
    ...['--metrics.port', String(topology.metricsPorts.ramp)],
    ...['--auth.issuer', audience, '--auth.audience', audience, '--rate', '1000'],
    ...['--ledger.url', `http://127.0.0.1:${topology.signerPort}`, '--ledger.from', address],
    ...['--ledger.ws', `ws://127.0.0.1:${node!.ports.rpc}`],
    ...['--sell.collector', 'deploy', '--operator.token-file', files.operatorTokenFile],
  ];
}

function unlockFlags(accounts: readonly Account[], files: PreparedFiles): string[] {
  const addresses = accounts.map((account) => account.address).join(',');
  return ['--unlock', addresses, '--password', files.password, '--allow-insecure-unlock'];
}

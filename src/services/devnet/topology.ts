/**
 * The parts of a devnet: names, ports, keys and genesis. Deterministic, so that a restart finds the
 * same network.
 */

import { bareHex, toHex } from '../../core/base/hex.ts';
import { addressOfSecretKey, secp256k1 } from '../../core/base/secp256k1.ts';
import {
  type Account,
  MANAGER_KEYS,
  type ManagerKey,
  madeKey,
  nodeAccounts,
  testAccounts,
} from './test-keys.ts';

export const CHAIN_ID = 1337;
export const SIGNER_NAME = 'signer';
/** The default port of EthSigner. */
const SIGNER_PORT = 8_545;
/** The first offset after those of the nodes and managers. */
const SIGNER_OFFSET = 20;
export const STAKING_NAME = 'staking';
/** The id of the test client. */
export const STAKING_CLIENT = 'devnet';
const STAKING_PORT = 8_550;
const STAKING_OFFSET = 21;
export const RAMP_NAME = 'ramp';
/** The aggregator that tries the ramp. */
export const RAMP_PARTNER = 'https://aggregator.example/';
const RAMP_PORT = 8_560;
const RAMP_OFFSET = 22;
/** The first metrics port: those of the nodes, then those of the services. */
const METRICS_PORT = 22_100;
const METRICS_OFFSET = 23;
const NODES_MAX = 4;
/** The index of the test account that pays crypto out. */
const RAMP_ACCOUNT = 11;
/** Like all ports here, below the range that the system uses for outgoing connections. */
const RAFT_PORT = 20_401;
const NODE_COUNT = { qbft: 4, raft: 3 } as const;

export type DevnetConsensus = keyof typeof NODE_COUNT;

/** Password of the test accounts' key files on node 1. */
export const TEST_PASSWORD = 'quorate-devnet-test-password';

export interface Ports {
  readonly rpc: number;
  readonly p2p: number;
  readonly ptmThirdParty: number;
  readonly ptmP2p: number;
  readonly ptmQ2t: number;
  /** The port of Raft's own connections. */
  readonly raft: number;
  readonly metrics: number;
}

export interface NodeSpec {
  readonly name: string;
  /**
   * The node whose process and manager serve this one: itself, or on a development network the
   * first.
   */
  readonly hostName: string;
  readonly ptmName: string;
  readonly folder: string;
  readonly ptmFolder: string;
  readonly ports: Ports;
  readonly nodeKey: Uint8Array;
  /** The key of the account that pays for the markers of EEA transactions. */
  readonly markerKey: Uint8Array;
  readonly address: string;
  readonly enode: string;
  readonly managerKey: ManagerKey;
  /** Accounts that only this node holds: one with funds, one that never has any. */
  readonly rich: Account;
  readonly poor: Account;
}

export interface Topology {
  readonly folder: string;
  /** The port of the signing proxy in front of node 1. */
  readonly signerPort: number;
  readonly stakingPort: number;
  readonly rampPort: number;
  readonly metricsPorts: {
    readonly signer: number;
    readonly staking: number;
    readonly ramp: number;
  };
  readonly consensus: DevnetConsensus;
  /** One development node serves all members, each as a tenant with a port of its own. */
  readonly isDevelopment: boolean;
  readonly nodes: readonly NodeSpec[];
  /** Those of `nodes` that have a process and a manager of their own. */
  readonly hosts: readonly NodeSpec[];
  readonly accounts: readonly Account[];
  /**
   * Addresses that start with funds: the accounts, those of nodes, and those that pay for markers.
   */
  readonly funded: readonly string[];
}

/**
 * `portsFrom` moves all ports to one range of 30 from there; undefined keeps the documented ones.
 */
export function topologyOf(
  folder: string,
  portsFrom: number | undefined,
  consensus: DevnetConsensus = 'qbft',
  isDevelopment = false,
): Topology {
  const nodes = Array.from({ length: NODE_COUNT[consensus] }, (_, index) =>
    nodeSpec(folder, index, { portsFrom, consensus, isDevelopment }),
  );
  const hosts = nodes.filter(({ name, hostName }) => name === hostName);
  const accounts = testAccounts();
  const signerPort = portsFrom === undefined ? SIGNER_PORT : portsFrom + SIGNER_OFFSET;
  const stakingPort = portsFrom === undefined ? STAKING_PORT : portsFrom + STAKING_OFFSET;
  const rampPort = portsFrom === undefined ? RAMP_PORT : portsFrom + RAMP_OFFSET;
  const behindNodes = metricsPort(portsFrom, NODES_MAX);
  const metricsPorts = { signer: behindNodes, staking: behindNodes + 1, ramp: behindNodes + 2 };
  const funded = [
    ...accounts.map(({ address }) => address),
    ...nodes.flatMap(({ rich, markerKey }) => [rich.address, toHex(addressOfSecretKey(markerKey))]),
  ];
  const ports = { signerPort, stakingPort, rampPort, metricsPorts };
  return { folder, ...ports, consensus, isDevelopment, nodes, hosts, accounts, funded };
}

/** The accounts that the process of `host` holds, unlocked. */
export function accountsOf({ nodes, accounts }: Topology, host: NodeSpec): readonly Account[] {
  const own = nodes.filter(({ hostName }) => hostName === host.name);
  return [...(host === nodes[0] ? accounts : []), ...own.flatMap(({ rich, poor }) => [rich, poor])];
}

/** An account that also has funds in networks of earlier versions. */
export function rampAccount(
  { accounts }: Topology,
  hasFunds: (address: string) => boolean,
): Account {
  const account = accounts[RAMP_ACCOUNT]!;
  return hasFunds(account.address) ? account : accounts[1]!;
}

export function stakingAudience({ stakingPort }: Topology): string {
  return `http://127.0.0.1:${stakingPort}/`;
}

interface Choice {
  readonly portsFrom: number | undefined;
  readonly consensus: DevnetConsensus;
  readonly isDevelopment: boolean;
}

function nodeSpec(folder: string, index: number, choice: Choice): NodeSpec {
  const host = choice.isDevelopment ? 0 : index;
  const ports = { ...portsOf(host, choice), rpc: portsOf(index, choice).rpc };
  const nodeKey = madeKey(`node ${host + 1}`);
  const publicKey = secp256k1().publicKey(nodeKey);
  return {
    name: `node${index + 1}`,
    hostName: `node${host + 1}`,
    ptmName: `ptm${host + 1}`,
    folder: `${folder}/node${host + 1}`,
    ptmFolder: `${folder}/ptm${index + 1}`,
    ports,
    nodeKey,
    managerKey: MANAGER_KEYS[index]!,
    ...nodeAccounts(index),
    markerKey: madeKey(`EEA marker ${index + 1}`),
    address: toHex(addressOfSecretKey(nodeKey)),
    enode: `enode://${bareHex(publicKey)}@127.0.0.1:${ports.p2p}?discport=0${
      choice.consensus === 'raft' ? `&raftport=${ports.raft}` : ''
    }`,
  };
}

function portsOf(index: number, { portsFrom, consensus }: Choice): Ports {
  if (portsFrom === undefined) {
    return {
      rpc: 22_000 + index,
      p2p: 21_000 + index,
      ptmThirdParty: 9_081 + index,
      ptmP2p: 9_001 + index,
      ptmQ2t: 9_101 + index,
      raft: RAFT_PORT + index,
      metrics: metricsPort(portsFrom, index),
    };
  }
  // Five ports each for four validators, six each for three members.
  const at = (kind: number) => portsFrom + kind * NODE_COUNT[consensus] + index;
  return {
    ...{ rpc: at(0), p2p: at(1), ptmThirdParty: at(2), ptmP2p: at(3), ptmQ2t: at(4) },
    raft: at(5),
    metrics: metricsPort(portsFrom, index),
  };
}

function metricsPort(portsFrom: number | undefined, index: number): number {
  return (portsFrom === undefined ? METRICS_PORT : portsFrom + METRICS_OFFSET) + index;
}

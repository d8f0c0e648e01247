/** A running network, as described for scripts and tests in `.quorate/devnet.json`. */
import { TEST_MNEMONIC, TEST_MNEMONIC_PATH } from '../../core/base/test-mnemonic.ts';
import type { PreparedFiles } from './prepared-files.ts';
import { managerMetrics, nodeMetrics, serviceMetrics } from './prometheus.ts';
import type { Account } from './test-keys.ts';
import {
  CHAIN_ID,
  RAMP_NAME,
  RAMP_PARTNER,
  SIGNER_NAME,
  STAKING_CLIENT,
  STAKING_NAME,
  stakingAudience,
  type Topology,
} from './topology.ts';

export interface DevnetDescription {
  readonly chainId: number;
  readonly nodes: readonly {
    readonly name: string;
    readonly rpc: string;
    readonly ws: string;
    readonly enode: string;
    readonly address: string;
    readonly pid: number;
    /**
     * Unlocked accounts that only this node holds; on a network for development, all members hold
     * them. The second has no funds.
     */
    readonly accounts: readonly [rich: Account, poor: Account];
    /**
     * For Prometheus, like every `metrics` here; `prometheus.yml` in the same folder lists them
     * all.
     */
    readonly metrics: string;
    readonly ptm: {
      readonly publicKey: string;
      readonly thirdParty: string;
      readonly metrics: string;
      readonly pid: number;
    };
  }[];
  /** URL of the explorer: the chain and the network in a browser. */
  readonly explorer: string;
  /** Signing proxy in front of node 1, with the accounts below. */
  readonly signer: {
    readonly rpc: string;
    readonly ws: string;
    readonly metrics: string;
    readonly pid: number;
  };
  /** The staking API and its token service. */
  readonly staking: {
    readonly authUrl: string;
    readonly apiUrl: string;
    readonly audience: string;
    readonly client: { readonly clientId: string; readonly clientSecret: string };
    readonly metrics: string;
    readonly pid: number;
  };
  /**
   * The on-ramp. `token` is a bearer token of the partner, valid for a day; `operatorToken` opens
   * `url`/operator, and is a bearer token of scripts that operate it.
   */
  readonly ramp: {
    readonly url: string;
    readonly partnerAccountId: string;
    readonly token: string;
    readonly operatorToken: string;
    readonly metrics: string;
    readonly pid: number;
  };
  /** Accounts with funds, held by node 1, unlocked, and by the signing proxy. */
  readonly accounts: readonly Account[];
  /** The mnemonic of all `accounts` after the first three: `path`, then 0 to 9. */
  readonly mnemonic: { readonly phrase: string; readonly path: string };
}

/** `pidOf` accepts the names node1, ptm1, signer, staking, ramp and so on. */
export function describeDevnet(
  topology: Topology,
  files: PreparedFiles,
  pidOf: (name: string) => number,
  rampToken: string,
): DevnetDescription {
  const { metricsPorts } = topology;
  return {
    chainId: CHAIN_ID,
    nodes: topology.nodes.map((node, index) => ({
      name: node.name,
      rpc: `http://127.0.0.1:${node.ports.rpc}`,
      ws: `ws://127.0.0.1:${node.ports.rpc}`,
      enode: node.enode,
      address: node.address,
      pid: pidOf(node.hostName),
      accounts: [node.rich, node.poor],
      metrics: nodeMetrics(topology.hosts.find(({ name }) => name === node.hostName) ?? node),
      ptm: {
        publicKey: files.ptmPublicKeys[index]!,
        thirdParty: `http://127.0.0.1:${node.ports.ptmThirdParty}`,
        metrics: managerMetrics(node),
        pid: pidOf(node.ptmName),
      },
    })),
    explorer: `http://127.0.0.1:${topology.nodes[0]!.ports.rpc}/explorer`,
    signer: {
      rpc: `http://127.0.0.1:${topology.signerPort}`,
      ws: `ws://127.0.0.1:${topology.signerPort}`,
      metrics: serviceMetrics(metricsPorts.signer),
      pid: pidOf(SIGNER_NAME),
    },
    staking: {
      authUrl: `http://127.0.0.1:${topology.stakingPort}`,
      apiUrl: `http://127.0.0.1:${topology.stakingPort}`,
      audience: stakingAudience(topology),
      client: { clientId: STAKING_CLIENT, clientSecret: files.stakingSecret },
      metrics: serviceMetrics(metricsPorts.staking),
      pid: pidOf(STAKING_NAME),
    },
    ramp: {
      url: `http://127.0.0.1:${topology.rampPort}`,
      partnerAccountId: RAMP_PARTNER,
      token: rampToken,
      operatorToken: files.operatorToken,
      metrics: serviceMetrics(metricsPorts.ramp),
      pid: pidOf(RAMP_NAME),
    },
    accounts: topology.accounts.filter(({ address }) => files.genesis.allocates(address)),
    mnemonic: { phrase: TEST_MNEMONIC, path: TEST_MNEMONIC_PATH },
  };
}

/**
 * The nodes with a process and a manager of their own: development members share the first node's.
 */
export function hostsOf({ nodes }: DevnetDescription): DevnetDescription['nodes'] {
  return nodes.filter((node, at) => nodes.findIndex(({ enode }) => enode === node.enode) === at);
}

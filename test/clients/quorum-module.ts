/**
 * web3j's quorum module: all its own methods, on a QBFT devnet, a Raft devnet, and a node with two
 * tenants.
 */
import { startTestDevnet, type TestDevnet } from '../support/devnet.ts';
import { STORE_CODE } from '../support/store-contract.ts';
import { startTenants } from '../support/tenants.ts';
import { QUORUM_MODULE } from './clients.ts';
import { nodeWithKey } from './endpoints.ts';
import type { Installed } from './install.ts';
import { runProgram } from './program.ts';

/** Namespaces that the module calls. */
const APIS = 'eth,net,web3,istanbul,quorumExtension';

/** The output of a program, by area of calls. */
type Findings = Record<string, { readonly passed: readonly string[]; readonly failed?: string }>;

/** The table of docs/clients.md: how many calls passed. `onFailure` receives each error text. */
export async function playQuorumModule(
  installed: Installed,
  onFailure: (text: string) => void,
): Promise<string[]> {
  const networks = Object.keys(NETWORKS);
  const cells = new Map<string, string[]>();
  for (const [column, network] of networks.entries()) {
    const findings = await NETWORKS[network]!(installed).catch((error: Error): Findings => {
      onFailure(`${network}: ${error.message}`);
      return {};
    });
    for (const [area, { passed, failed }] of Object.entries(findings)) {
      if (failed) onFailure(`${network}, ${area}: ${failed}`);
      const row = cells.get(area) ?? networks.map(() => '');
      row[column] = `${passed.length}${failed ? ', then **failed**' : ''}`;
      cells.set(area, row);
    }
  }
  return [
    `| calls of ${QUORUM_MODULE.title} that passed | ${networks.join(' | ')} |`,
    `| --- |${' --- |'.repeat(networks.length)}`,
    ...[...cells].map(([area, row]) => `| ${area} | ${row.join(' | ')} |`),
  ];
}

type Play = (installed: Installed) => Promise<Findings>;

const NETWORKS: Readonly<Record<string, Play>> = {
  QBFT: (installed) => onDevnet('qbft', installed),
  Raft: (installed) => onDevnet('raft', installed),
  'two tenants': onTenants,
};

async function onDevnet(network: 'qbft' | 'raft', installed: Installed): Promise<Findings> {
  const net = await startTestDevnet({ consensus: network, inProcesses: true });
  try {
    const { chainId } = net.devnet.description;
    const { privateKey } = await nodeWithKey(net);
    const task = { network, chainId, code: STORE_CODE, privateKey, nodes: nodesOf(net) };
    return await runProgram(QUORUM_MODULE, installed, task);
  } finally {
    await net.close();
  }
}

function nodesOf(net: TestDevnet) {
  const { nodes, accounts } = net.devnet.description;
  return nodes.map(({ rpc, ptm, accounts: [own] }, index) => ({
    url: rpc,
    key: ptm.publicKey,
    thirdParty: ptm.thirdParty,
    account: (index === 0 ? accounts[0]! : own).address,
  }));
}

/** Its callbacks match GoQuorum's byte for byte. */
async function onTenants(installed: Installed): Promise<Findings> {
  const both = await startTenants(['--http.api', APIS, '--rpc.async-callback', 'goquorum']);
  try {
    const scopes = [`psi://PS1?node.eoa=${both.from}&self.eoa=0x0`, 'psi://PS2?self.eoa=0x0'];
    const nodes = await Promise.all(
      scopes.map(async (scope, index) => ({
        url: both.api.httpUrl,
        key: both.keys[index],
        account: both.from,
        token: await both.token(scope),
        privateState: `PS${index + 1}`,
      })),
    );
    const privateKey = `0x${'09'.repeat(32)}`;
    const task = { network: 'tenants', chainId: 1337, code: STORE_CODE, privateKey, nodes };
    return await runProgram(QUORUM_MODULE, installed, task);
  } finally {
    await both.close();
  }
}

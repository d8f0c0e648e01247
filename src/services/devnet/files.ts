/**
 * Everything that a devnet has on disk before its processes start: keys, genesis, configurations.
 * Written once.
 */
import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { bareHex } from '../../core/base/hex.ts';
import { makeFolder } from '../../io/host/make-folder.ts';
import { demoTokenAddress } from './demo-token.ts';
import { devnetGenesis, type GenesisOptions } from './genesis.ts';
import { type GenesisFile, keepGenesis } from './genesis-file.ts';
import { writeAccounts, writeManagerKey } from './key-files.ts';
import { givePermissions } from './permissions.ts';
import type { PreparedFiles } from './prepared-files.ts';
import { prometheusConfig } from './prometheus.ts';
import { rampOffer } from './ramp-offer.ts';
import {
  accountsOf,
  type NodeSpec,
  rampAccount,
  TEST_PASSWORD,
  type Topology,
} from './topology.ts';
import { CREATE2_DEPLOYER } from './well-known-contracts.ts';

const TEST_SECRET_BYTES = 32;

export function removeFiles(folder: string): void {
  rmSync(folder, { recursive: true, force: true });
}

/**
 * Writes what is missing. Settings that differ from an existing network's are refused:
 * DEVNET_DIFFERENT.
 */
export async function prepareFiles(
  topology: Topology,
  options: GenesisOptions,
): Promise<PreparedFiles> {
  makeFolder(topology.folder);
  const genesis = keepGenesis(
    topology.folder,
    devnetGenesis({ ...topology, nodes: topology.hosts }, options),
  );
  const password = join(topology.folder, 'test-password.txt');
  writeFileSync(password, `${TEST_PASSWORD}\n`);
  const signer = signerFiles(topology);
  // The password file has no line break: the whole file is the password, as in Web3Signer.
  makeFolder(signer.signerFolder);
  writeFileSync(signer.signerPassword, TEST_PASSWORD);
  await writeAccounts(signer.signerKeys, topology.accounts);
  const ptmPublicKeys = topology.nodes.map((node) =>
    writeManagerKey(node.ptmFolder, node.managerKey),
  );
  for (const node of topology.hosts) {
    await writeAccounts(join(node.folder, 'keystore'), accountsOf(topology, node));
    writeNode(topology, node);
  }
  givePermissions(topology);
  writeFileSync(join(topology.folder, 'prometheus.yml'), prometheusConfig(topology));
  return {
    genesis,
    password,
    ...signer,
    ...stakingFiles(topology),
    ...rampFiles(topology, genesis),
    ptmPublicKeys,
  };
}

function writeNode(topology: Topology, node: NodeSpec): void {
  makeFolder(node.folder);
  writeFileSync(join(node.folder, 'nodekey'), bareHex(node.nodeKey), { mode: 0o600 });
  const markerFile = join(node.folder, 'quorate', 'eea-marker-key');
  if (!existsSync(markerFile)) {
    makeFolder(dirname(markerFile), 0o700);
    writeFileSync(markerFile, bareHex(node.markerKey), { mode: 0o600 });
  }
  // Members of a Raft cluster share one list, because their ids follow from it.
  const isListed = (other: NodeSpec) => topology.consensus === 'raft' || other !== node;
  const others = topology.hosts.filter(isListed);
  const staticNodes = JSON.stringify(
    others.map((other) => other.enode),
    null,
    2,
  );
  writeFileSync(join(node.folder, 'static-nodes.json'), `${staticNodes}\n`);
  writeFileSync(
    join(node.ptmFolder, 'config.json'),
    `${JSON.stringify(ptmConfig(topology, node), null, 2)}\n`,
  );
}

function ptmConfig(topology: Topology, node: NodeSpec): object {
  const members = topology.nodes.filter(({ hostName }) => hostName === node.name);
  const server = (app: string, port: number) => ({
    app,
    enabled: true,
    serverAddress: `http://127.0.0.1:${port}`,
  });
  return {
    serverConfigs: [
      server('Q2T', node.ports.ptmQ2t),
      server('ThirdParty', node.ports.ptmThirdParty),
      server('P2P', node.ports.ptmP2p),
    ],
    peer: topology.hosts.map((peer) => ({ url: `http://127.0.0.1:${peer.ports.ptmP2p}/` })),
    features: {
      enablePrivacyEnhancements: true,
      ...(topology.isDevelopment && { enableMultiplePrivateStates: true }),
    },
    ...(topology.isDevelopment && { residentGroups: members.map(residentGroup) }),
    quorate: { dataDir: join(node.ptmFolder, 'data') },
    keys: {
      keyData: members.map(({ ptmFolder }) => ({
        privateKeyPath: join(ptmFolder, 'tm.key'),
        publicKeyPath: join(ptmFolder, 'tm.pub'),
      })),
    },
  };
}

/** The group has the name of the member's private state. */
function residentGroup({ name, managerKey }: NodeSpec): object {
  return { name, description: `Member ${name}`, members: [managerKey.publicKey] };
}

function stakingFiles(topology: Topology) {
  const stakingFolder = join(topology.folder, 'staking');
  const stakingSecretFile = join(stakingFolder, 'test-client-secret.txt');
  return { stakingFolder, stakingSecretFile, stakingSecret: keptSecret(stakingSecretFile) };
}

/** Each network has its own secret: other users of this machine can reach the services' ports. */
function keptSecret(file: string): string {
  if (!existsSync(file)) {
    makeFolder(dirname(file), 0o700);
    const secret = randomBytes(TEST_SECRET_BYTES).toString('base64url');
    writeFileSync(file, `${secret}\n`, { mode: 0o600 });
  }
  return readFileSync(file, 'utf8').trim();
}

/** Users may edit the offer: it is written only once. */
function rampFiles(topology: Topology, genesis: GenesisFile) {
  const token = demoTokenOf(topology, genesis);
  const rampFolder = join(topology.folder, 'ramp');
  const file = join(rampFolder, 'ramp.json');
  if (!existsSync(file)) {
    makeFolder(rampFolder, 0o700);
    // On a development network blocks come only with transactions, so one confirmation must do.
    const offer = rampOffer(token, topology.isDevelopment ? 1 : undefined);
    writeFileSync(file, `${JSON.stringify(offer, null, 2)}\n`);
  }
  const operatorTokenFile = join(rampFolder, 'test-operator-token.txt');
  const operatorToken = keptSecret(operatorTokenFile);
  return { rampFolder, rampOffer: file, operatorTokenFile, operatorToken };
}

/** Undefined: a network of an earlier version, which has no CREATE2 deployer. */
export function demoTokenOf(topology: Topology, genesis: GenesisFile): string | undefined {
  if (!genesis.allocates(CREATE2_DEPLOYER.address)) return undefined;
  const { address } = rampAccount(topology, (each) => genesis.allocates(each));
  return demoTokenAddress(address);
}

function signerFiles(topology: Topology) {
  const signerFolder = join(topology.folder, 'signer');
  return {
    signerFolder,
    signerKeys: join(signerFolder, 'keys'),
    signerPassword: join(signerFolder, 'password.txt'),
  };
}

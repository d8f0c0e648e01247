/**
 * `--permissioned` on real processes: lists that name nodes by DNS, for connections in both
 * directions and while the node runs; then a single node with its permission contracts.
 */
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Wallet } from 'ethers';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type BftNode, BftProcesses } from '../support/bft-processes.ts';
import { until } from '../support/conditions.ts';
import { MAIN, untilMined } from '../support/devnet.ts';
import { genesisFile, testSecretKey } from '../support/genesis-file.ts';

const ALLOWED = 'permissioned-nodes.json';
const DENIED = 'account does not have permission for the transaction';
const ADMIN = new Wallet(testSecretKey(0x21));
const STRANGER = new Wallet(testSecretKey(0x11));

interface Peer {
  readonly id: string;
  readonly enode: string;
  readonly network: { readonly inbound: boolean };
}

let folder: string;
let network: BftProcesses;
/** The node with permissions; the other two have none. */
let guarded: BftNode;
let second: BftNode;
let third: BftNode;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'quorate-permissioned-'));
  network = await BftProcesses.prepare({
    ...{ folder, kinds: ['q', 'q', 'q'] },
    api: 'admin,eth,net,personal,quorumPermission,txpool',
    flags: ['--allow-insecure-unlock', '--lightkdf'],
    genesis: ([validator]) => genesisFile({ engine: 'qbft', validators: [validator!] }),
  });
  [guarded, second, third] = network.nodes as [BftNode, BftNode, BftNode];
  list(ALLOWED, guarded, second);
  await Promise.all([
    network.begin(guarded, ['--permissioned']),
    ...[second, third].map((node) => network.begin(node)),
  ]);
}, 120_000);

afterAll(async () => {
  await network?.stopAll();
  rmSync(folder, { recursive: true, force: true });
});

/** The node's URL with a name that DNS or the hosts file resolves. */
function named({ enode }: BftNode): string {
  return enode.replace('127.0.0.1', 'localhost');
}

function list(file: string, ...nodes: readonly BftNode[]): void {
  writeFileSync(join(guarded.folder, file), JSON.stringify(nodes.map(named)));
}

const idOf = ({ enode }: BftNode) => /[0-9a-f]{128}/.exec(enode)![0];

/** The node as a peer of the guarded node; undefined: it is not one. */
async function peer(node: BftNode): Promise<Peer | undefined> {
  const peers = await guarded.rpc.call<Peer[]>('admin_peers');
  return peers.find(({ enode }) => enode.includes(idOf(node)));
}

async function isRefused(direction: 'INCOMING' | 'OUTGOING', node: BftNode): Promise<void> {
  const id = idOf(node);
  const refusal = new RegExp(
    `permission denied.*${direction} id=${id.slice(0, 4)}…${id.slice(-4)}`,
  );
  await until(`${direction} of ${node.name} is refused`, () => refusal.test(guarded.log()));
  expect(await peer(node)).toBeUndefined();
}

it('accepts a node that the list names by its host, and no other', async () => {
  await second.rpc.call('admin_addPeer', named(guarded));
  const found = await until('it is a peer', () => peer(second));
  expect(found.network.inbound).toBe(true);
  await third.rpc.call('admin_addPeer', named(guarded));
  await isRefused('INCOMING', third);
  await third.rpc.call('admin_removePeer', named(guarded));
});

it('dials a node by its name once it is in the list', async () => {
  await guarded.rpc.call('admin_addPeer', named(third));
  await isRefused('OUTGOING', third);
  list(ALLOWED, guarded, second, third);
  const found = await until('it is dialled', () => peer(third));
  expect([found.network.inbound, found.enode.includes('@localhost:')]).toEqual([false, true]);
});

it('disconnects a node that a list no longer allows, by whatever name', async () => {
  list('disallowed-nodes.json', third);
  await until('the disallowed one has gone', async () => (await peer(third)) === undefined);
  expect(await peer(second)).toBeDefined();
  list(ALLOWED, guarded, third);
  await until('the one taken out has gone', async () => (await peer(second)) === undefined);
});

it('starts as a single node with permission contracts', async () => {
  await Promise.all([second, third].map((node) => node.stop()));
  const { rpc } = guarded;
  const from = await rpc.call<string>('personal_importRawKey', ADMIN.privateKey.slice(2), 'x');
  await rpc.call('personal_unlockAccount', from, 'x', 0);
  await promisify(execFile)(process.execPath, [
    ...[MAIN, 'permission', 'init', '--ledger.url', guarded.url, '--from', from],
    ...['--permission-config', join(guarded.folder, 'permission-config.json')],
    ...['--nodes', guarded.enode],
  ]);
  await guarded.stop();
  await guarded.start(['--permissioned']);
  await rpc.call('personal_unlockAccount', from, 'x', 0);
  expect(await rpc.call('net_peerCount')).toBe('0x0');
  expect(await rpc.call('quorumPermission_orgList')).toMatchObject([
    { fullOrgId: 'ADMINORG', status: 2 },
  ]);
  const to = STRANGER.address;
  const hash = await rpc.call<string>('eth_sendTransaction', { from, to });
  await untilMined(rpc, hash);
  const raw = await STRANGER.signTransaction({
    ...{ chainId: 1337, type: 0, nonce: 0, gasPrice: 0, gasLimit: 21_000, to, value: 0 },
  });
  await expect(rpc.call('eth_sendRawTransaction', raw)).rejects.toThrow(DENIED);
  const role = ['ADMINORG', 'CLERK', 1, false, false, { from, wait: true }];
  expect(await rpc.call('quorumPermission_addNewRole', ...role)).toBe(
    'Action completed successfully',
  );
});

/**
 * A permissioned network of version 2 on four processes. GoQuorum made its first 159 blocks,
 * Quorate makes the next: two validators in the administrators' organisation, a node each in ORG1
 * and ORG2.
 */
import { execFile } from 'node:child_process';
import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Wallet } from 'ethers';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { encodeBlock } from '../../src/core/chain/block.ts';
import { formatPermissionConfig } from '../../src/core/permission/config.ts';
import { installCrypto } from '../../src/io/crypto/crypto.ts';
import { until } from '../support/conditions.ts';
import { MAIN } from '../support/devnet.ts';
import { freePorts } from '../support/free-ports.ts';
import { NodeProcess } from '../support/node-process.ts';
import { type RecordedPermissions, recordedPermissions } from '../support/recorded-permissions.ts';

const DENIED = 'account does not have permission for the transaction';
const NOT_HERE = 'cannot send transaction from this node';
const NAMES = ['admin 1', 'admin 2', 'ORG1', 'ORG2'] as const;

let folder: string;
let recorded: RecordedPermissions;
let nodes: NodeProcess[];
let enodes: string[];

/**
 * Accounts of the recording: network administrators, and accounts of ORG1 and ORG2 by their role.
 */
let who: { admins: string[]; org1Admin: string; org2Admin: string; full: string; reader: string };

beforeAll(async () => {
  await installCrypto();
  folder = mkdtempSync(join(tmpdir(), 'quorate-permissioning-'));
  recorded = recordedPermissions('v2');
  const addresses = recorded.keys.map(({ address }) => address);
  who = {
    admins: addresses.slice(1, 4),
    org2Admin: addresses[5]!,
    full: addresses[6]!,
    reader: addresses[7]!,
    org1Admin: addresses[8]!,
  };
  const firstPort = await freePorts();
  const port = (at: number) => firstPort + 2 * at;
  enodes = recorded.nodes.map(({ pub }, at) => `enode://${pub}@127.0.0.1:${port(at)}?discport=0`);
  const blocks = join(folder, 'blocks.rlp');
  writeFileSync(blocks, Buffer.concat(recorded.blocks.map(encodeBlock)));
  const genesis = join(folder, 'genesis.json');
  writeFileSync(genesis, recorded.genesisText);
  // One import for all: the chain is the same. The two validators already voted on it in the
  // recording.
  const first = join(folder, 'node1');
  await run('init', '--datadir', first, genesis);
  await run('import', '--datadir', first, blocks);
  await run('db', 'reset-votes', '--datadir', first, '--height', '160');
  for (const at of [2, 3, 4]) cpSync(first, join(folder, `node${at}`), { recursive: true });
  nodes = NAMES.map((_, at) => {
    const place = join(folder, `node${at + 1}`);
    writeFileSync(join(place, 'nodekey'), bareHexOf(recorded.nodes[at]!.priv), { mode: 0o600 });
    for (const file of ['static-nodes.json', 'permissioned-nodes.json'])
      writeFileSync(join(place, file), JSON.stringify(enodes));
    writeFileSync(join(place, 'permission-config.json'), formatPermissionConfig(recorded.config));
    const rpcPort = port(at) + 1;
    const args = [
      ...[MAIN, 'node', '--datadir', place, '--permissioned', '--mine', '--networkid', '1337'],
      ...['--port', String(port(at)), '--p2p.addr', '127.0.0.1', '--ipcdisable'],
      ...['--http', '--http.port', String(rpcPort), '--allow-insecure-unlock', '--lightkdf'],
      ...['--http.api', 'admin,eth,net,personal,quorumPermission,rpc,txpool'],
    ];
    const environment = { PRIVATE_CONFIG: 'ignore' };
    const file = process.execPath;
    return new NodeProcess({ number: at + 1, folder: place, rpcPort, file, args, environment });
  });
  await Promise.all(nodes.map((node) => node.start()));
  const { admins, org1Admin, org2Admin, full, reader } = who;
  await Promise.all([
    ...admins.map((each) => own(nodes[0]!, each)),
    ...[org1Admin, full, reader].map((each) => own(nodes[2]!, each)),
    own(nodes[3]!, org2Admin),
    own(nodes[0]!, full),
  ]);
}, 120_000);

afterAll(async () => {
  await Promise.all((nodes ?? []).map((node) => node.stop('SIGKILL')));
  rmSync(folder, { recursive: true, force: true });
});

function bareHexOf(text: string): string {
  return text.replace(/^0x/, '');
}

async function run(...args: string[]): Promise<void> {
  await promisify(execFile)(process.execPath, [MAIN, ...args]);
}

/** Imports an account's key on a node, and unlocks it. */
async function own({ rpc }: NodeProcess, address: string): Promise<void> {
  const key = recorded.keys.find((each) => each.address === address)!;
  await rpc.call('personal_importRawKey', bareHexOf(key.priv), 'x');
  await rpc.call('personal_unlockAccount', address, 'x', 0);
}

function act(node: NodeProcess, action: string, ...params: unknown[]): Promise<unknown> {
  return node.rpc.call(`quorumPermission_${action}`, ...params);
}

/** The same; resolves once it is in a block. */
function done(node: NodeProcess, from: string, action: string, ...params: unknown[]) {
  return act(node, action, ...params, { from, wait: true });
}

function transfer({ rpc }: NodeProcess, from: string): Promise<string> {
  const to = recorded.keys[0]!.address;
  return rpc.call('eth_sendTransaction', {
    from,
    to,
    value: '0x1',
    gas: '0x5208',
    gasPrice: '0x0',
  });
}

async function mined({ rpc }: NodeProcess, hash: string): Promise<void> {
  const receipt = await until('it is in a block', () =>
    rpc
      .call<{ status: string } | null>('eth_getTransactionReceipt', hash)
      .then((found) => found ?? undefined),
  );
  expect(receipt.status).toBe('0x1');
}

async function peerCount({ rpc }: NodeProcess): Promise<number> {
  return (await rpc.call<unknown[]>('admin_peers')).length;
}

async function blockNumber({ rpc }: NodeProcess): Promise<number> {
  return Number(await rpc.call<string>('eth_blockNumber'));
}

it('all nodes are connected, and report the same permissions', async () => {
  await Promise.all(
    nodes.map((node) =>
      until(`${node.name} has three peers`, async () => (await peerCount(node)) === 3),
    ),
  );
  const lists = await Promise.all(
    nodes.map(async (node) =>
      JSON.stringify([await act(node, 'orgList'), await act(node, 'acctList')]),
    ),
  );
  expect(new Set(lists).size).toBe(1);
  expect(Object.keys(await nodes[0]!.rpc.call<object>('rpc_modules'))).toContain(
    'ledgerPermission',
  );
  await until('the chain continues', async () => (await blockNumber(nodes[3]!)) > 160);
});

it('an account does what its role allows, through nodes of its own organisation', async () => {
  const [admin, , org1] = nodes as [NodeProcess, NodeProcess, NodeProcess];
  await expect(transfer(org1, who.reader)).rejects.toThrow(DENIED);
  await expect(transfer(admin, who.full)).rejects.toThrow(NOT_HERE);
  await mined(admin, await transfer(org1, who.full));
});

it("waits for a block, and reports the contract's error", async () => {
  const [admin] = nodes as [NodeProcess];
  const [first, second, third] = who.admins as [string, string, string];
  const DONE = 'Action completed successfully';
  expect(await done(admin, first, 'updateOrgStatus', 'ORG2', 1)).toBe(DONE);
  expect(await done(admin, first, 'approveOrgStatus', 'ORG2', 1)).toBe(DONE);
  await expect(done(admin, first, 'approveOrgStatus', 'ORG2', 1)).rejects.toThrow(
    'failed to execute permissions action: execution reverted: cannot double vote',
  );
  expect(await done(admin, second, 'approveOrgStatus', 'ORG2', 1)).toBe(DONE);
  expect(await done(admin, third, 'approveOrgStatus', 'ORG2', 1)).toBe(DONE);
});

it('accounts of a suspended organisation stop, and continue after it', async () => {
  const [admin, , , org2] = nodes as [NodeProcess, NodeProcess, NodeProcess, NodeProcess];
  await until(
    'ORG2 is suspended everywhere',
    async () =>
      (await transfer(org2, who.org2Admin).catch((error: Error) => error.message)) === DENIED,
  );
  for (const [at, from] of who.admins.entries()) {
    if (at === 0) await done(admin, from, 'updateOrgStatus', 'ORG2', 2);
    await done(admin, from, 'approveOrgStatus', 'ORG2', 2);
  }
  // Once its node accepts one: peers that do not know the change yet keep the transaction for their
  // next block.
  const hash = await until('ORG2 may act again', () => transfer(org2, who.org2Admin));
  await mined(admin, hash);
});

it('a deactivated node is disconnected', async () => {
  const [admin, , , org2] = nodes as [NodeProcess, NodeProcess, NodeProcess, NodeProcess];
  // The contract has another port for it: only its key counts.
  await act(org2, 'updateNodeStatus', 'ORG2', enodes[3], 1, { from: who.org2Admin });
  await until('the others have dropped it', async () => (await peerCount(org2)) === 0);
  await until('the others know it', async () => (await peerCount(admin)) === 2);
  expect(await act(admin, 'connectionAllowed', enodes[3], '127.0.0.1', 1)).toBe(false);
  const now = await blockNumber(admin);
  await until('the others continue', async () => (await blockNumber(admin)) > now + 2);
  expect(await blockNumber(org2)).toBeLessThanOrEqual(now);
});

it('a node knows the permissions after a restart', async () => {
  const [, second, org1] = nodes as [NodeProcess, NodeProcess, NodeProcess];
  await org1.stop('SIGKILL');
  await org1.start();
  expect(await act(org1, 'acctList')).toEqual(await act(second, 'acctList'));
  expect(await act(org1, 'transactionAllowed', { from: who.reader, data: '0x00' })).toBe(false);
  await org1.rpc.call('personal_unlockAccount', who.full, 'x', 0);
  await mined(second, await transfer(org1, who.full));
});

it('a validator that does not check permissions gets forbidden transactions into blocks, unless the genesis file enables votes on permissions', async () => {
  const [first, second, org1] = nodes as [NodeProcess, NodeProcess, NodeProcess];
  const wallet = new Wallet(recorded.keys.find(({ address }) => address === who.reader)!.priv);
  let nonce = Number(await first.rpc.call<string>('eth_getTransactionCount', who.reader, 'latest'));
  const forbidden = async () => {
    const fields = { chainId: 1337, type: 0, gasLimit: 21_000, gasPrice: 0, value: 0 };
    const raw = await wallet.signTransaction({ ...fields, nonce: nonce++, to: who.full });
    return second.rpc.call<string>('eth_sendRawTransaction', raw);
  };
  // Byzantine as regards permissions: it has lost the contracts.
  await second.stop();
  rmSync(join(second.folder, 'permission-config.json'));
  await second.start();
  await mined(org1, await forbidden());

  const voting = join(folder, 'voting.json');
  const genesis = JSON.parse(recorded.genesisText);
  genesis.config.quorate = { permissionVotes: true };
  writeFileSync(voting, JSON.stringify(genesis));
  await first.stop();
  await first.start(['--genesis', voting]);
  const hash = await forbidden();
  const refusal = `could not apply tx 0 [${hash}]: ${DENIED}`;
  await until('its proposal is refused', () => first.log().includes(refusal));
  await mined(org1, await transfer(org1, who.full));
  expect(await org1.rpc.call('eth_getTransactionReceipt', hash)).toBe(null);
  expect(
    (await second.rpc.call<{ blockNumber: unknown }>('eth_getTransactionByHash', hash)).blockNumber,
  ).toBe(null);
});

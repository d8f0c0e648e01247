/**
 * The cases of GoQuorum's own acceptance tests of permissions, on a Raft cluster of three processes
 * and one that joins: set up on the running network, first records, a new organisation with its
 * node, a suspension, and a node that is disconnected and comes back.
 */
import { execFile } from 'node:child_process';
import { copyFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { SigningKey, Wallet } from 'ethers';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { until } from '../support/conditions.ts';
import { MAIN, untilMined } from '../support/devnet.ts';
import { testSecretKey } from '../support/genesis-file.ts';
import { RaftCluster, type RaftNode } from '../support/raft-cluster.ts';

const DENIED = 'account does not have permission for the transaction';
const DONE = 'Action completed successfully';
const API = 'admin,eth,net,personal,quorumPermission,raft,rpc,txpool,web3';
/** Returns 7 to every call. */
const CODE = '0x600a600c600039600a6000f3600760005260206000f3';
const SUSPEND = 1;
const ACTIVATE = 2;
const DENYLIST = 3;

/** The key is on node 4. */
const ORG1_ADMIN = new Wallet(testSecretKey(0x34)).address.toLowerCase();

type Record = { readonly [field: string]: unknown };

describe.each(['v1', 'v2'] as const)('a Raft cluster with permissions of %s', (model) => {
  let folder: string;
  let cluster: RaftCluster;
  /** The default accounts of nodes 1 and 4. */
  let admin: string;
  let ofOrg1: string;

  const node = (number: number) => cluster.node(number);
  const configFile = () => join(folder, 'permission-config.json');

  async function own({ rpc }: RaftNode, byte: number): Promise<string> {
    const address = await rpc.call<string>(
      'personal_importRawKey',
      testSecretKey(byte).slice(2),
      'x',
    );
    await rpc.call('personal_unlockAccount', address, 'x', 0);
    return address;
  }

  const ask = <T>(at: RaftNode, method: string, ...params: unknown[]) =>
    at.rpc.call<T>(`quorumPermission_${method}`, ...params);
  /** A transaction of the network administrator; resolves once it is in a block. */
  const act = async (method: string, ...params: unknown[]) =>
    expect(await ask(node(1), method, ...params, { from: admin, wait: true })).toBe(DONE);
  const found = async (list: string, field: string, value: string): Promise<Record | undefined> =>
    (await ask<Record[]>(node(1), list)).find((each) =>
      String(each[field]).toLowerCase().includes(value.toLowerCase()),
    );
  const account = (address: string) => found('acctList', 'acctId', address);
  const machine = (enode: string) => found('nodeList', 'url', idOf(enode));
  const role = async (orgId: string, roleId: string) =>
    (await ask<Record[]>(node(1), 'roleList')).find(
      (each) => each.orgId === orgId && each.roleId === roleId,
    );

  const deploy = (at: RaftNode, from: string) =>
    at.rpc.call<string>('eth_sendTransaction', {
      from,
      data: CODE,
      gas: '0x30d40',
      gasPrice: '0x0',
    });
  async function deployed(at: RaftNode, from: string): Promise<string> {
    const hash = await until('the account may deploy', () => deploy(at, from));
    await untilMined(at.rpc, hash);
    const receipt = await at.rpc.call<Record>('eth_getTransactionReceipt', hash);
    expect(receipt.status).toBe('0x1');
    return String(receipt.contractAddress);
  }

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'quorate-permission-raft-'));
    cluster = await RaftCluster.prepare(folder, {
      count: 4,
      initial: 3,
      api: API,
      flagsOf: () => ['--permissioned', '--allow-insecure-unlock', '--lightkdf'],
    });
    cluster.list(4, 'permissioned-nodes.json');
    await cluster.startAll();
    await cluster.minter();
    admin = await own(node(1), 0x31);
    await promisify(execFile)(process.execPath, [
      ...[MAIN, 'permission', 'init', '--model', model, '--ledger.url', node(1).url],
      ...['--permission-config', configFile(), '--from', admin],
      ...['--admin-org', 'NWADMIN', '--admin-role', 'NWADMIN', '--org-admin-role', 'ORGADMIN'],
      ...['--static-nodes', join(node(1).folder, 'static-nodes.json')],
    ]);
    await cluster.stopAll('SIGTERM');
    for (const each of cluster.nodes) {
      copyFileSync(configFile(), join(each.folder, 'permission-config.json'));
    }
    await cluster.startAll();
    await cluster.minter();
    await node(1).rpc.call('personal_unlockAccount', admin, 'x', 0);
  }, 180_000);

  afterAll(async () => {
    await cluster?.stopAll();
    rmSync(folder, { recursive: true, force: true });
  });

  it('begins with the organisation, nodes, role and account of its setup', async () => {
    expect(await ask(node(2), 'orgList')).toEqual([
      {
        ...{ orgId: 'NWADMIN', fullOrgId: 'NWADMIN', parentOrgId: '', ultimateParent: 'NWADMIN' },
        ...{ level: 1, subOrgList: null, status: 2 },
      },
    ]);
    for (const number of [1, 2, 3]) {
      expect(await machine(node(number).enode)).toMatchObject({ orgId: 'NWADMIN', status: 2 });
    }
    const roles = { orgId: 'NWADMIN', roleId: 'NWADMIN', isVoter: true, isAdmin: true, access: 3 };
    expect(await ask(node(3), 'roleList')).toEqual([{ ...roles, active: true }]);
    expect(await account(admin)).toMatchObject({ roleId: 'NWADMIN', isOrgAdmin: true, status: 2 });
  });

  it('manages roles, accounts and nodes of the organisation', async () => {
    for (const [name, access] of [
      ['FULL', 3],
      ['DEPLOY', 2],
      ['SPARE', 1],
    ] as const) {
      await act('addNewRole', 'NWADMIN', name, access, false, false);
      expect(await role('NWADMIN', name)).toMatchObject({ access, active: true });
    }
    const fresh = `0x${'71'.repeat(20)}`;
    await act('addAccountToOrg', fresh, 'NWADMIN', 'FULL');
    expect(await account(fresh)).toMatchObject({ roleId: 'FULL', status: 2 });
    await act('changeAccountRole', fresh, 'NWADMIN', 'DEPLOY');
    expect(await account(fresh)).toMatchObject({ roleId: 'DEPLOY', status: 2 });
    await act('updateAccountStatus', 'NWADMIN', fresh, DENYLIST);
    expect(await account(fresh)).toMatchObject({ status: 5 });
    await act('recoverBlackListedAccount', 'NWADMIN', fresh);
    expect(await account(fresh)).toMatchObject({ status: 7 });
    await act('approveBlackListedAccountRecovery', 'NWADMIN', fresh);
    expect(await account(fresh)).toMatchObject({ status: 2 });

    const key = new SigningKey(testSecretKey(0x35)).publicKey.slice(4);
    const url = `enode://${key}@127.0.0.1:21009?discport=0&raftport=50409`;
    await act('addNode', 'NWADMIN', url);
    expect(await machine(url)).toMatchObject({ orgId: 'NWADMIN', status: 2 });
    await act('updateNodeStatus', 'NWADMIN', url, DENYLIST);
    expect(await machine(url)).toMatchObject({ status: 4 });
    await act('recoverBlackListedNode', 'NWADMIN', url);
    expect(await machine(url)).toMatchObject({ status: 5 });
    await act('approveBlackListedNodeRecovery', 'NWADMIN', url);
    expect(await machine(url)).toMatchObject({ status: 2 });

    await act('removeRole', 'NWADMIN', 'SPARE');
    expect(await role('NWADMIN', 'SPARE')).toMatchObject({ active: false });
  });

  it('adds an organisation with its node and administrator', async () => {
    const { enode } = node(4);
    await act('addOrg', 'ORG1', enode, ORG1_ADMIN);
    expect(await found('orgList', 'fullOrgId', 'ORG1')).toMatchObject({ status: 1 });
    expect(await machine(enode)).toMatchObject({ orgId: 'ORG1', status: 1 });
    await act('approveOrg', 'ORG1', enode, ORG1_ADMIN);
    expect(await found('orgList', 'fullOrgId', 'ORG1')).toMatchObject({ status: 2 });
    const raftId = await node(1).rpc.call<number>('raft_addPeer', enode);
    await node(4).start(['--raftjoinexisting', String(raftId)]);
    ofOrg1 = await own(node(4), 0x34);
    expect(ofOrg1.toLowerCase()).toBe(ORG1_ADMIN);
    await cluster.sameHead(cluster.nodes);
    const details = await ask<Record>(node(4), 'getOrgDetails', 'ORG1');
    expect(details).toMatchObject({
      nodeList: [{ orgId: 'ORG1', status: 2 }],
      roleList: [{ roleId: 'ORGADMIN', active: true, access: 3, isVoter: true }],
      acctList: [{ acctId: ORG1_ADMIN, isOrgAdmin: true, status: 2 }],
    });
    await deployed(node(4), ofOrg1);
  });

  it('stops an organisation while it is suspended', async () => {
    const org = () => found('orgList', 'fullOrgId', 'ORG1');
    await act('updateOrgStatus', 'ORG1', SUSPEND);
    expect(await org()).toMatchObject({ status: 3 });
    await act('approveOrgStatus', 'ORG1', SUSPEND);
    expect(await org()).toMatchObject({ status: 4 });
    await cluster.sameHead(cluster.nodes);
    await expect(deploy(node(4), ofOrg1)).rejects.toThrow(DENIED);
    await act('updateOrgStatus', 'ORG1', ACTIVATE);
    expect(await org()).toMatchObject({ status: 5 });
    await act('approveOrgStatus', 'ORG1', ACTIVATE);
    expect(await org()).toMatchObject({ status: 2 });
    const to = await deployed(node(4), ofOrg1);
    const call = { from: ofOrg1, to, data: '0x00' };
    expect(Number(await node(4).rpc.call('eth_call', call, 'latest'))).toBe(7);
  });

  it('removes a deactivated node from the cluster', async () => {
    const { enode, rpc } = node(3);
    await act('updateNodeStatus', 'NWADMIN', enode, SUSPEND);
    expect(await machine(enode)).toMatchObject({ status: 3 });
    const members = async () =>
      (await node(1).rpc.call<{ nodeId: string }[]>('raft_cluster')).map(({ nodeId }) => nodeId);
    await until('it is not a member', async () => !(await members()).includes(idOf(enode)));
    await until('it knows', () => node(3).log().includes('permanently removing self'));
    const before = await rpc.call('eth_blockNumber');
    for (let times = 0; times < 2; times++) await deployed(node(1), admin);
    expect(await rpc.call('eth_blockNumber')).toBe(before);
    await expect(node(1).rpc.call('raft_getRaftId', enode)).rejects.toThrow('not found');
  });

  it('lets a reactivated node come back under a new raft id', async () => {
    const { enode } = node(3);
    await act('updateNodeStatus', 'NWADMIN', enode, ACTIVATE);
    await node(3).stop();
    const raftId = await node(1).rpc.call<number>('raft_addPeer', enode);
    await node(3).start(['--raftjoinexisting', String(raftId)]);
    await deployed(node(1), admin);
    await cluster.sameHead(cluster.nodes);
  });

  it('makes an account an administrator by votes', async () => {
    const second = `0x${'72'.repeat(20)}`;
    await act('assignAdminRole', 'NWADMIN', second, 'NWADMIN');
    expect(await account(second)).toMatchObject({ roleId: 'NWADMIN', status: 1 });
    await act('approveAdminRole', 'NWADMIN', second);
    expect(await account(second)).toMatchObject({ roleId: 'NWADMIN', status: 2 });
  });
});

function idOf(enode: string): string {
  return /[0-9a-f]{128}/.exec(enode)![0];
}

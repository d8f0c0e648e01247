/** The devnet with permissions: set up on its first start, and unchanged on the next. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { SigningKey } from 'ethers';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Hex, quorumRpc } from '../../src/clients/client.ts';
import { toHex } from '../../src/core/base/hex.ts';
import { parsePermissionConfig } from '../../src/core/permission/config.ts';
import { PermissionLedger } from '../../src/services/permission/ledger.ts';
import { readSnapshot } from '../../src/services/permission/snapshot.ts';
import { until } from '../support/conditions.ts';
import { startTestDevnet, type TestDevnet } from '../support/devnet.ts';
import { docstringExamples, runExample } from '../support/docstring-examples.ts';

describe('quorate devnet --permissioned', () => {
  let network: TestDevnet;

  beforeAll(async () => {
    network = await startTestDevnet({ isPermissioned: true, blockPeriodMs: 300 });
  });

  afterAll(() => network?.close());

  it('gives every node the contracts and the list of nodes, and all connect', async () => {
    const own = readFileSync(join(network.folder, 'permission-config.json'), 'utf8');
    for (const name of ['node1', 'node2', 'node3', 'node4']) {
      const file = (each: string) => join(network.folder, name, each);
      expect(readFileSync(file('permission-config.json'), 'utf8')).toBe(own);
      expect(JSON.parse(readFileSync(file('permissioned-nodes.json'), 'utf8'))).toHaveLength(4);
    }
    expect(existsSync(join(network.folder, 'permission-config.json.unfinished'))).toBe(false);
    for (const rpc of network.rpc) {
      await until('three peers', async () => (await rpc.call('net_peerCount')) === '0x3');
    }
  });

  it('has one organisation with all nodes and accounts, except the last', async () => {
    const text = readFileSync(join(network.folder, 'permission-config.json'), 'utf8');
    const config = parsePermissionConfig(text);
    const ledger = new PermissionLedger(network.devnet.description.nodes[0]!.rpc, 10_000);
    const { isBooted, orgs, nodes, accounts } = await readSnapshot(ledger, config);
    ledger.close();
    expect([isBooted, orgs.length, nodes.length]).toEqual([true, 1, 4]);
    const roles = new Map(accounts.map(({ account, roleId }) => [toHex(account), roleId]));
    const [first, ...others] = network.accounts.map(({ address }) => address.toLowerCase());
    const last = others.pop()!;
    expect(roles.get(first!)).toBe('ADMIN');
    for (const other of others) expect(roles.get(other)).toBe('MEMBER');
    expect(roles.has(last)).toBe(false);
  });

  it('accepts transactions, public and private, from all of them, and none from the last', async () => {
    const [rpc] = network.rpc;
    const send = (from: string, more: object = {}) =>
      rpc!.call('eth_sendTransaction', { from, gas: '0x47b760', ...more });
    const mined = (hash: unknown) =>
      until('the transaction is in a block', async () => {
        const receipt: any = await rpc!.call('eth_getTransactionReceipt', hash);
        return receipt?.status === '0x1';
      });
    const [admin, member] = network.accounts.map(({ address }) => address) as [string, string];
    await mined(await send(member, { to: admin, value: '0x1' }));
    const data = '0x600a600c600039600a6000f3602a60005260206000f3';
    await mined(await send(member, { data }));
    await mined(await send(member, { data, privateFor: [network.keys[1]] }));
    const last = network.accounts.at(-1)!.address;
    await expect(send(last, { to: admin, value: '0x1' })).rejects.toThrow(
      'account does not have permission for the transaction',
    );
    const orgs: any = await rpc!.call('quorumPermission_orgList');
    expect(orgs).toMatchObject([{ fullOrgId: 'ADMINORG', status: 2, subOrgList: null }]);
  });

  it('lets only administrators extend private contracts', async () => {
    const [rpc, , third] = network.rpc;
    const { nodes } = network.devnet.description;
    const [admin, member] = network.accounts.map(({ address }) => address) as [string, string];
    const [recipient, other] = nodes[2]!.accounts.map(({ address }) => address) as [string, string];
    const key = network.keys[2]!;
    const send = { from: admin, gas: '0x47b760', privateFor: [network.keys[1]] };
    const data = '0x600a600c600039600a6000f3600760005260206000f3';
    const hash = await rpc!.call('eth_sendTransaction', { ...send, data });
    const receipt = await until('the contract is there', async () => {
      const found: any = await rpc!.call('eth_getTransactionReceipt', hash);
      return found ?? undefined;
    });
    const extend = (from: string, to: string) =>
      rpc!.call('quorumExtension_extendContract', receipt.contractAddress, key, to, {
        ...{ from, privateFor: [key] },
      });
    await expect(extend(member, recipient)).rejects.toThrow(
      /^account not an org admin account, cannot initiate extension$/,
    );
    await expect(extend(admin, member)).rejects.toThrow(
      /^recipient account address is not an org admin account. cannot accept extension$/,
    );
    const { permission } = quorumRpc({
      request: ({ method, params }) => rpc!.call(method, ...(params as unknown[])),
    });
    const by = { from: admin as Hex, wait: true };
    await permission.addNewRole('ADMINORG', 'DEPUTY', 0, false, true, by);
    await permission.changeAccountRole(recipient as Hex, 'ADMINORG', 'DEPUTY', by);
    const { acctList } = await permission.getOrgDetails('ADMINORG');
    expect(acctList!.find(({ acctId }) => acctId === recipient.toLowerCase())).toMatchObject({
      ...{ roleId: 'DEPUTY', isOrgAdmin: true },
    });
    await extend(admin, recipient);
    const [{ managementContractAddress: manager }] = await until(
      'the recipient is notified',
      async () => {
        const active: any = await third!.call('quorumExtension_activeExtensionContracts');
        return active.length > 0 ? active : undefined;
      },
    );
    const accept = (from: string) =>
      third!.call('quorumExtension_approveExtension', manager, true, {
        ...{ from, privateFor: [network.keys[0]] },
      });
    await expect(accept(other)).rejects.toThrow(/^account cannot accept extension$/);
    await accept(recipient);
    await until('the new party has the contract', async () => {
      const call = { to: receipt.contractAddress, data: '0x00' };
      return Number(await third!.call('eth_call', call, 'latest')) === 7;
    });
  });

  it.each(docstringExamples('src/clients/ledger/calls/permission.ts'))(
    'runs the example of %s',
    async (_, text) => {
      const rpc = quorumRpc({
        request: ({ method, params }) => network.rpc[0]!.call(method, ...(params as unknown[])),
      });
      const enodeOf = (key: number) => {
        const { publicKey } = new SigningKey(`0x${String(key).repeat(64)}`);
        return `enode://${publicKey.slice(4)}@10.0.0.9:30303`;
      };
      const accounts = network.accounts.map(({ address }) => address);
      await runExample(text, {
        ...{ rpc, enode: enodeOf(1), newNode: enodeOf(2), from: accounts[0] },
        // An account of the node that is in no organisation yet, and one of nobody.
        ...{ orgAdmin: accounts.at(-1), account: `0x${'17'.repeat(20)}` },
        console: { log: (value: unknown) => expect(value).toBeTruthy() },
      });
    },
  );
});

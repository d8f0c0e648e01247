/**
 * The guardian replaces the implementation of the rules, a change without an event. The nodes'
 * records of the contracts follow it, and each transaction of a block is checked by the rules after
 * those before it.
 */
import { afterEach, describe, expect, it } from 'vitest';
import { PermissionedNode } from '../../../../../test/support/permissioned-node.ts';
import { type Address, concatBytes } from '../../../../core/base/bytes.ts';
import { fromHex, toHex } from '../../../../core/base/hex.ts';
import type { Block } from '../../../../core/chain/block.ts';
import { callOf } from '../../../../core/permission/abi.ts';
import { PermissionCache } from '../../../../core/permission/cache.ts';
import { NO_PERMISSION } from '../../../../core/permission/rules.ts';

const confirmImplChange = callOf('confirmImplChange(address)');
const SOMEWHERE = new Uint8Array(20).fill(0x77);

const opened: PermissionedNode[] = [];
afterEach(() => Promise.all(opened.splice(0).map((node) => node.close())));

async function open(model: 'v1' | 'v2', options?: { isBooted: boolean }) {
  const network = await PermissionedNode.openOurs(model, options);
  opened.push(network);
  return network;
}

async function follower(of: PermissionedNode): Promise<PermissionedNode> {
  const node = await of.another();
  opened.push(node);
  return node;
}

const hashes = (transactions: readonly { readonly hash: Uint8Array }[]) =>
  transactions.map(({ hash }) => toHex(hash));

/** A transaction of the guardian, which waits in the pool. */
async function upgrade(network: PermissionedNode, implementation: Address) {
  const { guardian, config } = network;
  const to = config.addresses.upgradable!;
  const transaction = network.signed(guardian, { to, data: confirmImplChange(implementation) });
  await network.hear(transaction);
  return transaction;
}

/** The records of a node, and its decisions for every account of the recording. */
function standOf({ permissions, recorded }: PermissionedNode) {
  const { orgs, roles, nodes, accounts, pending, isBooted, implementation } = permissions.registry;
  const lists = [orgs, roles, nodes, accounts].map((records) => records.all());
  const faults = recorded.keys.map(({ address }) =>
    permissions.transactionFault({
      sender: fromHex(address),
      to: SOMEWHERE,
      data: new Uint8Array(0),
    }),
  );
  return { lists, pending, isBooted, implementation, faults, isEnforced: permissions.isEnforced };
}

/** Compares a node that followed the chain, one that starts now, and the contracts read again. */
async function expectAlike(network: PermissionedNode, other: PermissionedNode): Promise<void> {
  const started = await follower(network);
  for (const node of [other, started]) expect(standOf(node)).toEqual(standOf(network));
  const fresh = new PermissionCache(network.permissions.settings);
  fresh.fill(network.permissions.callAtHead());
  expect(fresh.registry.implementation).toEqual(network.permissions.registry.implementation);
  expect(fresh.registry.accounts.all()).toEqual(network.permissions.registry.accounts.all());
}

/** Creation code of a contract with `code`. */
function creation(code: Uint8Array): Uint8Array {
  const size = code.length.toString(16).padStart(4, '0');
  return concatBytes(fromHex(`0x61${size}80600a3d393df3`), code);
}

/**
 * An implementation that refuses every transaction of version 2, and forwards all other calls to
 * another one.
 */
function frozen(other: Address): Uint8Array {
  const selector = callOf('transactionAllowed(address,address,uint256,uint256,uint256,bytes)')();
  const shift = `7c01${'00'.repeat(28)}`;
  const head = `600035${shift}900463${toHex(selector).slice(2, 10)}14`;
  const pass = `3660006000376000600036600073${toHex(other).slice(2)}5af43d600060003e`;
  const at = (bytes: number) => bytes.toString(16).padStart(4, '0');
  const [afterHead, afterPass] = [head.length / 2 + 4, (head.length + pass.length) / 2 + 8];
  const isBad = '3d6000fd';
  const isGood = '5b3d6000f3';
  const no = '5b60006000526020' + '6000f3';
  const goodAt = afterPass + isBad.length / 2;
  expect(afterHead).toBeLessThan(goodAt);
  const noAt = goodAt + isGood.length / 2;
  return fromHex(`0x${head}61${at(noAt)}57${pass}61${at(goodAt)}57${isBad}${isGood}${no}`);
}

describe('another implementation', () => {
  it('changes what the rest of its block may hold, without an event, and all nodes decide alike after it', async () => {
    const network = await open('v2');
    const [first, second] = network.cast.admins;
    await network.permitGuardian();
    const code = frozen(network.config.addresses.implementation!);
    const implementation = await network.deploy(creation(code));
    const other = await follower(network);
    // These are in the pool before the upgrade, and the parent's state allows them.
    const before = [first, second].map((from) =>
      network.signed(from, { to: SOMEWHERE, value: 1n }),
    );
    await network.hear(...before);
    const change = await upgrade(network, implementation);
    const block: Block = await network.mine();
    expect(hashes(block.transactions)).toEqual(hashes([change]));
    const [receipt] = network.rpc.node.chain.store.receipts(block.header.number)!;
    expect([receipt!.status, receipt!.logs]).toEqual([1, []]);
    await other.rpc.node.chain.commit(block, 'group');
    expect(new Set(standOf(network).faults)).toEqual(new Set([NO_PERMISSION]));
    const { pool } = network.rpc.node;
    expect(before.map(({ hash }) => pool.status(hash))).toEqual(['unknown', 'unknown']);
    await expectAlike(network, other);
  });

  it.each(['v1', 'v2'] as const)(
    'of %s is followed from then on: what it writes without an event counts',
    async (model) => {
      const network = await open(model, { isBooted: false });
      const other = await follower(network);
      const implementation = await network.deploy(network.implementationCode());
      const blocks = [network.lastBlock()];
      await upgrade(network, implementation);
      blocks.push(await network.mine());
      // This boots only the new implementation's storage.
      await network.hear(network.signed(network.guardian, network.bootCall()));
      blocks.push(await network.mine());
      for (const block of blocks) await other.rpc.node.chain.commit(block, 'group');
      expect(network.permissions.isEnforced).toBe(true);
      expect(network.permissions.registry.implementation).toEqual(implementation);
      await expectAlike(network, other);
    },
  );
});

describe('a block in which the network is booted', () => {
  it('has nothing behind it of accounts that the network does not know', async () => {
    const network = await open('v2', { isBooted: false });
    const [stranger, admin] = [network.recorded.keys.at(-1)!, network.cast.admins[0]];
    const boot = network.signed(network.guardian, network.bootCall());
    await network.hear(boot);
    const [theirs, ours] = [stranger, admin].map((from) =>
      network.signed(from, { to: SOMEWHERE, value: 1n }),
    );
    await network.hear(theirs!, ours!);
    const { transactions } = await network.mine();
    expect(hashes(transactions)).toEqual(hashes([boot, ours!]));
    expect(network.permissions.isEnforced).toBe(true);
  });
});

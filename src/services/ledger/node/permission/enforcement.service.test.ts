/**
 * How the pool, the block builder and the vote handle transactions whose permission is granted or
 * revoked, on a recorded network.
 */
import { afterEach, describe, expect, it } from 'vitest';
import { PermissionedNode } from '../../../../../test/support/permissioned-node.ts';
import { recordedPermissions } from '../../../../../test/support/recorded-permissions.ts';
import { fromHex, toHex } from '../../../../core/base/hex.ts';
import { type Block, blockOf, transactionsRoot } from '../../../../core/chain/block.ts';
import type { Transaction } from '../../../../core/chain/transaction.ts';
import { callOf } from '../../../../core/permission/abi.ts';
import type { PermissionConfig } from '../../../../core/permission/config.ts';
import { NO_PERMISSION } from '../../../../core/permission/rules.ts';

const updateAccount = callOf('updateAccountStatus(string,address,uint256)');
const assignRole = callOf('assignAccountRole(address,string,string)');
const updateOrg = callOf('updateOrgStatus(string,uint256)');
const approveOrgStatus = callOf('approveOrgStatus(string,uint256)');
const SUSPEND = 1n;
const ACTIVATE = 2n;
const SOMEWHERE = new Uint8Array(20).fill(0x77);

let network: PermissionedNode;
afterEach(() => network.close());

const hashes = (transactions: readonly { readonly hash: Uint8Array }[]) =>
  transactions.map(({ hash }) => toHex(hash));
const transfer = (from: { priv: string; pub: string; address: string }, nonce?: bigint) =>
  network.signed(from, { to: SOMEWHERE, value: 1n, ...(nonce === undefined ? {} : { nonce }) });
const suspension = (account: string, action = SUSPEND) =>
  updateAccount('ORG1', fromHex(account), action);
const isPending = ({ hash }: Transaction) => network.rpc.node.pool.status(hash) === 'pending';

/** Votes of more than half of the four administrators. */
async function votes(action: bigint): Promise<void> {
  const { admins } = network.cast;
  await network.act(admins[0], updateOrg('ORG2', action));
  await network.mine();
  for (const admin of admins.slice(0, 3))
    await network.act(admin, approveOrgStatus('ORG2', action));
  await network.mine();
}

describe('a block that is built', () => {
  it('has nothing of an account that a transaction before it suspends; its others wait until that is decided', async () => {
    network = await PermissionedNode.open('v2');
    const { org1Admin, full } = network.cast;
    const suspending = await network.act(org1Admin, suspension(full.address));
    const [first, second] = [
      transfer(full),
      transfer(full, network.rpc.node.pool.nonceOf(fromHex(full.address)) + 1n),
    ];
    await network.hear(first, second);
    const proposed = await network.propose();
    expect(hashes(proposed.transactions)).toEqual(hashes([suspending]));
    // The block is not decided: the next proposal may be different.
    expect([isPending(first), isPending(second)]).toEqual([true, true]);
    expect(hashes((await network.mine()).transactions)).toEqual(hashes([suspending]));
    expect([isPending(first), isPending(second)]).toEqual([false, false]);
    expect((await network.propose()).transactions).toEqual([]);
  });

  it('has the suspension first, whatever came before it', async () => {
    network = await PermissionedNode.open('v2');
    const { org1Admin, full, admins } = network.cast;
    const [first, other] = [transfer(full), transfer(admins[0])];
    const before = transfer(org1Admin);
    await network.hear(first, other, before);
    const suspending = await network.act(org1Admin, suspension(full.address));
    const { transactions } = await network.mine();
    expect(hashes(transactions)).toEqual(hashes([before, suspending, other]));
  });

  it('of version 1 goes by its parent alone', async () => {
    network = await PermissionedNode.open('v1');
    const { org1Admin, full } = network.cast;
    const suspending = await network.act(org1Admin, suspension(full.address));
    const first = transfer(full);
    await network.hear(first);
    expect(hashes((await network.mine()).transactions)).toEqual(hashes([suspending, first]));
  });
});

describe('what a client sent', () => {
  it('is offered to peers again while it waits, for they may not have known that it is permitted', async () => {
    network = await PermissionedNode.open('v2');
    const [admin] = network.cast.admins;
    const { events, intake, pool } = network.rpc.node;
    const offered: string[][] = [];
    events.on('unmined', (transactions) => offered.push(hashes(transactions)));
    const sent = transfer(admin);
    await intake.submit(sent);
    const behindGap = transfer(admin, 5n + pool.nonceOf(fromHex(admin.address)));
    await intake.submit(behindGap);
    // Adds blocks from other proposers, without the transaction.
    const empty = async () => {
      pool.remove(sent.hash);
      const block = await network.propose();
      await network.hear(sent);
      await network.rpc.node.chain.commit(block, 'group');
    };
    for (let block = 0; block < 6; block++) await empty();
    expect(offered).toEqual([hashes([sent]), hashes([sent])]);
    await network.mine();
    for (let block = 0; block < 10; block++) await network.mine();
    expect(offered).toHaveLength(2);
  });
});

describe.each(['v1', 'v2'] as const)('the pool of %s', (model) => {
  it('is sifted when an account, its role or its organisation changes', async () => {
    network = await PermissionedNode.open(model);
    const { org1Admin, org2Admin, full } = network.cast;
    // These wait in the pool, because a nonce before them is missing.
    const ahead = (from: typeof full) =>
      transfer(from, network.rpc.node.pool.nonceOf(fromHex(from.address)) + 3n);
    const waits = ({ hash }: Transaction) => network.rpc.node.pool.status(hash) === 'queued';
    const [ofAccount, ofOrg] = [ahead(full), ahead(org2Admin)];
    await network.hear(ofAccount, ofOrg);
    expect([waits(ofAccount), waits(ofOrg)]).toEqual([true, true]);

    await network.act(org1Admin, suspension(full.address));
    await network.mine();
    expect([waits(ofAccount), waits(ofOrg)]).toEqual([false, true]);

    await network.act(org1Admin, suspension(full.address, ACTIVATE));
    await network.mine();
    const again = ahead(full);
    await network.hear(again);
    expect(waits(again)).toBe(true);
    await network.act(org1Admin, assignRole(fromHex(full.address), 'ORG1', 'READER'));
    await network.mine();
    expect([waits(again), waits(ofOrg)]).toEqual([false, true]);

    await votes(SUSPEND);
    expect(waits(ofOrg)).toBe(false);
    await votes(ACTIVATE);
    const after = ahead(org2Admin);
    await network.hear(after);
    expect(waits(after)).toBe(true);
  });
});

describe.each(['v1', 'v2'] as const)('the rules of %s', (model) => {
  const { blocks } = recordedPermissions(model);
  const head = blocks.at(-1)!.header.number;

  it.each([
    { qip714Block: head + 2 },
    {
      qip714Block: 1_000_000,
      transitions: [{ block: head + 2, enhancedPermissioningEnabled: true }],
    },
  ])('apply from the block after the one that the genesis file names: %j', async (rules) => {
    network = await PermissionedNode.open(model, undefined, { ...rules });
    const { reader } = network.cast;
    const faultOf = () => network.permissions.transactionFault(transfer(reader));
    expect([network.permissions.isEnforced, faultOf()]).toEqual([false, undefined]);
    const waiting = transfer(reader);
    await network.hear(waiting);
    expect(isPending(waiting)).toBe(true);
    expect(hashes((await network.mine()).transactions)).toEqual(hashes([waiting]));
    expect(faultOf()).toBeUndefined();
    await network.hear(transfer(reader));
    await network.mine();
    expect(network.permissions.isEnforced).toBe(true);
    expect(faultOf()).toBe(NO_PERMISSION);
    const late = transfer(reader);
    await network.hear(late);
    expect([isPending(late), (await network.propose()).transactions]).toEqual([false, []]);
  });
});

describe('a proposal of another validator', () => {
  it('is named when its parent does not allow what it holds, whatever happens in it', async () => {
    network = await PermissionedNode.open('v2');
    const { org1Admin, full, reader } = network.cast;
    const grant = await network.act(org1Admin, assignRole(fromHex(reader.address), 'ORG1', 'FULL'));
    const good = transfer(full);
    const bad = transfer(reader);
    const proposal = await network.propose();
    const holding = (...transactions: Transaction[]): Block =>
      blockOf(
        { ...proposal.header, transactionsRoot: transactionsRoot(transactions) },
        { transactions, uncles: [] },
      );
    const fault = (block: Block) => network.permissions.proposalFault(block, () => undefined);
    expect(fault(holding(grant, good))).toBeUndefined();
    expect(fault(holding(grant, bad))).toBe(
      `could not apply tx 1 [${toHex(bad.hash)}]: account does not have permission for the transaction`,
    );
  });
});

describe('a file that names no more contracts than GoQuorum needs', () => {
  it('is enough, for votes too', async () => {
    const unused = { upgradable: undefined, implementation: undefined, voters: undefined };
    const configOf = ({ addresses, ...rest }: PermissionConfig) => ({
      ...rest,
      addresses: { ...addresses, ...unused },
    });
    network = await PermissionedNode.open('v2', configOf);
    const { admins, full } = network.cast;
    const { accounts } = network.rpc;
    const from = await accounts.importKey(fromHex(admins[0].priv), 'x');
    await accounts.unlock(from, 'x', 0);
    const act = (method: string, action: bigint) =>
      network.rpc.call(`quorumPermission_${method}`, 'ORG2', Number(action), { from: toHex(from) });
    await expect(act('approveOrgStatus', SUSPEND)).rejects.toThrow('Nothing to approve');
    await act('updateOrgStatus', SUSPEND);
    await network.mine();
    expect(await act('approveOrgStatus', SUSPEND)).toBe('Action completed successfully');
    await network.hear(transfer(full));
    expect((await network.mine()).transactions).toHaveLength(2);
  });
});

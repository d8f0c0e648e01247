/**
 * Both recorded chains, block by block: the cache equals the contracts, and leads to the same
 * decisions.
 */
import { describe, expect, it } from 'vitest';
import { recordedPermissions } from '../../../../../test/support/recorded-permissions.ts';
import { rpcNode } from '../../../../../test/support/rpc-node.ts';
import { fromHex, toHex } from '../../../../core/base/hex.ts';
import { AbiValues, callOf } from '../../../../core/permission/abi.ts';
import { PermissionCache } from '../../../../core/permission/cache.ts';
import type { Registry } from '../../../../core/permission/registry.ts';

const ALLOWED = callOf('transactionAllowed(address,address,uint256,uint256,uint256,bytes)');
const KINDS = [
  { kind: 'transfer', to: new Uint8Array(20).fill(1), data: new Uint8Array(0) },
  { kind: 'call', to: new Uint8Array(20).fill(1), data: Uint8Array.of(1) },
  { kind: 'deploy', to: undefined, data: Uint8Array.of(1) },
] as const;

function contentOf({ orgs, roles, nodes, accounts, pending, isBooted }: Registry) {
  return {
    orgs: orgs.all(),
    roles: roles.all(),
    nodes: nodes.all(),
    accounts: accounts.all(),
    pending,
    isBooted,
  };
}

describe.each(['v1', 'v2'] as const)('recorded chain of %s', (model) => {
  it('the cache is what the contracts say after each block, and decides as they do', async () => {
    const { genesis, config, blocks, nodes, keys } = recordedPermissions(model);
    const settings = { config, isRaft: false };
    const network = await rpcNode({
      genesis,
      secretKey: fromHex(nodes[0]!.priv),
      permissions: { ...settings, nodeId: nodes[0]!.pub, comparesAddress: true },
      argv: ['--permissioned'],
    });
    try {
      const permissions = network.node.permissions!;
      expect(permissions.unreadiness).toContain('no contract code at given address');
      let decisions = 0;
      for (const block of blocks) {
        await network.node.chain.commit(block, 'group');
        if (permissions.unreadiness !== undefined) continue;
        const call = permissions.callAtHead();
        const fresh = new PermissionCache(settings);
        fresh.fill(call);
        expect(contentOf(permissions.registry)).toEqual(contentOf(fresh.registry));
        if (model === 'v1' || !permissions.isEnforced) continue;
        for (const { address } of keys) {
          for (const { kind, to, data } of KINDS) {
            const sender = fromHex(address);
            const payload = data.length > 0 ? 'x' : '';
            const question = ALLOWED(sender, to ?? new Uint8Array(20), 0n, 0n, 0n, payload);
            const wanted = new AbiValues(call(config.addresses.interface, question)).flag(0);
            const isAllowed = permissions.transactionFault({ sender, to, data }) === undefined;
            expect([block.header.number, address, kind, isAllowed]).toEqual([
              block.header.number,
              address,
              kind,
              wanted,
            ]);
            decisions++;
          }
        }
      }
      expect(permissions.isEnforced).toBe(true);
      if (model === 'v2') expect(decisions).toBeGreaterThan(3_000);
      expect(toHex(network.node.chain.head().hash)).toBe(toHex(blocks.at(-1)!.hash));
    } finally {
      await network.close();
    }
  }, 120_000);
});

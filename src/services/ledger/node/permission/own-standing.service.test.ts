import { afterEach, expect, it } from 'vitest';
import { PermissionedNode } from '../../../../../test/support/permissioned-node.ts';
import { callOf } from '../../../../core/permission/abi.ts';
import type { ActionContext } from '../../../../core/permission/actions/checks.ts';
import { nodeCall, recordedNode } from '../../../../core/permission/actions/node-values.ts';
import { watchStanding } from './own-standing.ts';

const updateNode = nodeCall('updateNodeStatus(string,NODE,uint256)');
const updateOrg = callOf('updateOrgStatus(string,uint256)');
const approveOrgStatus = callOf('approveOrgStatus(string,uint256)');
const OFF = 'The permission contracts have cut this node off';
const ON = 'The permission contracts let this node take part again';

const opened: PermissionedNode[] = [];
afterEach(() => Promise.all(opened.splice(0).map((node) => node.close())));

async function open(opening: Promise<PermissionedNode>): Promise<PermissionedNode> {
  const node = await opening;
  opened.push(node);
  return node;
}

/** Returns a list that collects what is logged about the node from now on. */
function saidOf({ permissions }: PermissionedNode): unknown[][] {
  const lines: unknown[][] = [];
  watchStanding(permissions, (level, text, fields) =>
    lines.push([level, text, fields?.status, fields?.org]),
  );
  return lines;
}

it.each(['v1', 'v2'] as const)('a node of %s says that it was deactivated', async (model) => {
  const network = await open(PermissionedNode.openOurs(model));
  const lines = saidOf(network);
  const update = async (action: bigint) => {
    const { config, permissions, cast } = network;
    const context = { config } as ActionContext;
    const [node] = permissions.ownNodes;
    const values = recordedNode(context, node!);
    await network.act(cast.admins[0], updateNode(context, node!.orgId, ...values, action));
    await network.mine();
  };
  await update(1n);
  await network.mine();
  const org = network.config.networkAdminOrg;
  expect(lines).toEqual([['warn', OFF, 'deactivated', org]]);
  expect(saidOf(network)).toEqual(lines);
  await update(2n);
  expect(lines.slice(1)).toEqual([['info', ON, 'approved', org]]);
  expect(saidOf(network)).toEqual([]);
});

it('a node says that its organisation was suspended', async () => {
  const network = await open(PermissionedNode.open('v2'));
  const node = await open(network.another(3));
  const lines = saidOf(node);
  const mine = async () => node.rpc.node.chain.commit(await network.mine(), 'group');
  const votes = async (action: bigint) => {
    const { admins } = network.cast;
    await network.act(admins[0], updateOrg('ORG2', action));
    await mine();
    for (const admin of admins.slice(0, 3))
      await network.act(admin, approveOrgStatus('ORG2', action));
    await mine();
  };
  await votes(1n);
  expect(lines).toEqual([['warn', OFF, 'organisation suspended', 'ORG2']]);
  await votes(2n);
  expect(lines.slice(1)).toEqual([['info', ON, 'approved', 'ORG2']]);
});

it('a node that the contracts do not know says so', async () => {
  const network = await open(PermissionedNode.openOurs('v2'));
  const stranger = await open(network.another(3));
  expect(saidOf(stranger)).toEqual([['warn', OFF, 'unknown', '']]);
});

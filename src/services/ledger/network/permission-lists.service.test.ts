/** Lists of nodes in the data folder, updated from the contracts of recorded networks. */
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { PermissionedNode } from '../../../../test/support/permissioned-node.ts';
import type { ActionContext } from '../../../core/permission/actions/checks.ts';
import { nodeCall, recordedNode } from '../../../core/permission/actions/node-values.ts';
import { listsKept } from './permission-lists.ts';

const updateNode = nodeCall('updateNodeStatus(string,NODE,uint256)');
const recover = nodeCall('startBlacklistedNodeRecovery(string,NODE)');
const approveRecovery = nodeCall('approveBlacklistedNodeRecovery(string,NODE)');
const [DEACTIVATE, ACTIVATE, DENYLIST] = [1n, 2n, 3n];
const SOMEBODY = `enode://${'5e'.repeat(64)}@10.0.0.9:30303`;

let network: PermissionedNode;
let folder: string;

const file = (name: string) => join(folder, name);
const read = (name: string) => JSON.parse(readFileSync(file(name), 'utf8')) as string[];
const write = (name: string, list: readonly unknown[]) =>
  writeFileSync(file(name), JSON.stringify(list));

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'quorate-lists-'));
});
afterEach(async () => {
  await network.close();
  rmSync(folder, { recursive: true, force: true });
});

/** Starts updating the lists. Resolves with the list of messages logged from then on. */
async function keep(): Promise<string[]> {
  const said: string[] = [];
  for (const part of listsKept(network.permissions, folder, (level, text) =>
    said.push(`${level} ${text}`),
  ))
    await part.start();
  return said;
}

/** The node record of ORG2. */
const node = () => network.permissions.registry.nodes.all().find(({ orgId }) => orgId === 'ORG2')!;

async function act(
  from: { priv: string; pub: string; address: string },
  call: typeof recover,
  ...more: bigint[]
) {
  const context = { config: network.recorded.config } as ActionContext;
  await network.act(from, call(context, 'ORG2', ...recordedNode(context, node()), ...more));
}
const update = async (action: bigint) => {
  await act(network.cast.org2Admin, updateNode, action);
  await network.mine();
};

describe.each(['v1', 'v2'] as const)('the lists of a node of %s', (model) => {
  it('follow a node through its life; other entries stay', async () => {
    network = await PermissionedNode.open(model);
    const { url, id } = node();
    const otherSpelling = `enode://${id}@10.0.0.1:1?discport=0`;
    write('permissioned-nodes.json', [SOMEBODY, otherSpelling, url, 'no url']);
    await keep();
    expect(read('permissioned-nodes.json')).toEqual([SOMEBODY, otherSpelling, url, 'no url']);

    await update(DEACTIVATE);
    expect(read('permissioned-nodes.json')).toEqual([SOMEBODY, 'no url']);
    expect(existsSync(file('disallowed-nodes.json'))).toBe(false);
    await update(ACTIVATE);
    expect(read('permissioned-nodes.json')).toEqual([SOMEBODY, 'no url', url]);
    await update(DENYLIST);
    expect(read('permissioned-nodes.json')).toEqual([SOMEBODY, 'no url']);
    expect(read('disallowed-nodes.json')).toEqual([url]);

    const { admins } = network.cast;
    await act(admins[0], recover);
    await network.mine();
    expect(read('disallowed-nodes.json')).toEqual([url]);
    for (const admin of admins.slice(0, 3)) await act(admin, approveRecovery);
    await network.mine();
    expect(read('permissioned-nodes.json')).toEqual([SOMEBODY, 'no url', url]);
    expect(read('disallowed-nodes.json')).toEqual([]);
  });
});

describe('the lists of a node', () => {
  it('are caught up with at its start where a node was cut off meanwhile', async () => {
    network = await PermissionedNode.open('v2');
    const { url } = node();
    await act(network.cast.org2Admin, updateNode, DENYLIST);
    await network.mine();
    write('permissioned-nodes.json', [SOMEBODY, url]);
    await keep();
    expect(read('permissioned-nodes.json')).toEqual([SOMEBODY]);
    expect(read('disallowed-nodes.json')).toEqual([url]);
  });

  it('stay away, or as they are, where an operator removed or broke them', async () => {
    network = await PermissionedNode.open('v2');
    const said = await keep();
    await update(DEACTIVATE);
    await update(ACTIVATE);
    expect(existsSync(file('permissioned-nodes.json'))).toBe(false);
    writeFileSync(file('permissioned-nodes.json'), '["enode://');
    await update(DEACTIVATE);
    expect(readFileSync(file('permissioned-nodes.json'), 'utf8')).toBe('["enode://');
    expect(said).toEqual(['error error updating permissioned-nodes.json']);
  });
});

/** What two networks of GoQuorum answered about their permissions, asked again of nodes with the same chain and keys. */
import { afterEach, describe, expect, it } from 'vitest';
import {
  type RecordedCall,
  type RecordedPermissions,
  recordedPermissions,
} from '../../../../test/support/recorded-permissions.ts';
import { type RpcNode, rpcNode } from '../../../../test/support/rpc-node.ts';
import { equalBytes } from '../../../core/base/bytes.ts';
import { fromHex, toHex } from '../../../core/base/hex.ts';
import type { Block } from '../../../core/chain/block.ts';
import { OPEN } from '../../../io/rpc/access.ts';

const IPC = { transport: 'ipc', psi: undefined, access: OPEN, remote: 'test' } as const;

const DENIED = 'account does not have permission for the transaction';

/**
 * Answers that differ on purpose: a node may be named by its URL; what crashed GoQuorum has an answer; accounts of a suspended
 * organisation may do nothing in version 1 either, where the recorded node of theirs let them.
 */
function differentAnswer({ comment, method, reply }: RecordedCall): object | undefined {
  if (comment === 'full url') return { result: true, error: undefined };
  const isOfSuspended = /\b(of|in) a suspended org\b/.test(comment);
  if (isOfSuspended && reply.result) {
    const isAction = method.startsWith('quorumPermission_');
    const error = isAction ? `failed to execute permissions action: ${DENIED}` : DENIED;
    return { result: undefined, error };
  }
  if (reply.error?.message !== 'method handler crashed') return undefined;
  const error = method.includes('Node') ? 'Org does not exist' : 'Account does not exist';
  return { result: undefined, error };
}

/** Lists have no order in the recording. */
function unordered(value: unknown): unknown {
  if (Array.isArray(value))
    return value
      .map(unordered)
      .map((each) => JSON.stringify(each))
      .sort();
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, unordered(each)]));
}

/** The nodes of the administrators' organisation, of ORG1 and of ORG2, with the accounts that the recorded ones had. */
class Replay {
  private readonly recorded: RecordedPermissions;
  readonly nodes: RpcNode[] = [];
  private next = 0;

  constructor(recorded: RecordedPermissions) {
    this.recorded = recorded;
  }

  async start(): Promise<void> {
    const { genesis, config, nodes, keys } = this.recorded;
    for (const place of [0, 2, 3]) {
      const { priv, pub } = nodes[place]!;
      const node = await rpcNode({
        genesis,
        secretKey: fromHex(priv),
        permissions: { config, isRaft: false, nodeId: pub, comparesAddress: true },
        argv: ['--permissioned'],
      });
      for (const key of keys.slice(0, -1)) {
        const address = await node.accounts.importKey(fromHex(key.priv), 'x');
        await node.accounts.unlock(address, 'x', 0);
      }
      this.nodes.push(node);
    }
  }

  async close(): Promise<void> {
    for (const node of this.nodes) await node.close();
  }

  nodeOf({ comment, request }: RecordedCall): RpcNode {
    const isOf = (org: string) => comment.includes(`node of ${org}`);
    if (isOf('ORG2') || comment.includes('of a suspended org')) return this.nodes[2]!;
    const isSent = /_send(Raw)?Transaction/.test(request);
    return isOf('ORG1') || isSent ? this.nodes[1]! : this.nodes[0]!;
  }

  /** What was made here is what was mined there: the block in which all of it stood. */
  async commitPool(): Promise<void> {
    for (const { node } of this.nodes) {
      for (;;) {
        const [made] = [...node.pool.pending()];
        if (!made) break;
        await this.commitTo(({ transactions }) =>
          transactions.some(({ hash }) => equalBytes(hash, made.hash)),
        );
      }
    }
  }

  /** Up to the block with the next transaction that `isMeant`. */
  async commitTo(isMeant: (block: Block) => boolean): Promise<Block> {
    for (;;) {
      const block = this.recorded.blocks[this.next++];
      if (!block) throw new Error('no recorded block has it');
      for (const { node } of this.nodes) await node.chain.commit(block, 'group');
      if (isMeant(block)) return block;
    }
  }

  /** Everything before the first block that `isMeant`. */
  async commitBefore(isMeant: (block: Block) => boolean): Promise<void> {
    const end = this.recorded.blocks.findIndex(isMeant);
    while (this.next < end) await this.commitTo(() => true);
  }
}

let replay: Replay | undefined;
afterEach(() => replay?.close());

describe.each(['v1', 'v2'] as const)('as GoQuorum answered on a network of %s', (model) => {
  it('all that was recorded', async () => {
    const recorded = recordedPermissions(model);
    replay = new Replay(recorded);
    await replay.start();
    const admin = recorded.config.accounts[0]!;
    const { interface: door } = recorded.config.addresses;
    const sent = (block: Block) =>
      block.transactions.some(
        ({ sender, to }) => equalBytes(sender, admin) && to && equalBytes(to, door),
      );
    await replay.commitBefore(sent);
    let asked = 0;
    for (const call of recorded.calls) {
      if (call.method.startsWith('admin_')) continue;
      const { comment, method, request, reply } = call;
      const answer = JSON.parse(await replay.nodeOf(call).dispatcher.handle(request, IPC));
      const what = `${comment || '(no comment)'} ${method}`;
      const different = differentAnswer(call);
      const wanted = different ?? { result: unordered(reply.result), error: reply.error?.message };
      const given = { result: unordered(answer.result), error: answer.error?.message };
      expect({ request, what, ...given }).toEqual({ request, what, ...wanted });
      if (!different) expect(answer.error?.code).toBe(reply.error?.code);
      asked++;
      // Blocks have what was sent before an action, too.
      if (answer.result === 'Action completed successfully') await replay.commitPool();
    }
    expect(asked).toBeGreaterThan(200);
    const [node] = replay.nodes as [RpcNode];
    const { subOrgList } = await node.call('ledgerPermission_getOrgDetails', 'ORG1');
    expect(subOrgList).toHaveLength(3);
    expect(subOrgList[0]).toMatchObject({ fullOrgId: 'ORG1.S1', subOrgList: ['ORG1.S1.SS1'] });
  }, 180_000);
});

describe('without contracts to ask', () => {
  const list = ['quorumPermission_orgList', 'ledgerPermission_nodeList'];

  async function answers(options: Partial<Parameters<typeof rpcNode>[0]>): Promise<unknown[]> {
    const { genesis, nodes } = recordedPermissions('v2');
    const node = await rpcNode({ genesis, secretKey: fromHex(nodes[0]!.priv), ...options });
    try {
      const said = list.map((method) => node.call(method).catch((error: Error) => error.message));
      const modules = await node.call('rpc_modules');
      return [...(await Promise.all(said)), 'quorumPermission' in modules];
    } finally {
      await node.close();
    }
  }

  it('there are no methods where nothing asks for permissions', async () => {
    expect(await answers({})).toEqual([
      'the method quorumPermission_orgList does not exist/is not available',
      'the method ledgerPermission_nodeList does not exist/is not available',
      false,
    ]);
  });

  it('a missing file is named', async () => {
    const text =
      'contract-based permissioning is off: there is no permission-config.json in the data folder';
    expect(await answers({ argv: ['--permissioned'] })).toEqual([text, text, true]);
  });

  it('addresses without code are named', async () => {
    const { config, nodes } = recordedPermissions('v2');
    const text = `the permission contracts are not ready: no contract code at given address ${toHex(config.addresses.interface)}`;
    const permissions = { config, isRaft: false, nodeId: nodes[0]!.pub, comparesAddress: true };
    expect(await answers({ argv: ['--permissioned'], permissions })).toEqual([text, text, true]);
  });
});

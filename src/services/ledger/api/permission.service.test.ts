/**
 * Recorded answers of two GoQuorum networks about their permissions, compared with the answers of
 * nodes with the same chain and keys.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { seeds } from '../../../../test/support/effort.ts';
import { PROBES } from '../../../../test/support/probes.ts';
import {
  type RecordedCall,
  type RecordedPermissions,
  recordedPermissions,
} from '../../../../test/support/recorded-permissions.ts';
import { type RpcNode, rpcNode } from '../../../../test/support/rpc-node.ts';
import type { Target } from '../../../../test/support/target.ts';
import { equalBytes } from '../../../core/base/bytes.ts';
import { fromHex, toHex } from '../../../core/base/hex.ts';
import type { Block } from '../../../core/chain/block.ts';
import { formatPermissionConfig } from '../../../core/permission/config.ts';
import { OPEN } from '../../../io/rpc/access.ts';
import { permissionMethods } from './permission.ts';

const IPC = { transport: 'ipc', psi: undefined, access: OPEN, remote: 'test' } as const;

const DENIED = 'account does not have permission for the transaction';

/**
 * Answers that differ on purpose: a node may be named by its URL; requests that crashed GoQuorum
 * get an answer; accounts of a suspended organisation are refused in version 1 too, although the
 * recorded node allowed them.
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

/** Lists in the recording have no fixed order. */
function unordered(value: unknown): unknown {
  if (Array.isArray(value))
    return value
      .map(unordered)
      .map((each) => JSON.stringify(each))
      .sort();
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, unordered(each)]));
}

/**
 * The nodes of the administrators' organisation, of ORG1 and of ORG2, with the accounts of the
 * recorded nodes.
 */
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

  /** Commits recorded blocks until they contain every transaction of the nodes' pools. */
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

  /** Commits blocks up to and including the next one for which `isMeant` returns true. */
  async commitTo(isMeant: (block: Block) => boolean): Promise<Block> {
    for (;;) {
      const block = this.recorded.blocks[this.next++];
      if (!block) throw new Error('no recorded block has it');
      for (const { node } of this.nodes) await node.chain.commit(block, 'group');
      if (isMeant(block)) return block;
    }
  }

  /** Commits all blocks before the first one for which `isMeant` returns true. */
  async commitBefore(isMeant: (block: Block) => boolean): Promise<void> {
    const end = this.recorded.blocks.findIndex(isMeant);
    while (this.next < end) await this.commitTo(() => true);
  }
}

let replay: Replay | undefined;
afterEach(() => replay?.close());

describe.each(seeds(['v2', 'v1'] as const))('as GoQuorum answered on a network of %s', (model) => {
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
      // The recorded blocks also contain transactions that were sent before an action.
      if (answer.result === 'Action completed successfully') await replay.commitPool();
    }
    expect(asked).toBeGreaterThan(200);
    const [node] = replay.nodes as [RpcNode];
    const { subOrgList } = await node.call('ledgerPermission_getOrgDetails', 'ORG1');
    expect(subOrgList).toHaveLength(3);
    expect(subOrgList[0]).toMatchObject({ fullOrgId: 'ORG1.S1', subOrgList: ['ORG1.S1.SS1'] });
  }, 180_000);
});

it('every action of an account that the node does not have is refused before all else', async () => {
  const { genesis, nodes, config, blocks } = recordedPermissions('v2');
  const node = await rpcNode({
    ...{ genesis, secretKey: fromHex(nodes[0]!.priv), argv: ['--permissioned'], blocks },
    permissions: { config, isRaft: false, nodeId: nodes[0]!.pub, comparesAddress: true },
  });
  try {
    const stranger = `0x${'5e'.repeat(20)}`;
    const target = { from: stranger, contract: stranger } as Target;
    const reads = /List$|Details$|Allowed$/;
    const actions = permissionMethods.filter(({ names }) => !reads.test(names[0]!));
    expect(actions).toHaveLength(18);
    for (const { names } of actions) {
      for (const name of names) {
        const params = PROBES[names[0]!]!(target)[0]!;
        await expect(node.call(name, ...params), name).rejects.toThrow(/^Invalid account id$/);
      }
    }
  } finally {
    await node.close();
  }
});

describe('without contracts to ask', () => {
  const { genesis, nodes, config, keys } = recordedPermissions('v2');
  const from = keys[1]!.address;
  const settings = { isRaft: false, nodeId: nodes[0]!.pub, comparesAddress: true };
  /** The values in the probes' arguments do not matter here. */
  const target = { from, contract: from } as Target;
  const asks = permissionMethods.flatMap(({ names }) =>
    names.map((name) => [name, PROBES[names[0]!]!(target)[0]!] as const),
  );

  /**
   * The answers of all methods, without duplicates, and whether `rpc_modules` lists the namespace.
   */
  async function answers(
    options: Partial<Parameters<typeof rpcNode>[0]>,
  ): Promise<[string[], boolean]> {
    const node = await rpcNode({ genesis, secretKey: fromHex(nodes[0]!.priv), ...options });
    try {
      const said = asks.map(([method, params]) =>
        node
          .call(method, ...params)
          .then(JSON.stringify, (error) => `${error.code} ${error.message}`),
      );
      const texts = (await Promise.all(said)).map((each) =>
        each.replace(/ \w+Permission_\w+ /, ' … '),
      );
      return [[...new Set(texts)], 'quorumPermission' in (await node.call('rpc_modules'))];
    } finally {
      await node.close();
    }
  }

  it('there are 25 methods under two names', () => {
    expect(asks).toHaveLength(50);
  });

  it('they do not exist where nothing asks for permissions', async () => {
    const text = '-32601 the method … does not exist/is not available';
    expect(await answers({})).toEqual([[text], false]);
  });

  it('a missing file is named by all of them', async () => {
    const text =
      '-32000 contract-based permissioning is off: there is no permission-config.json in the data folder';
    expect(await answers({ argv: ['--permissioned'] })).toEqual([[text], true]);
  });

  it('a missing flag is named by all of them', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'quorate-no-flag-'));
    try {
      writeFileSync(join(folder, 'permission-config.json'), formatPermissionConfig(config));
      const text = '-32000 contract-based permissioning is off: start the node with --permissioned';
      expect(await answers({ argv: ['--datadir', folder] })).toEqual([[text], true]);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });

  it('a chain that does not have the contracts yet is named by all of them', async () => {
    const text = `-32000 the permission contracts are not ready: no contract code at given address ${toHex(config.addresses.interface)}`;
    const permissions = { config, ...settings };
    expect(await answers({ argv: ['--permissioned'], permissions })).toEqual([[text], true]);
  });

  it.each(['interface', 'orgs', 'roles', 'nodes', 'accounts'] as const)(
    'an address of %s that holds no code is named',
    async (name) => {
      const nobody = new Uint8Array(20).fill(0x99);
      const { blocks } = recordedPermissions('v2');
      const wrong = { ...config, addresses: { ...config.addresses, [name]: nobody } };
      const permissions = { config: wrong, ...settings };
      const text = `-32000 the permission contracts are not ready: no contract code at given address ${toHex(nobody)}`;
      const argv = ['--permissioned'];
      expect(await answers({ argv, permissions, blocks })).toEqual([[text], true]);
    },
  );
});

import { afterEach, describe, expect, it } from 'vitest';
import type { MemoryNode } from '../../../../test/support/memory-network.ts';
import { ValidatorNetwork } from '../../../../test/support/validator-network.ts';
import { GENESIS, RICH } from '../../../../test/support/validator-transfers.ts';
import { fromHex, toHex } from '../../../core/base/hex.ts';
import { signTransaction } from '../../../core/chain/signing.ts';
import type { HeldPayload } from '../../../core/privacy/inputs.ts';
import { queryKey } from '../../../core/privacy/inputs.ts';
import type { Manager } from '../../../core/privacy/manager-port.ts';
import { managerNotInUse } from '../../../io/ptm-client/no-manager.ts';

let network: ValidatorNetwork;
afterEach(() => network.stop());

describe('private state', () => {
  const hash = new Uint8Array(64).fill(7);
  const code = fromHex('0x600a600c600039600a6000f3602a60005260206000f3');
  const held: HeldPayload = {
    kind: 'held',
    payload: code,
    flag: 0,
    affected: [],
    execHash: undefined,
    managedParties: ['A'],
    senderKey: 'A',
  };
  const creation = signTransaction({ nonce: 0n, gasLimit: 1_000_000n, data: hash }, RICH, {
    isPrivate: true,
  });

  /** A manager that has the payload while `isUp()` is true. */
  function party(isUp: () => boolean): Manager {
    return {
      ...managerNotInUse(),
      ask: async (queries) => {
        if (!isUp()) throw new Error('connection refused');
        return new Map(queries.map((query) => [queryKey(query), held]));
      },
    };
  }

  const contract = fromHex('0x42699a7612a82f1d9c36148af9c77354759b210b');
  const codeAt = ({ chain }: MemoryNode) => {
    const space = { kind: 'private', psi: 'private' } as const;
    const reader = chain.store.stateAt(space, chain.store.cursor(space));
    const account = reader.account(contract);
    return account ? toHex(reader.code(account.codeHash)) : undefined;
  };

  it('is with the parties alone', async () => {
    network = new ValidatorNetwork(GENESIS);
    await network.start(4, (index) => (index < 2 ? { manager: party(() => true) } : {}));
    await network.nodes[0]!.intake.submit(creation);
    await network.until(
      () =>
        network.nodes.every(
          ({ chain }) => chain.store.transactionByHash(creation.hash) !== undefined,
        ),
      'mined',
    );
    expect(network.nodes.map(codeAt)).toEqual([
      '0x602a60005260206000f3',
      '0x602a60005260206000f3',
      '0x',
      '0x',
    ]);
  });

  it('is asked for while a block is checked, if only the block brings a transaction', async () => {
    const heads: number[] = [];
    const manager = party(() => true);
    const ask: Manager['ask'] = (queries) => {
      heads.push(network.nodes[1]!.chain.head().number);
      return manager.ask(queries);
    };
    network = new ValidatorNetwork(GENESIS);
    await network.start(4, (index) => (index === 1 ? { manager: { ...manager, ask } } : {}));
    const { chain, intake } = network.nodes[1]!;
    intake.receive = () => [];
    await network.nodes[0]!.intake.submit(creation);
    const place = () => chain.store.transactionByHash(creation.hash);
    await network.until(() => place() !== undefined, 'mined');
    expect(heads[0]).toBeLessThan(place()!.block);
  });

  it('waits for its manager while blocks continue, and heals in order', async () => {
    let isUp = false;
    network = new ValidatorNetwork(GENESIS);
    await network.start(4, (index) => (index === 1 ? { manager: party(() => isUp) } : {}));
    await network.nodes[0]!.intake.submit(creation);
    const node = network.nodes[1]!;
    const cursor = () => node.chain.store.cursor({ kind: 'private', psi: 'private' });
    await network.reach(10);
    expect(cursor()).toBeLessThan(10);
    expect(await node.follower!.arrival()).toBe(false);
    isUp = true;
    await network.until(
      () => cursor() === node.chain.head().number,
      'private state is at the head',
    );
    expect(codeAt(node)).toBe('0x602a60005260206000f3');
  });

  it('that is not at the head yet is waited for', async () => {
    let answer: Promise<void> = Promise.resolve();
    let release = () => {};
    network = new ValidatorNetwork(GENESIS);
    await network.start(4, (index) =>
      index === 1
        ? {
            manager: {
              ...party(() => true),
              ask: async (queries) => {
                await answer;
                return party(() => true).ask(queries);
              },
            },
          }
        : {},
    );
    const node = network.nodes[1]!;
    const cursor = () => node.chain.store.cursor({ kind: 'private', psi: 'private' });
    await network.reach(2);
    answer = new Promise<void>((resolve) => {
      release = resolve;
    });
    await network.nodes[0]!.intake.submit(creation);
    await network.until(() => cursor() < node.chain.head().number, 'private state is behind');
    let isDeployed: boolean | undefined;
    const base = node.follower!.headBase('private').then(({ reader }) => {
      isDeployed = reader.account(contract) !== undefined;
    });
    let hasArrived: boolean | undefined;
    const arrival = node.follower!.arrival().then((isThere) => {
      hasArrived = isThere;
    });
    release();
    const isOver = () => isDeployed !== undefined && hasArrived !== undefined;
    await network.until(isOver, 'private state is at the head');
    await Promise.all([base, arrival]);
    expect([isDeployed, hasArrived]).toEqual([true, true]);
  });
});

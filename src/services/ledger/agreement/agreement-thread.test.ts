/**
 * Networks whose validators run agreement separately from their chains: messages between the two
 * are cloned, and arrive in a later turn of the event loop.
 */
import { afterEach, describe, expect, it, vi } from 'vitest';
import { bftGenesis } from '../../../../test/support/bft-chain.ts';
import type { MemoryNode } from '../../../../test/support/memory-network.ts';
import { TOPOLOGY, ValidatorNetwork } from '../../../../test/support/validator-network.ts';
import { bareHex, fromHex } from '../../../core/base/hex.ts';
import { type Block, EncodedBlock, encodeBlock } from '../../../core/chain/block.ts';
import { decodeQbftExtra } from '../../../core/chain/extra-data.ts';
import { genesisFromJson } from '../../../core/chain/genesis.ts';
import { signTransaction } from '../../../core/chain/signing.ts';
import { devnetGenesis } from '../../devnet/genesis.ts';
import type { ChainSide } from '../node/consensus/agreement.ts';
import { AgreementThread } from './agreement-thread.ts';
import { FarChain } from './far-chain.ts';
import { errorOf, type FromAgreement, failureOf, type Question } from './messages.ts';
import { NearChain } from './near-chain.ts';
import type { Outbox } from './outbox.ts';

const GENESIS = genesisFromJson(
  devnetGenesis(TOPOLOGY, { blockPeriodSeconds: 1, emptyBlockPeriodSeconds: 0 }),
);
const SENDER = fromHex(TOPOLOGY.accounts[1]!.privateKey);
const RECIPIENT = fromHex(TOPOLOGY.accounts[2]!.address);
/** Runs until its gas is used up: 40 s at 400 ns per unit of gas. */
const ENDLESS = { gasLimit: 100_000_000n, data: fromHex('0x5b600056') };

const sign = (nonce: number, fields: object) =>
  signTransaction({ nonce: BigInt(nonce), gasLimit: 21_000n, ...fields }, SENDER, {
    chainId: 1337n,
  });

let network: ValidatorNetwork;

async function start(more: object = {}): Promise<[MemoryNode, MemoryNode]> {
  network = new ValidatorNetwork(GENESIS);
  await network.start(4, () => ({ isApart: true, ...more }));
  await network.reach(2);
  const [first, second] = network.nodes;
  return [first!, second!];
}

const rounds = ({ chain }: MemoryNode) =>
  Array.from(
    { length: chain.head().number },
    (_, at) => decodeQbftExtra(chain.store.header(at + 1)!.extraData).round,
  );

describe('validators that agree apart from their chains', () => {
  afterEach(() => network.stop());

  it('mine transactions of all of them, in the first round each', async () => {
    const [first] = await start();
    const sent = [0, 1, 2].map((nonce) => sign(nonce, { to: RECIPIENT, value: 1n }));
    for (const transaction of sent) await first.intake.submit(transaction);
    const isMined = ({ chain }: MemoryNode) =>
      sent.every(({ hash }) => chain.store.transactionByHash(hash) !== undefined);
    await network.until(() => network.nodes.every(isMined), 'three transactions');
    await network.reach(8);
    expect(rounds(first).every((round) => round === 0)).toBe(true);
  });

  it('continue with one away, and take it in again with its votes', async () => {
    const [first] = await start();
    const { disk } = network.nodes[3]!;
    await network.nodes[3]!.kill();
    const away = first.chain.head().number;
    await network.reach(away + 6, network.nodes.slice(0, 3));
    network.nodes[3] = await network.node(3, { disk, isApart: true });
    await network.reach(away + 12);
    expect(rounds(first).some((round) => round > 0)).toBe(true);
  });

  it('abandon what takes longer than a round, and make the height', async () => {
    const [first] = await start({ nanosecondsPerGas: 400 });
    await first.intake.submit(sign(0, ENDLESS));
    await network.reach(first.chain.head().number + 8);
    expect(first.builder.trials.dropped + first.builder.leftOut).toBeGreaterThan(0);
  });
});

describe('a thread of agreement that ends', () => {
  it('ends the node, unless it was asked to end', async () => {
    const faults: unknown[] = [];
    const listeners = new Map<string, (value: never) => void>();
    const make = () =>
      new AgreementThread({
        id: '',
        log: () => {},
        fatal: (error) => faults.push(error),
        thread: {
          on: (event: string, listener: (value: never) => void) => {
            const before = listeners.get(event);
            listeners.set(event, (value) => {
              before?.(value);
              listener(value);
            });
          },
          postMessage: () => listeners.get('exit')?.(0 as never),
        },
        end: async () => {},
      });
    make();
    listeners.get('exit')!(1 as never);
    expect(faults).toMatchObject([{ code: 'AGREEMENT_THREAD_ENDED' }]);
    listeners.clear();
    await make().stop();
    expect(faults).toHaveLength(1);
  });

  it('that says nothing for two seconds counts as held up since', () => {
    let tell: (messages: readonly FromAgreement[]) => void = () => {};
    const thread = new AgreementThread({
      ...{ id: '', log: () => {}, fatal: () => {} },
      thread: {
        on(event: string, listener: unknown) {
          if (event === 'message') tell = listener as typeof tell;
        },
        postMessage: () => {},
      },
      end: async () => {},
    });
    const now = vi.spyOn(performance, 'now');
    const heardMs = 50_000;
    const longest = { ms: 3, ownMs: 1 };
    now.mockReturnValue(heardMs);
    tell([{ kind: 'lag', lag: { ...longest, what: undefined, whatMs: 0 }, longest }]);
    now.mockReturnValue(heardMs + 1_999);
    expect(thread.longest).toEqual(longest);
    now.mockReturnValue(heardMs + 2_500);
    expect(thread.longest).toEqual({ ms: 2_500, ownMs: 1 });
    now.mockRestore();
  });

  it('and one that cannot listen is reported with the code of the error', () => {
    const error = errorOf(
      structuredClone(failureOf(errorOf({ code: 'A', message: 'b', data: 1 }))),
    );
    expect(error).toMatchObject({ code: 'A', message: 'b', data: 1 });
  });
});

describe('what the chain is asked', () => {
  it('about a block that it has is asked by a number, unless it has forgotten the block', async () => {
    const block = new EncodedBlock(encodeBlock(bftGenesis('qbft', [], 0)));
    const asked: { readonly id: number; readonly question: Question }[] = [];
    const outbox = {
      say: (message: FromAgreement) => void (message.kind === 'ask' && asked.push(message)),
    } as Outbox<FromAgreement>;
    const far = new FarChain(outbox, { yield: (next) => next() });
    const decided: string[] = [];
    const chain = {
      verify: async () => undefined,
      decide: async ({ hash }: Block) => void decided.push(bareHex(hash)),
    } as unknown as ChainSide;
    const near = () => new NearChain(chain, (answer) => far.answered(answer));
    const turn = () => new Promise((resolve) => setImmediate(resolve));
    const checked = far.verify(block, () => true);
    await turn();
    const [first, other] = [near(), near()];
    await first.answer(asked[0]!.id, asked[0]!.question);
    await checked;
    const decision = far.decide(block, 0, []);
    expect(asked[1]!.question).toMatchObject({ what: 'decide', block: asked[0]!.id });
    await first.answer(asked[1]!.id, asked[1]!.question);
    await decision;

    const again = far.decide(block, 0, []);
    await other.answer(asked[2]!.id, asked[2]!.question);
    await turn();
    expect(asked[3]!.question).toMatchObject({ what: 'decide', block: block.raw });
    await other.answer(asked[3]!.id, asked[3]!.question);
    await again;
    expect(decided).toEqual([bareHex(block.hash), bareHex(block.hash)]);
  });

  it('is not answered once nobody waits for it', async () => {
    let release = () => {};
    const seen: boolean[] = [];
    const answers: unknown[] = [];
    const chain = {
      assemble: async (_request: unknown, isWanted: () => boolean) => {
        await new Promise<void>((resolve) => {
          release = resolve;
        });
        seen.push(isWanted());
        return undefined;
      },
    } as unknown as ChainSide;
    const near = new NearChain(chain, (answer) => answers.push(answer));
    const asked = near.answer(1, { what: 'assemble', request: {} as never });
    near.unwanted(1);
    release();
    await asked;
    expect(seen).toEqual([false]);
    expect(answers).toEqual([]);
  });
});

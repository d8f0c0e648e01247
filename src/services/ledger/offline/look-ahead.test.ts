import { expect, it } from 'vitest';
import type { Block } from '../../../core/chain/block.ts';
import { recoverRows } from '../../../core/chain/sender-recovery.ts';
import { signTransaction } from '../../../core/chain/signing.ts';
import { decodeTransaction } from '../../../core/chain/transaction.ts';
import { lookAhead } from './look-ahead.ts';

const KEY = new Uint8Array(32).fill(1);
const { raw } = signTransaction({ nonce: 0n, gasLimit: 21_000n }, KEY, { chainId: 1n });

function block(number: number, transactions: number): Block {
  const of = () => decodeTransaction(raw);
  return { header: { number }, transactions: Array.from({ length: transactions }, of) } as never;
}

async function* source(blocks: readonly Block[], error?: Error): AsyncGenerator<Block> {
  yield* blocks;
  if (error) throw error;
}

class Setting {
  readonly asked: number[] = [];
  readonly taken: number[] = [];
  readonly logged: string[] = [];

  async run(
    blocks: AsyncIterable<Block>,
    more: { fails?: boolean; from?: number; seals?: number } = {},
  ) {
    const parts = {
      recovery: {
        recover: async (rows: Uint8Array) => {
          this.asked.push(rows.length / 97);
          if (more.fails) throw new Error('out of memory');
          return recoverRows(rows);
        },
      },
      isWanted: ({ header }: Block) => header.number >= (more.from ?? 0),
      sealsOf: () => Array.from({ length: more.seals ?? 0 }, () => decodeTransaction(raw)),
      log: (_: string, text: string) => this.logged.push(text),
    };
    for await (const each of lookAhead(blocks, parts)) this.taken.push(each.header.number);
  }
}

it('asks for several small blocks together, and for a large one alone', async () => {
  const setting = new Setting();
  const sizes = [...Array(40).fill(4), 200, 0, 1];
  await setting.run(source(sizes.map((size, number) => block(number, size))));
  expect(setting.taken).toEqual(sizes.map((_, number) => number));
  expect(setting.asked).toEqual([64, 64, 232, 1]);
});

it('recovers seals together with transactions', async () => {
  const setting = new Setting();
  await setting.run(source([block(1, 20), block(2, 20), block(3, 0)]), { seals: 12 });
  expect(setting.taken).toEqual([1, 2, 3]);
  expect(setting.asked).toEqual([64, 12]);
});

it('reads no further than some thousand transactions ahead', async () => {
  const setting = new Setting();
  let read = 0;
  async function* blocks() {
    for (; read < 100; read++) yield block(read, 100);
  }
  const parts = { recovery: { recover: async (rows: Uint8Array) => recoverRows(rows) } };
  const ahead = lookAhead(blocks(), {
    ...parts,
    isWanted: () => false,
    sealsOf: () => [],
    log: () => {},
  });
  await ahead.next();
  expect(read).toBeLessThan(45);
  await ahead.return(undefined);
  expect(setting.logged).toEqual([]);
});

it('gives the error of the source after the blocks before it', async () => {
  const setting = new Setting();
  const running = setting.run(source([block(1, 1), block(2, 1)], new Error('no block')));
  await expect(running).rejects.toThrow('no block');
  expect(setting.taken).toEqual([1, 2]);
});

it('continues without help, and says so', async () => {
  const setting = new Setting();
  const [one] = [block(1, 2)];
  await setting.run(source([one]), { fails: true });
  expect(setting.taken).toEqual([1]);
  expect(setting.logged).toEqual(['Signers are recovered on the main thread']);
  expect(one.transactions[0]!.sender.length).toBe(20);
});

it('asks nothing for blocks that are ignored', async () => {
  const setting = new Setting();
  await setting.run(source([block(1, 100), block(2, 3)]), { from: 2 });
  expect(setting.asked).toEqual([3]);
});

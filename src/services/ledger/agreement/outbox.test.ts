import { expect, it } from 'vitest';
import { alone, copyOf, Outbox } from './outbox.ts';

function outbox() {
  const posted: { messages: string[]; transfer: number }[] = [];
  const port = {
    postMessage: (messages: unknown, transfer: readonly unknown[] = []) => {
      posted.push({ messages: messages as string[], transfer: transfer.length });
    },
  };
  return { box: new Outbox<string>(port), posted };
}

const turn = () => new Promise((resolve) => setImmediate(resolve));

it('messages of one turn travel together, in their order', async () => {
  const { box, posted } = outbox();
  box.say('first');
  box.say('second', new Uint8Array(3));
  expect(posted).toEqual([]);
  await turn();
  box.say('third');
  await turn();
  expect(posted).toEqual([
    { messages: ['first', 'second'], transfer: 1 },
    { messages: ['third'], transfer: 0 },
  ]);
});

it('one that is closed says nothing more', async () => {
  const { box, posted } = outbox();
  box.say('lost');
  box.close();
  box.say('lost, too');
  await turn();
  expect(posted).toEqual([]);
});

it('a view leaves what lies around it behind, a whole buffer goes as it is', () => {
  const all = Uint8Array.of(1, 2, 3, 4);
  expect(alone(all)).toBe(all);
  const part = alone(all.subarray(1, 3));
  expect([...part]).toEqual([2, 3]);
  expect(part.buffer.byteLength).toBe(2);
});

it('bytes of a socket, which lie in a buffer of Node, are copied', () => {
  const shared = Buffer.from('of a pool');
  expect(shared.buffer.byteLength).toBeGreaterThan(shared.length);
  for (const own of [alone(shared), copyOf(shared), copyOf(new Uint8Array(3))]) {
    expect(own.buffer.byteLength).toBe(own.length);
    expect(own.buffer).not.toBe(shared.buffer);
  }
  expect(Buffer.from(copyOf(shared)).toString()).toBe('of a pool');
});

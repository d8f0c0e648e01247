import { describe, expect, it } from 'vitest';
import type { Slices } from '../../../core/base/pace.ts';
import type { LinkEvent, PeerInfo } from '../../../core/base/ports.ts';
import { PeerInbox } from './peer-inbox.ts';

const joined = (id: string): LinkEvent => ({ kind: 'joined', peer: { id } as PeerInfo });
const left = (id: string): LinkEvent => ({ kind: 'left', peer: id, reason: 0 });
const message = (peer: string, code: number, length = 10): LinkEvent => ({
  kind: 'message',
  peer,
  message: { protocol: 'eth', code, bytes: new Uint8Array(length) },
});

/** `work`: returns the work that a message causes; `name` consists of peer and code. */
function inbox(work: (name: string) => Slices<void> | undefined = () => undefined) {
  const heard: string[] = [];
  const taken: [string, number][] = [];
  const failed: string[] = [];
  const box = new PeerInbox({
    sink(event) {
      const name =
        event.kind === 'message'
          ? `${event.peer}${event.message.code}`
          : `${event.kind} ${event.kind === 'left' ? event.peer : event.peer.id}`;
      heard.push(name);
      return event.kind === 'message' ? work(name) : undefined;
    },
    taken: (peer, bytes) => taken.push([peer, bytes]),
    failed: (peer, error) => failed.push(`${peer}: ${(error as Error).message}`),
  });
  return { box, heard, taken, failed };
}

const until = async (isTrue: () => boolean) => {
  while (!isTrue()) await new Promise((resolve) => setImmediate(resolve));
};

function hold(ms: number): void {
  const end = performance.now() + ms;
  while (performance.now() < end);
}

describe('what the thread of agreement hands on', () => {
  it('is taken in order, and told of with its bytes', () => {
    const { box, heard, taken } = inbox();
    for (const event of [joined('a'), message('a', 1), message('a', 2, 20), left('a')])
      box.push(event);
    expect(heard).toEqual(['joined a', 'a1', 'a2', 'left a']);
    expect(taken).toEqual([
      ['a', 10],
      ['a', 20],
    ]);
  });

  it('of one peer waits for its work, while another has its turn', async () => {
    const { box, heard, taken } = inbox((name) => (name === 'a1' ? slow() : undefined));
    let pieces = 0;
    function* slow(): Slices<void> {
      for (; pieces < 20; pieces++) {
        hold(1);
        yield;
      }
    }
    for (const event of [joined('a'), joined('b'), message('a', 1), message('a', 2)])
      box.push(event);
    box.push(message('b', 1));
    expect(pieces).toBeLessThan(20);
    await until(() => taken.length === 3);
    expect(heard.indexOf('b1')).toBeLessThan(heard.indexOf('a2'));
    expect(pieces).toBe(20);
  });

  it('of a peer that has left is forgotten, its work too', async () => {
    const { box, heard, taken } = inbox(() => endless());
    function* endless(): Slices<void> {
      for (;;) {
        hold(1);
        yield;
      }
    }
    for (const event of [joined('a'), message('a', 1), message('a', 2), left('a')]) box.push(event);
    box.push(message('a', 3));
    await new Promise((resolve) => setTimeout(resolve, 30));
    expect(heard).toEqual(['joined a', 'a1', 'left a']);
    expect(taken).toEqual([]);
  });

  it('and goes wrong here costs the message alone', () => {
    const { box, heard, taken, failed } = inbox((name) => {
      if (name === 'a1') throw new Error('out of order');
      return undefined;
    });
    for (const event of [joined('a'), message('a', 1), message('a', 2)]) box.push(event);
    expect(failed).toEqual(['a: out of order']);
    expect(heard).toEqual(['joined a', 'a1', 'a2']);
    expect(taken).toHaveLength(2);
  });
});

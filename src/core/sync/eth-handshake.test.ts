import { describe, expect, it } from 'vitest';
import { encodeStatus } from '../wire/eth-status.ts';
import { EthHandshake } from './eth-handshake.ts';

const zero = new Uint8Array(32);
const common = {
  networkId: 1337n,
  td: 5n,
  head: zero,
  genesis: zero,
  forkId: { hash: 7, next: 0n },
};
const make = () =>
  new EthHandshake({
    status: () => common,
    forkFault: (id) => (id.hash === 7 ? undefined : 'remote needs update'),
  });
const say = (handshake: EthHandshake, change: object, code = 0) =>
  handshake.step(
    {
      kind: 'message',
      peer: 'a',
      code,
      bytes: encodeStatus({ ...common, version: 66, ...change }),
    },
    1,
  );

describe('status exchange', () => {
  it('sends ours in the agreed version and becomes ready with theirs', () => {
    const handshake = make();
    const status = { ...common, version: 66 };
    expect(handshake.step({ kind: 'joined', peer: 'a', version: 66 }, 0)).toEqual([
      { kind: 'sendStatus', peer: 'a', status },
    ]);
    expect(handshake.isWaiting('a')).toBe(true);
    expect(say(handshake, { td: 9n })).toMatchObject([
      { kind: 'ready', peer: 'a', version: 66, status: { td: 9n } },
    ]);
    expect(handshake.isWaiting('a')).toBe(false);
    expect(say(handshake, {})).toMatchObject([{ kind: 'misbehaved', reason: 0x10 }]);
  });

  it.each([
    [{ networkId: 1n }, 0, 'network ID mismatch'],
    [{ genesis: new Uint8Array(32).fill(1) }, 0, 'genesis mismatch'],
    [{ forkId: { hash: 8, next: 0n } }, 0, 'fork ID rejected: remote needs update'],
    [{ version: 65 }, 0, 'protocol version mismatch'],
    [{}, 3, 'no status message: first msg has code 3'],
  ])('refuses a faulty status, %#', (change, code, fault) => {
    const handshake = make();
    handshake.step({ kind: 'joined', peer: 'a', version: 66 }, 0);
    expect(say(handshake, change, code)).toMatchObject([
      { kind: 'misbehaved', reason: 0x10, fault: expect.stringContaining(fault) },
    ]);
  });

  it('garbage and silence', () => {
    const handshake = make();
    handshake.step({ kind: 'joined', peer: 'a', version: 66 }, 0);
    const garbage = { kind: 'message', peer: 'a', code: 0, bytes: Uint8Array.of(0xc0) } as const;
    expect(handshake.step(garbage, 1)).toMatchObject([{ reason: 0x10 }]);
    handshake.step({ kind: 'joined', peer: 'b', version: 66 }, 100);
    expect(handshake.step({ kind: 'tick' }, 5_099)).toEqual([]);
    expect(handshake.step({ kind: 'tick' }, 5_100)).toMatchObject([{ peer: 'b', reason: 0x0b }]);
  });
});

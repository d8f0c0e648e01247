import { describe, expect, it } from 'vitest';
import type { Enode } from '../../core/wire/enode.ts';
import { Dialer } from './dialer.ts';
import { ACTIVE_DIALS_MAX, STATIC_NODES_MAX, TIMINGS } from './limits.ts';

function target(id: string, host: string | undefined = '10.0.0.1'): Enode {
  return {
    id,
    publicKey: new Uint8Array(64),
    host,
    tcpPort: 30303,
    udpPort: 0,
    raftPort: undefined,
  };
}

const ids = (nodes: readonly Enode[]) => nodes.map((node) => node.id);

describe('dialer', () => {
  it('dials at once, then backs off up to the maximum', () => {
    const dialer = new Dialer(TIMINGS, () => 1 - Number.EPSILON);
    dialer.add(target('a'), 0, false);
    let nowMs = 0;
    const waits: number[] = [];
    for (let i = 0; i < 8; i++) {
      const started = nowMs;
      while (dialer.due(nowMs).length === 0) nowMs += 100;
      waits.push(nowMs - started);
      dialer.disconnected('a', nowMs);
    }
    expect(waits).toEqual([0, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000, 30_000]);
  });

  it('a good session makes the next dial come soon', () => {
    const dialer = new Dialer(TIMINGS, () => 0);
    dialer.add(target('a'), 0, false);
    for (let i = 0; i < 5; i++) dialer.disconnected('a', 0);
    dialer.connected('a', 0);
    expect(dialer.due(60_000)).toEqual([]);
    dialer.disconnected('a', 60_000);
    expect(dialer.due(60_400)).toEqual([]);
    expect(ids(dialer.due(60_500))).toEqual(['a']);
    expect(dialer.due(60_500)).toEqual([]);
  });

  it('bounds what is under way and what is kept', () => {
    const dialer = new Dialer(TIMINGS, () => 0);
    for (let i = 0; i < STATIC_NODES_MAX; i++) dialer.add(target(`n${i}`), 0, false);
    expect(dialer.due(0).length).toBe(ACTIVE_DIALS_MAX);
    expect(dialer.due(0)).toEqual([]);
    expect(() => dialer.add(target('one more'), 0, false)).toThrow('at most 1000');
    expect(dialer.add(target('n3', '10.0.0.2'), 0, false)).toBe(false);
    expect(dialer.nodes()[3]?.host).toBe('10.0.0.2');
    expect(dialer.remove('n3')).toBe(true);
    expect(dialer.has('n3')).toBe(false);
  });

  it('dials found nodes once in 35 s, as many as there are places', () => {
    const dialer = new Dialer(TIMINGS, () => 0);
    const found = ['a', 'b', 'c'].map((id) => target(id));
    const nobody = () => false;
    dialer.addFound(found, 2, nobody, 0);
    expect(ids(dialer.due(0))).toEqual(['a', 'b']);
    for (const id of ['a', 'b']) dialer.disconnected(id, 1_000);
    dialer.addFound(found.slice(0, 2), 2, nobody, 34_999);
    expect(dialer.due(34_999)).toEqual([]);
    dialer.addFound(found, 2, nobody, 35_000);
    expect(ids(dialer.due(35_000))).toEqual(['a', 'b']);
  });

  it('leaves alone what is connected, or has no address', () => {
    const dialer = new Dialer(TIMINGS, () => 0);
    dialer.add(target('in'), 0, true);
    dialer.add({ ...target('x'), host: undefined }, 0, false);
    expect(dialer.due(0)).toEqual([]);
  });
});

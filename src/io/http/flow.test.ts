import { describe, expect, it } from 'vitest';
import { Flow } from './flow.ts';
import { newTraffic } from './traffic.ts';

const MB = 1024 * 1024;

function flowWith(traffic = newTraffic()) {
  const said: string[] = [];
  const wire = {
    pause: () => said.push('pause'),
    resume: () => said.push('resume'),
    end: () => said.push('end'),
  };
  return { flow: new Flow(wire, traffic, 'a'), said, traffic };
}

describe('a connection is not read', () => {
  it('while a thousand calls wait', () => {
    const { flow, said } = flowWith();
    for (let i = 0; i < 999; i++) flow.begin(10);
    expect(said).toEqual([]);
    flow.begin(10);
    expect(said).toEqual(['pause']);
    flow.finish(10);
    expect(said).toEqual(['pause', 'resume']);
  });

  it('while many bytes wait', () => {
    const { flow, said } = flowWith();
    flow.begin(3 * MB);
    flow.begin(MB);
    expect(said).toEqual(['pause']);
    flow.finish(3 * MB);
    expect(said).toEqual(['pause', 'resume']);
  });

  it('while its client does not take what it is sent, and no further call is begun', async () => {
    const { flow, said } = flowWith();
    const taken = flow.send(1.1 * MB, false);
    expect(said).toEqual(['pause']);
    let isDrained = false;
    const drained = flow.drained().then(() => {
      isDrained = true;
    });
    await new Promise((resolve) => setImmediate(resolve));
    expect(isDrained).toBe(false);
    taken();
    await drained;
    expect(said).toEqual(['pause', 'resume']);
  });
});

describe('a connection is ended', () => {
  it('with too many notifications that are not taken; the answer to a call may be longer', () => {
    const { flow, said } = flowWith();
    const taken = flow.send(60 * MB, false);
    for (let i = 0; i < 15; i++) flow.send(MB, true);
    flow.send(0.9 * MB, true)();
    taken();
    expect(said).toEqual(['pause']);
    flow.send(1.1 * MB, true);
    expect(said).toEqual(['pause', 'end']);
  });

  it('when it takes nothing for long', () => {
    const { flow, said } = flowWith();
    flow.stalled();
    const taken = flow.send(10, true);
    expect(said).toEqual([]);
    flow.stalled();
    expect(said).toEqual(['end']);
    taken();
  });

  it('when too much is being read, and then holds nothing', () => {
    const traffic = newTraffic({ requests: { all: 10 * MB, ofSource: 5 * MB } });
    const { flow, said } = flowWith(traffic);
    flow.arrived(4 * MB);
    flow.passed(MB);
    flow.arrived(2 * MB);
    expect([said, traffic.requests.held]).toEqual([[], 5 * MB]);
    flow.arrived(1);
    expect([said, traffic.requests.held]).toEqual([['end'], 0]);
  });

  it('when all together do not take what they are sent, and it holds the most', () => {
    const traffic = newTraffic({ unsent: { all: 10 * MB, ofSource: 10 * MB } });
    const [great, small] = [flowWith(traffic), flowWith(traffic)];
    const taken = great.flow.send(8 * MB, false);
    small.flow.send(3 * MB, false);
    expect([great.said, small.said]).toEqual([['pause', 'end'], ['pause']]);
    taken();
    expect(traffic.unsent.held).toBe(3 * MB);
    small.flow.close();
    expect(traffic.unsent.held).toBe(0);
  });
});

describe('room for the answers of a batch', () => {
  const bounds = { all: 10 * MB, ofSource: 8 * MB };

  it('ends where one source, or all, leave so much untaken', () => {
    const { flow, traffic } = flowWith(newTraffic({ unsent: bounds }));
    expect(flow.room.take(6 * MB)).toBe(true);
    expect(flow.room.take(3 * MB)).toBe(false);
    expect(traffic.unsent.held).toBe(6 * MB);
    flow.room.release();
    expect(traffic.unsent.held).toBe(0);
  });

  it('is there for little at any time: who leaves the most gives way', () => {
    const traffic = newTraffic({ unsent: bounds });
    const [great, small] = [flowWith(traffic), flowWith(traffic)];
    great.flow.send(10 * MB, false);
    expect(small.flow.room.take(MB)).toBe(true);
    expect([great.said, small.said]).toEqual([['pause', 'end'], []]);
    expect(traffic.unsent.held).toBe(MB);
  });

  it('ends with the connection', () => {
    const { flow, traffic } = flowWith();
    flow.room.take(MB);
    flow.close();
    expect(traffic.unsent.held).toBe(0);
  });
});

import { afterEach, describe, expect, it } from 'vitest';
import { threadCpuMs } from '../host/thread-cpu.ts';
import { type Lag, LoopWatch } from './loop-watch.ts';

let watch: LoopWatch | undefined;

afterEach(() => watch?.stop());

function hold(ms: number): void {
  const end = performance.now() + ms;
  while (performance.now() < end);
}

function start() {
  const said: { message: string; fields: any }[] = [];
  watch = new LoopWatch((_, message, fields) => said.push({ message, fields }));
  const heard = (isIt: (lag: Lag) => boolean) =>
    new Promise<Lag>((resolve) => watch!.onLag((lag) => isIt(lag) && resolve(lag)));
  watch.start();
  return { watch, said, heard };
}

describe('the watch over the event loop', () => {
  it('tells how long it was held up, and by what', async () => {
    const { watch, said, heard } = start();
    const lag = heard(({ what }) => what === 'rpc eth_slow');
    watch.during('short', () => hold(5));
    watch.during('rpc eth_slow', () => watch.during('inner', () => hold(300)));
    expect((await lag).whatMs).toBeGreaterThanOrEqual(300);
    expect(watch.longest.ms).toBeGreaterThanOrEqual(300);
    const line = said.find(({ fields }) => fields.by === 'rpc eth_slow');
    expect(line?.message).toBe('The thread of consensus was held up');
    expect(line?.fields.ms).toBeGreaterThanOrEqual(300);
  });

  it('notices what nobody named', async () => {
    const { said, heard } = start();
    const lag = heard(({ ms }) => ms >= 250);
    await new Promise((resolve) => setTimeout(resolve, 50));
    hold(400);
    expect((await lag).what).toBeUndefined();
    expect(said[0]?.fields.by).toBeUndefined();
  });

  it('tells its own work from what the machine had no time for', async () => {
    const { heard } = start();
    const lag = heard(({ ms }) => ms >= 250);
    await new Promise((resolve) => setTimeout(resolve, 50));
    const begunMs = threadCpuMs();
    while (threadCpuMs() - begunMs < 300);
    const { ms, ownMs } = await lag;
    expect(ownMs).toBeGreaterThan(250);
    expect(ownMs).toBeLessThanOrEqual(ms);
  });

  it('notices a block of a thread that rested, although it ends before the next tick', async () => {
    const { heard } = start();
    await heard(({ ms }) => ms < 20);
    const lag = heard(({ ms }) => ms >= 60);
    hold(70);
    expect((await lag).ms).toBeGreaterThanOrEqual(60);
  });

  it('lets errors and results through', () => {
    const { watch } = start();
    expect(watch.during('work', () => 7)).toBe(7);
    const broken = () =>
      watch.during('work', () => {
        throw new Error('broken');
      });
    expect(broken).toThrow('broken');
  });
});

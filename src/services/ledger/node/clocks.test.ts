import { afterEach, describe, expect, it } from 'vitest';
import { memoryNode } from '../../../../test/support/memory-network.ts';
import { MINUTE_MS, ValidatorNetwork } from '../../../../test/support/validator-network.ts';
import { GENESIS, RICH } from '../../../../test/support/validator-transfers.ts';
import type { Log } from '../../../core/base/ports.ts';
import { decodeQbftExtra } from '../../../core/chain/extra-data.ts';

let network: ValidatorNetwork;
afterEach(() => network.stop());

describe('a clock that is set while a validator runs', () => {
  const HOUR_MS = 3_600_000;
  /** By how much each node's clock was changed. */
  const setMs = [0, 0, 0, 0, 0];
  const calendarOf = (index: number) => ({ nowMs: () => network.time.nowMs() + setMs[index]! });
  const startWithClocks = async () => {
    setMs.fill(0);
    network = new ValidatorNetwork(GENESIS);
    await network.start(4, (index) => ({ calendar: calendarOf(index) }));
    await network.reach(4);
  };
  const head = () => network.nodes[0]!.chain.head();

  it('holds up nobody where all are set back, and again where they restart', async () => {
    await startWithClocks();
    setMs.fill(-HOUR_MS);
    await network.reach(head().number + 10);
    const { disk, kill } = network.nodes[3]!;
    await kill();
    const told: string[] = [];
    const log: Log = (level, message) => level === 'warn' && told.push(message);
    network.nodes[3] = await network.node(3, { disk, calendar: calendarOf(3), log });
    await network.reach(head().number + 10);
    expect(told).toContain("This machine's clock is behind the chain's: set it right");
    const { timestamp } = head().header;
    const trueSeconds = BigInt(Math.floor(network.time.nowMs() / 1000));
    expect(timestamp <= trueSeconds + 1n).toBe(true);
  });

  it('holds up nobody where all are set forth and back again', async () => {
    await startWithClocks();
    setMs.fill(HOUR_MS);
    await network.reach(head().number + 6);
    setMs.fill(0);
    await network.reach(head().number + 10);
  });

  it('keeps one validator in agreement that was set back', async () => {
    await startWithClocks();
    setMs[2] = -HOUR_MS;
    const before = head().number;
    await network.reach(before + 8);
    const rounds = Array.from({ length: 8 }, (_, i) => {
      const { extraData } = network.nodes[2]!.chain.store.header(before + 1 + i)!;
      return decodeQbftExtra(extraData).round;
    });
    expect(rounds).toEqual(rounds.map(() => 0));
  });

  it('costs the turns of one that lives an hour ahead, and no more', async () => {
    await startWithClocks();
    setMs[1] = HOUR_MS;
    await network.reach(head().number + 9, network.nodes, 3 * MINUTE_MS);
    expect(head().header.timestamp < BigInt(network.time.nowMs()) / 1000n + 60n).toBe(true);
  });

  it('lets a newcomer follow whose clock is an hour behind', async () => {
    await startWithClocks();
    setMs[4] = -HOUR_MS;
    const more = { hub: network.hub, genesis: GENESIS, secretKey: RICH, isMining: false };
    network.nodes.push(await memoryNode({ ...more, calendar: calendarOf(4) }));
    await network.reach(head().number + 6);
  });
});

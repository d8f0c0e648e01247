/**
 * Transactions that every validator has to execute, and floods of them; honest transactions among
 * them must get through.
 */
import { setTimeout as pause } from 'node:timers/promises';
import type { Case } from '../case.ts';
import { creationOf, loop } from '../code.ts';
import type { HostileNetwork } from '../network.ts';
import { create, honestTransfer, honestUntil, MUCH_GAS } from '../sending.ts';
import { PAIR, power } from './inputs.ts';

/** An honest transfer must be mined within so many blocks. */
const HONEST_BLOCKS_MAX = 6;

/** Runs `attack` while honest transfers are sent, which must be mined. */
async function besideHonest(
  network: HostileNetwork,
  isOver: () => boolean,
  attack: () => Promise<unknown>,
): Promise<string> {
  await attack();
  const blocks = Math.max(await honestTransfer(network), await honestUntil(network, isOver));
  if (blocks > HONEST_BLOCKS_MAX) throw new Error(`an honest transfer took ${blocks} blocks`);
  return `honest transfers within ${blocks} blocks`;
}

/** Signing thousands at once would hold up this process, and what it measures. */
async function flood({ nodes }: HostileNetwork, count: number, code: string, gas: bigint) {
  const all: Promise<unknown>[] = [];
  for (let at = 0; at < count; at++) {
    all.push(create(nodes[at % 4]!, code, { gas }));
    if (at % 10 === 9) await pause(0);
  }
  return Promise.allSettled(all);
}

export const TRANSACTION_CASES: readonly Case[] = [
  {
    name: 'a creation of 58 KB that loops a pairing of 300 pairs, 900M gas',
    group: 'transactions',
    isShort: true,
    seconds: 20,
    attack: (network, isOver) =>
      besideHonest(network, isOver, () =>
        create(network.nodes[0]!, creationOf(8, PAIR.repeat(300))),
      ),
  },
  {
    name: 'a flood of loops from 200 new accounts, 900M gas each',
    group: 'transactions',
    seconds: 20,
    attack: (network, isOver) =>
      besideHonest(network, isOver, () => flood(network, 200, loop(''), MUCH_GAS)),
  },
  {
    name: 'a flood of loops from 200 new accounts, 8M gas each',
    group: 'transactions',
    seconds: 20,
    attack: (network, isOver) =>
      besideHonest(network, isOver, () => flood(network, 200, loop(''), 8_000_000n)),
  },
  {
    name: 'a flood of pairings from 40 new accounts, 900M gas each',
    group: 'transactions',
    seconds: 20,
    attack: (network, isOver) =>
      besideHonest(network, isOver, () =>
        flood(network, 40, creationOf(8, PAIR.repeat(300)), MUCH_GAS),
      ),
  },
  {
    name: 'a flood of powers of even moduli from 40 new accounts',
    group: 'transactions',
    seconds: 20,
    attack: (network, isOver) =>
      besideHonest(network, isOver, () =>
        flood(network, 40, creationOf(5, power(1024, 8, false)), MUCH_GAS),
      ),
  },
  {
    name: '2,000 creations of 60 KB that do nothing',
    group: 'transactions',
    seconds: 20,
    bounds: { blockShare: 0.5, gapSeconds: 4 },
    attack: (network, isOver) =>
      besideHonest(network, isOver, () =>
        flood(network, 2_000, `0x00${'5b'.repeat(60_000)}`, 20_000_000n),
      ),
  },
];

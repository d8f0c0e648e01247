import { describe, expect, it } from 'vitest';
import type { Address } from '../../../../core/base/bytes.ts';
import type { PeerInfo } from '../../../../core/base/ports.ts';
import { genesisFromJson } from '../../../../core/chain/genesis.ts';
import { devnetGenesis } from '../../../devnet/genesis.ts';
import { topologyOf } from '../../../devnet/topology.ts';
import { ForkReadiness, HOLD_MS } from './fork-readiness.ts';

const BLOCK = 9;
const VALIDATORS: readonly Address[] = [1, 2, 3, 4].map((n) => new Uint8Array(20).fill(n));

function watchOf(transitions: readonly object[]): ForkReadiness {
  const options = { blockPeriodSeconds: 1, emptyBlockPeriodSeconds: 0 };
  const json = devnetGenesis(topologyOf('unused', undefined), options) as { config: object };
  const { config } = genesisFromJson({ ...json, config: { ...json.config, transitions } });
  return new ForkReadiness({ config, log: () => {} });
}

const KNOWING = watchOf([{ block: BLOCK, blockperiodseconds: 2 }]).announcement();
const IGNORANT = watchOf([]).announcement();

function peer(index: number): PeerInfo {
  return {
    id: `peer${index}`,
    address: VALIDATORS[index]!,
    enode: '',
    clientName: 'quorate',
    capabilities: new Map(),
    inbound: false,
    trusted: false,
    static: true,
    remoteAddress: '',
    localAddress: '',
  };
}

describe('a block from which other rules hold', () => {
  const watchWith = (told: readonly Uint8Array[]) => {
    const watch = watchOf([{ block: BLOCK, blockperiodseconds: 2 }]);
    told.forEach((bytes, i) => {
      watch.joined(peer(i + 1));
      watch.told(peer(i + 1), bytes);
    });
    return watch;
  };
  const isHeld = (watch: ForkReadiness, nowMs: number) =>
    watch.holding(BLOCK, VALIDATORS, nowMs).length > 0;

  it('is made when all that are connected know of it', () => {
    expect(isHeld(watchWith([KNOWING, KNOWING]), 0)).toBe(false);
  });

  it('does not wait for one that tells nothing', () => {
    const watch = watchWith([KNOWING, KNOWING]);
    watch.joined(peer(3));
    expect(isHeld(watch, 0)).toBe(false);
  });

  it('is held by f that do not know it, for a time', () => {
    const watch = watchWith([KNOWING, KNOWING, IGNORANT]);
    expect(isHeld(watch, 1000)).toBe(true);
    expect(isHeld(watch, 999 + HOLD_MS)).toBe(true);
    expect(isHeld(watch, 1000 + HOLD_MS)).toBe(false);
  });

  it('is not held longer by one that goes and comes', () => {
    const watch = watchWith([KNOWING, KNOWING, IGNORANT]);
    expect(isHeld(watch, 1000)).toBe(true);
    watch.left(peer(3));
    expect(isHeld(watch, 2000)).toBe(false);
    watch.joined(peer(3));
    watch.told(peer(3), IGNORANT);
    expect(isHeld(watch, 3000)).toBe(true);
    expect(isHeld(watch, 1000 + HOLD_MS)).toBe(false);
  });

  it('is held by more than f for as long as they are there', () => {
    const watch = watchWith([KNOWING, IGNORANT, IGNORANT]);
    expect(isHeld(watch, 0)).toBe(true);
    expect(isHeld(watch, 100 * HOLD_MS)).toBe(true);
    watch.told(peer(3), KNOWING);
    expect(isHeld(watch, 101 * HOLD_MS)).toBe(false);
  });
});

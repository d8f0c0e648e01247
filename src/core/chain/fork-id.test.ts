import { describe, expect, it } from 'vitest';
import {
  OWN_VECTORS,
  publicVectorsFor,
  READS_PUBLIC_VECTORS,
  readJson,
} from '../../../test/vectors/folders.ts';
import { fromHex } from '../base/hex.ts';
import { ForkSchedule } from './fork-id.ts';
import { chainConfigFromJson } from './genesis.ts';

const FAULTS: Record<string, string | undefined> = {
  ok: undefined,
  'remote stale': 'remote needs update',
  'local incompatible or stale': 'local incompatible or needs update',
};

describe('fork ids', () => {
  it('are those of GoQuorum', () => {
    const file = `${OWN_VECTORS}/goquorum/consensus/wire/devp2p/forkid.json`;
    let count = 0;
    for (const { config, genesisHash, ids } of readJson(file).vectors) {
      const schedule = new ForkSchedule(chainConfigFromJson(config), fromHex(genesisHash), 0n);
      for (const { head, hash, next } of ids) {
        const id = schedule.at({ number: BigInt(head), timestamp: 0n });
        expect(id).toEqual({ hash: Number(hash), next: BigInt(next) });
        expect(schedule.fault(id, { number: BigInt(head), timestamp: 0n })).toBeUndefined();
        count++;
      }
    }
    expect(count).toBeGreaterThan(5);
  });

  it('are those of the public networks', READS_PUBLIC_VECTORS, (context) => {
    const vectors = readJson(`${publicVectorsFor(context)}/public/p2p/forkid.json`);
    const schedules = new Map<string, ForkSchedule>();
    for (const [name, network] of Object.entries<any>(vectors.creation)) {
      const forks = {
        forkIdBlocks: network.forkBlocks.map(BigInt),
        forkIdTimes: network.forkTimes.map(BigInt),
      };
      const hash = fromHex(network.genesisHash);
      const schedule = new ForkSchedule(forks, hash, 0n);
      schedules.set(name.toLowerCase(), schedule);
      schedules.set(
        `${name.toLowerCase()}-block-forks-only`,
        new ForkSchedule(
          { ...forks, forkIdBlocks: forks.forkIdBlocks.slice(0, 12), forkIdTimes: [] },
          hash,
          0n,
        ),
      );
      for (const { head, time, hash: sum, next } of network.cases) {
        const id = schedule.at({ number: BigInt(head), timestamp: BigInt(time) });
        expect(id).toEqual({ hash: Number(sum), next: BigInt(next) });
      }
    }
    for (const test of vectors.validation) {
      const schedule = schedules.get(test.config)!;
      const head = { number: BigInt(test.localHead), timestamp: BigInt(test.localTime) };
      const remote = { hash: Number(test.remoteHash), next: BigInt(test.remoteNext) };
      expect([test.why, schedule.fault(remote, head)]).toEqual([test.why, FAULTS[test.result]]);
    }
  });
});

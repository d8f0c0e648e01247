/** The time of a simulation (its results: test/vectors; its other limits: eth_simulateV1). */
import { expect, it } from 'vitest';
import { rulesOfFork } from '../../../test/support/rules-of-fork.ts';
import { fromHex } from '../base/hex.ts';
import type { Header } from '../chain/header.ts';
import { MemoryReader } from '../state/memory-reader.ts';
import { Simulation } from './simulation.ts';

const SENDER = new Uint8Array(20).fill(6);
const LOOP = new Uint8Array(20).fill(7);
const GAS = 100_000_000n;
/** More time checks than there are between calls and blocks. */
const LOOKS = 20;
const HEADER = {
  ...{ number: 1, timestamp: 1n, coinbase: SENDER, gasLimit: GAS, difficulty: 1n },
  extraData: new Uint8Array(0),
} as unknown as Header;

it('ends within a call that goes on when its time is over', () => {
  const publicState = MemoryReader.fromAlloc([
    { address: SENDER, balance: 0n, nonce: 0n },
    { address: LOOP, balance: 0n, nonce: 1n, code: fromHex('0x5b600056') },
  ]);
  let looks = 0;
  const simulation = new Simulation(
    { hashes: () => undefined, publicState, privateState: undefined },
    {
      ...{ isValidated: false, hasTransferLogs: false, spend: () => {} },
      limits: { gasCap: GAS, shouldStop: () => ++looks > LOOKS, timeoutText: '5s' },
    },
  );
  const call = { from: SENDER, to: LOOP, data: new Uint8Array(0), value: 0n };
  const block = {
    ...{ header: HEADER, rules: rulesOfFork('berlin', { isQuorum: true }), overrides: [] },
    ...{ calls: [call], withdrawals: [], blobBaseFee: undefined },
  };
  expect(() => simulation.run(block as unknown as Parameters<Simulation['run']>[0])).toThrow(
    'execution aborted (timeout = 5s)',
  );
});

/**
 * The recorded private cases and contract extensions, replayed live: four validators, four managers
 * of ours, 180 requests and every node's answers; on the recorded chain and on the devnet's. Both
 * run at once, because they mostly wait for blocks. With REFERENCE_GETH, two validators of the
 * first network are GoQuorum's.
 */
import { expect, it } from 'vitest';
import { installCrypto } from '../../src/io/crypto/crypto.ts';
import { devnetChain, type LiveChain, recordedChain } from '../live/chain.ts';
import { startLiveNetwork } from '../live/network.ts';
import { playAll } from '../live/play.ts';
import { type Recording, readRecording } from '../live/recording.ts';
import type { Kind } from '../support/bft-processes.ts';

const PATIENCE_MS = 1_200_000;
const reference = process.env.REFERENCE_GETH;
const OURS: readonly Kind[] = ['q', 'q', 'q', 'q'];
const KINDS: readonly Kind[] = reference === undefined ? OURS : ['r', 'q', 'r', 'q'];

async function expectAsRecorded(
  kinds: readonly Kind[],
  chainOf: (recording: Recording) => LiveChain,
): Promise<void> {
  await installCrypto();
  const recording = readRecording();
  const chain = chainOf(recording);
  const network = await startLiveNetwork(recording, chain, { kinds, reference });
  try {
    const { findings, steps } = await playAll(recording, { network, chain, say: () => {} });
    expect(findings).toEqual([]);
    expect(steps).toBe(recording.steps.length - chain.leftOut.size);
  } finally {
    await network.stop();
  }
}

it.concurrent(
  `${KINDS.join('')}: every recorded step has the recorded answers`,
  async ({ annotate }) => {
    if (reference === undefined) {
      await annotate('no GoQuorum node among the four: set REFERENCE_GETH', 'not run');
    }
    await expectAsRecorded(KINDS, recordedChain);
  },
  PATIENCE_MS,
);

it.concurrent(
  "has them on the devnet's chain too, where any price is accepted",
  () => expectAsRecorded(OURS, devnetChain),
  PATIENCE_MS,
);

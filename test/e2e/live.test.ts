/**
 * The recorded private cases and contract extensions once more, live: four validators, four
 * managers of ours, 180 requests, and what every node says of each. With REFERENCE_GETH two of the
 * validators are GoQuorum's.
 */
import { expect, it } from 'vitest';
import { installCrypto } from '../../src/io/crypto/crypto.ts';
import { startLiveNetwork } from '../live/network.ts';
import { playAll } from '../live/play.ts';
import { readRecording } from '../live/recording.ts';
import type { Kind } from '../support/bft-processes.ts';

const PATIENCE_MS = 1_200_000;
const reference = process.env.REFERENCE_GETH;
const KINDS: readonly Kind[] =
  reference === undefined ? ['q', 'q', 'q', 'q'] : ['r', 'q', 'r', 'q'];

it(
  `${KINDS.join('')}: every recorded step has the recorded answers`,
  async ({ annotate }) => {
    if (reference === undefined) {
      await annotate('no GoQuorum node among the four: set REFERENCE_GETH', 'not run');
    }
    await installCrypto();
    const recording = readRecording();
    const network = await startLiveNetwork(recording, KINDS, reference);
    try {
      const { findings, steps } = await playAll(recording, network, () => {});
      expect(findings).toEqual([]);
      expect(steps).toBe(recording.steps.length);
    } finally {
      await network.stop();
    }
  },
  PATIENCE_MS,
);

/**
 * The recorded private cases and contract extensions, replayed on four nodes: r GoQuorum, q ours.
 */
import type { Kind } from '../support/bft-processes.ts';
import { devnetChain, recordedChain } from './chain.ts';
import { startLiveNetwork } from './network.ts';
import { playAll } from './play.ts';
import { readRecording } from './recording.ts';

/** Resolves with the exit status. */
export async function runRecorded(args: readonly string[]): Promise<number> {
  const reference = process.env.REFERENCE_GETH;
  const isDevnet = args[0] === 'devnet';
  const isAlone = isDevnet || reference === undefined;
  const kinds = (isDevnet ? args[1] : args[0]) ?? (isAlone ? 'qqqq' : 'rqrq');
  if (!/^[rq]{4}$/.test(kinds)) {
    console.error(
      'usage: npm run live -- [KINDS], KINDS is four letters: r for GoQuorum, q for ours; npm run live -- devnet',
    );
    return 2;
  }
  if (isDevnet && kinds.includes('r')) {
    console.error(
      "GoQuorum does not have the devnet's forks after Berlin: all four nodes are ours",
    );
    return 2;
  }
  if (reference === undefined && kinds.includes('r')) {
    console.error('REFERENCE_GETH IS NOT SET: give it the path of a GoQuorum binary');
    return 2;
  }
  if (!kinds.includes('r')) console.warn('NO REFERENCE IN THIS NETWORK: four nodes of ours');
  const recording = readRecording();
  const chain = isDevnet ? devnetChain(recording) : recordedChain(recording);
  const network = await startLiveNetwork(recording, chain, {
    kinds: [...kinds] as Kind[],
    reference,
  });
  for (const signal of ['SIGINT', 'SIGTERM'] as const)
    process.once(signal, () => void network.stop().then(() => process.exit(1)));
  try {
    const { steps, comparisons, findings } = await playAll(recording, {
      network,
      chain,
      say: console.log,
    });
    console.log(
      `${kinds}: ${steps} steps, ${comparisons} comparisons, ${findings.length} differences`,
    );
    return findings.length === 0 ? 0 : 1;
  } finally {
    await network.stop();
  }
}

/**
 * `npm run live -- migrate`: networks of GoQuorum that migrate member by member, one network after
 * the other.
 */
import { parseArgs } from 'node:util';
import type { NetworkKind } from './members.ts';
import { playPair } from './pair.ts';
import { playMigration } from './scenario.ts';

type Kind = Pick<NetworkKind, 'engine' | 'permissions'>;

const NETWORKS: Readonly<Record<string, Kind>> = {
  qbft: { engine: 'qbft', permissions: 'none' },
  ibft: { engine: 'ibft', permissions: 'files' },
  raft: { engine: 'raft', permissions: 'none' },
  permissions: { engine: 'qbft', permissions: 'contracts' },
};
/** Besides the networks: one member's old node beside its new one. */
const PAIR = 'pair';
const GROWTH_BLOCKS = 20;
const ALL = [1, 2, 3, 4] as const;
const RETURNING = [1, 3] as const;
const OPTIONS = { blocks: { type: 'string', default: '50' } } as const;
const USAGE = `usage: REFERENCE_GETH=FILE npm run live -- migrate [--blocks N] [${[...Object.keys(NETWORKS), PAIR].join('|')}]...`;

/** Resolves with the exit status. */
export async function runMigrations(args: string[]): Promise<number> {
  const { values, positionals } = parseArgs({ args, options: OPTIONS, allowPositionals: true });
  const reference = process.env.REFERENCE_GETH;
  const known = [...Object.keys(NETWORKS), PAIR];
  const names = positionals.length === 0 ? known : positionals;
  if (reference === undefined || !names.every((name) => known.includes(name))) {
    console.error(USAGE);
    return 2;
  }
  let found = 0;
  for (const name of names) {
    if (name === PAIR) {
      found += await pair(reference);
      continue;
    }
    const result = await playMigration(
      {
        ...NETWORKS[name]!,
        ...{ reference, growth: GROWTH_BLOCKS, compared: ALL, returning: RETURNING },
        watched: Number(values.blocks),
      },
      console.log,
    );
    const { head, publicSent, privateSent, rootsCompared, findings } = result;
    const longest = `longest ${result.longestSeconds} s (${result.unclear} unclear: the machine was busy)`;
    console.log(
      `${name}: ${head} blocks, ${longest}; ${publicSent} public and ${privateSent} private transactions, none lost; ${rootsCompared} private roots compared; ${findings.length} differences`,
    );
    for (const finding of findings) console.log(`  ${finding}`);
    found += findings.length;
  }
  return found === 0 ? 0 : 1;
}

async function pair(reference: string): Promise<number> {
  const { compared, findings } = await playPair(reference, console.log);
  console.log(`${PAIR}: ${compared}; ${findings.length} differences`);
  for (const finding of findings) console.log(`  ${finding}`);
  return findings.length;
}

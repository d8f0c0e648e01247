/**
 * `npm run live -- migrate`: networks of GoQuorum that move over member by member, one after the
 * other.
 */
import { parseArgs } from 'node:util';
import { type MigrationPlay, playMigration } from './scenario.ts';

type Kind = Pick<MigrationPlay, 'engine' | 'permissions'>;

const NETWORKS: Readonly<Record<string, Kind>> = {
  qbft: { engine: 'qbft', permissions: 'none' },
  ibft: { engine: 'ibft', permissions: 'files' },
  raft: { engine: 'raft', permissions: 'none' },
  permissions: { engine: 'qbft', permissions: 'contracts' },
};
const OPTIONS = { blocks: { type: 'string', default: '50' } } as const;
const USAGE = `usage: REFERENCE_GETH=FILE npm run live -- migrate [--blocks N] [${Object.keys(NETWORKS).join('|')}]...`;

/** Resolves with the exit status. */
export async function runMigrations(args: string[]): Promise<number> {
  const { values, positionals } = parseArgs({ args, options: OPTIONS, allowPositionals: true });
  const reference = process.env.REFERENCE_GETH;
  const names = positionals.length === 0 ? Object.keys(NETWORKS) : positionals;
  if (reference === undefined || !names.every((name) => NETWORKS[name])) {
    console.error(USAGE);
    return 2;
  }
  let found = 0;
  for (const name of names) {
    const play = { ...NETWORKS[name]!, reference, watched: Number(values.blocks) };
    const result = await playMigration(play, console.log);
    const { head, publicSent, privateSent, rootsCompared, longestSeconds, findings } = result;
    console.log(
      `${name}: ${head} blocks, longest ${longestSeconds} s; ${publicSent} public and ${privateSent} private transactions, none lost; ${rootsCompared} private roots compared; ${findings.length} differences`,
    );
    for (const finding of findings) console.log(`  ${finding}`);
    found += findings.length;
  }
  return found === 0 ? 0 : 1;
}

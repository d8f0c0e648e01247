/**
 * `npm run bench -- NAME [--json FILE]`: runs a bench and prints the figures; with --json, writes
 * each figure with unit, runs, median and ratio. `all`: every bench, or those that --only names;
 * with --markdown, writes a table.
 */
import { parseArgs } from 'node:util';
import { installCrypto } from '../src/io/crypto/crypto.ts';
import { all } from './all.ts';
import { type Figure, printFigures, writeFigures } from './report.ts';

const BENCHES: Record<string, () => Promise<readonly Figure[]>> = {
  pipeline: async () => (await import('./pipeline.ts')).pipeline(),
  evm: async () => (await import('./evm.ts')).evm(),
  precompiles: async () => (await import('./precompiles.ts')).precompiles(),
  micro: async () => (await import('./micro.ts')).micro(),
  rpc: async () => (await import('./rpc.ts')).rpc(),
  readers: async () => (await import('./readers.ts')).readers(),
  catchup: async () => (await import('./catchup.ts')).catchup(),
  import: async () => (await import('./import.ts')).importBench(),
  grow: async () => (await import('./grow.ts')).grow(),
  accounts: async () => (await import('./accounts.ts')).accountsBench(),
  migrate: async () => (await import('./migrate.ts')).migrateBench(),
  start: async () => (await import('./start.ts')).start(),
  private: async () => (await import('./private.ts')).privateBench(),
  permission: async () => (await import('./permission.ts')).permission(),
  staking: async () => (await import('./staking.ts')).staking(),
  ramp: async () => (await import('./ramp.ts')).ramp(),
  net: async () => (await import('./net.ts')).net(),
  validators: async () => (await import('./validators.ts')).validators(),
  short: async () => (await import('./short.ts')).short(),
  agreement: async () => (await import('./agreement.ts')).agreement(),
  signer: async () => (await import('./signer.ts')).signer(),
  'signer-keys': async () => (await import('./signer-keys.ts')).signerKeys(),
};

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    json: { type: 'string' },
    markdown: { type: 'string' },
    only: { type: 'string' },
  },
});
const name = positionals[0] ?? '';
if (name === 'all') {
  const names = values.only?.split(',') ?? Object.keys(BENCHES);
  const { json, markdown } = values;
  const unknown = names.find((each) => !BENCHES[each]);
  if (unknown !== undefined) {
    console.error(`--only: there is no bench ${unknown}`);
    process.exit(2);
  }
  process.exit((await all({ names, json, markdown })) ? 0 : 1);
}
const bench = BENCHES[name];
if (!bench) {
  console.error(
    'usage: npm run bench -- NAME [--json FILE], or all [--only NAMES] [--json FILE] [--markdown FILE]; ' +
      `NAME is one of ${Object.keys(BENCHES).join(', ')}`,
  );
  process.exit(2);
}
await installCrypto();
const figures = await bench();
printFigures(figures);
if (values.json) writeFigures(values.json, name, figures);
process.exit(0);

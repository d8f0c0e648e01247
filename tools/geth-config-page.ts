/**
 * Generates `docs/geth-config.md` from the keys of geth's configuration files that `--config`
 * reads.
 */
import { GETH_KEYS, type GethKey } from '../src/services/ledger/options/geth-keys.ts';

const HEAD = `# Keys of geth's configuration file

What each key of a file that \`geth dumpconfig\` wrote is to \`quorate node --config FILE\`; see [from-goquorum.md](from-goquorum.md).
\`npm run docs\` writes this page.

| key | here |
|---|---|
`;

export function gethConfigPage(): string {
  return HEAD + [...GETH_KEYS].map(([key, row]) => `| \`${key}\` | ${meaningOf(row)} |\n`).join('');
}

function meaningOf(row: GethKey): string {
  if (row.refused !== undefined) return `refused: ${row.refused}`;
  if (row.ignored !== undefined) return `no effect: ${row.ignored}`;
  const flags = flagsOf(row).map((flag) => `\`--${flag}\``);
  return flags.length > 0 ? flags.join(', ') : 'no effect: geth always writes it';
}

/** Some keys set other flags when they are empty, or several at once. */
const SAMPLES = ['', '1', '127.0.0.1:1'];

function flagsOf({ flag, as }: GethKey): string[] {
  if (!as) return [flag!];
  return [...new Set(SAMPLES.flatMap((value) => as(value, {}).map(([name]) => name)))];
}

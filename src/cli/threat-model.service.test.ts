/**
 * docs/threat-model.md has a row for every port that a command listens on, and names tests that
 * exist.
 */
import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, it } from 'vitest';
import { allCommands } from './commands.ts';

const PROJECT = resolve(import.meta.dirname, '../..');
const PAGE = readFileSync(join(PROJECT, 'docs/threat-model.md'), 'utf8');
/** Ports of other programs, which a command only calls, and ports of refused options. */
const ELSEWHERE =
  /^(downstream-|hashicorp-signer\.|metrics-push-|qlight\.)|^(graphql|ethstats)\.port$/;
/** The page's heading for each command. */
const SECTION: Readonly<Record<string, string>> = {
  node: '## Ledger node',
  signer: '## Signing proxy',
  staking: '## Staking',
  ramp: '## On-ramp',
  explorer: '## Explorer of its own',
};

function section(title: string): string {
  const begin = PAGE.indexOf(`${title}\n`);
  expect(begin, title).toBeGreaterThan(0);
  return PAGE.slice(begin, PAGE.indexOf('\n## ', begin + 1));
}

it('has a row for each port and socket that a command opens', async () => {
  const missing: string[] = [];
  for (const { name, rows } of await allCommands()) {
    const title = SECTION[name];
    if (title === undefined) continue;
    const text = section(title);
    for (const { flag, about } of rows) {
      if (!/port$|^ipcpath$/.test(flag) || ELSEWHERE.test(flag)) continue;
      if (/^(No effect|Refused)/.test(about)) continue;
      // The row may name the port's own flag, or the address or switch that belongs to it.
      const names = [flag, flag.replace(/port$/, 'addr'), flag.replace(/[.-]port$/, '')];
      names.push(flag.replace('-port', '-enabled'), flag === 'ipcpath' ? 'ipcdisable' : flag);
      if (!names.some((each) => text.includes(`\`--${each}`))) missing.push(`${name} --${flag}`);
    }
  }
  expect(missing).toEqual([]);
});

it('names no test that does not exist', () => {
  const files = [...PAGE.matchAll(/`((?:src|test)\/[^` ]+\.test\.ts)`/g)].map(([, file]) => file!);
  expect(files.length).toBeGreaterThan(30);
  expect(files.filter((file) => !existsSync(join(PROJECT, file)))).toEqual([]);
});

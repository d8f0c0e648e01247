/**
 * The shell blocks of README.md and docs/. Each one says in its first line who runs it: `sh tried`,
 * a test that types in the page; `sh needs=X`, a test that has X, or a stand-in for it.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Typed in by documentation.test.ts, a folder for each page. */
export const ALONE_PAGES = ['access-control', 'development', 'signer-security', 'staking'];

/** Typed in by cookbook.test.ts, in one folder and in this order. */
export const RECIPES = [
  'start',
  'cookbook/private-token',
  'cookbook/contract-extension',
  'cookbook/validator-vote',
  'cookbook/backup',
  'cookbook/ramp-partner',
  'cookbook/key-rotation',
];
/** Typed in beside the same devnet; what serves is stopped as soon as it is up. */
export const REFERENCES = [
  'console',
  'deploy',
  'explorer',
  'from-goquorum',
  'genesis',
  'graphql',
  'metrics',
  'operation',
  'raft',
  'ramp',
  'signer',
  'signer-operation',
  'storage',
];
/** Typed in with a devnet of its own, which has permissions. */
export const PERMISSIONED = 'cookbook/permissioned-onboarding';
/** Typed in beside that devnet. */
export const PERMISSIONED_REFERENCES = ['permissioning'];

/** Pages whose `sh` blocks a test of their own takes apart. */
export const OWN_TESTS: Readonly<Record<string, string>> = {
  'README.md': 'test/e2e/examples.test.ts',
  'docs/manager.md': 'test/e2e/manager.test.ts',
  'docs/migration.md': 'test/e2e/migration-runbook.test.ts',
  // Synopses and examples, made from the rows that the commands parse.
  'docs/commands.md': 'tools/pages.ts',
};

/** Needs of blocks that cookbook.test.ts types in with what documented-needs.ts prepares. */
export const PREPARED = [
  ...(['goquorum', 'vault', 'key', 'machines', 'network', 'configuration'] as const),
  ...(['addresses', 'prometheus'] as const),
] as const;

/** The need of the block that starts that test's devnet. */
export const STARTS_DEVNET = 'collector';

/** Needs of blocks that documented-stand-ins.test.ts types in, with programs that only listen. */
export const STOOD_IN = ['docker', 'kubernetes', 'systemd', 'checkout', 'registry'] as const;

/**
 * Blocks that show a session on a network of somebody's, with its answers: `$` before the command.
 * How many each page may have, and the test that runs these commands.
 */
export const SESSIONS: Readonly<Record<string, readonly [count: number, test: string]>> = {
  'docs/staking.md': [2, 'test/e2e/staking-commands.test.ts'],
};

export interface ShellBlock {
  /** Path in the project. */
  readonly page: string;
  readonly line: number;
  /** What follows the three backticks, such as `sh tried`. */
  readonly info: string;
  readonly text: string;
}

/** A block without a language is a shell block if it begins with one of these. */
const COMMAND = /^(quorate|npx|npm|curl|docker|prometheus|kubectl|helm|node|geth) /;

export function shellBlocks(root: string): ShellBlock[] {
  const docs = readdirSync(join(root, 'docs'), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.md'))
    .map((file) => `docs/${file.replaceAll('\\', '/')}`);
  return ['README.md', ...docs.sort()].flatMap((page) => {
    const text = readFileSync(join(root, page), 'utf8');
    return [...text.matchAll(/^```(.*)\n([\s\S]*?)^```$/gm)]
      .map(([, info, block], _at, all) => ({ info: info!, text: block!, at: all[_at]!.index }))
      .filter(
        ({ info, text: block }) =>
          /^(sh|bash|shell|console|zsh)\b/.test(info) ||
          (info === '' && COMMAND.test(block)) ||
          block.startsWith('$ '),
      )
      .map(({ info, text: block, at }) => ({
        ...{ page, info, text: block },
        line: text.slice(0, at).split('\n').length,
      }));
  });
}

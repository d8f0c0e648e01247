/**
 * The shell blocks of README.md and docs/. Each one says in its first line who runs it: `sh tried`,
 * a test that types in the page; `sh needs=X`, nobody, for a reason in NEEDS.
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

export const NEEDS: Readonly<Record<string, string>> = {
  addresses: 'has addresses of the reader’s network; permission-commands.test.ts runs the command',
  checkout: 'builds the project itself; npm run test:matrix runs it',
  collector: 'a program of others; monitoring.test.ts sends traces to a receiver of its own',
  configuration: 'needs keys of a payment provider; ramp.test.ts starts the service',
  docker: 'no container runs in tests; deploy.test.ts lints and renders the files',
  goquorum: 'needs geth or its folder; migration.test.ts runs the command on a recorded one',
  key: 'needs a key at a proxy; node-key-proxy.test.ts starts both with keys of its own',
  kubernetes: 'no cluster runs in tests; deploy.test.ts renders the chart',
  machines: 'names other machines; kill.test.ts and others join nodes by enode URLs',
  network: 'needs a network of its own; devnet-development.test.ts starts it',
  prometheus: 'a program of others; monitoring.test.ts reads its configuration',
  registry: 'installs from a registry; installed-package.test.ts installs the packed files instead',
  systemd: 'changes the system; deploy.test.ts checks the units',
  vault: 'needs a vault; account-plugin tests run the commands against a stand-in',
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
const COMMAND = /^(quorate|npx|npm|curl|docker|prometheus|kubectl|node) /;

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
          /^(sh|bash)\b/.test(info) || (info === '' && COMMAND.test(block)),
      )
      .map(({ info, text: block, at }) => ({
        ...{ page, info, text: block },
        line: text.slice(0, at).split('\n').length,
      }));
  });
}

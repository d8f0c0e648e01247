/**
 * Generates `docs/configuration.md`: every key of every configuration file, from the rows and
 * tables that the services read them by.
 */
import { allCommands } from '../src/cli/commands.ts';
import { variablesOf } from '../src/io/options/environment.ts';
import type { OptionRow } from '../src/io/options/option-row.ts';
import { IGNORED_KEYS, knownKeys } from '../src/services/ptm/config/known-keys.ts';
import { SIGNER_VARIABLES } from '../src/services/signer/options.ts';
import { defaultText } from './commands-page.ts';
import { offerKeys } from './offer-keys.ts';
import { tableCell } from './table-cell.ts';

interface Service {
  readonly title: string;
  readonly command: string;
  readonly about: readonly string[];
  /** Overrides the command's own prefixes of environment variables. */
  readonly prefixes?: readonly string[];
}

const SERVICES: readonly Service[] = [
  {
    title: 'Node',
    command: 'node',
    about: [
      '`quorate node --config FILE`, TOML. `quorate dumpconfig` writes one. A file of geth’s is read too: [its keys](geth-config.md).',
      'Each variable has a second name with the prefix `GETH_`. `import`, `console`, `js` and `db verify` read the same file.',
    ],
  },
  {
    title: 'Signing proxy',
    command: 'signer',
    about: [
      '`quorate signer --config-file FILE`: YAML as Web3Signer reads it, or TOML as EthSigner does. The other prefixes of variables are',
      `${SIGNER_VARIABLES.slice(0, -1)
        .map((prefix) => `\`${prefix}\``)
        .join(', ')}.`,
    ],
    prefixes: SIGNER_VARIABLES,
  },
  {
    title: 'Staking',
    command: 'staking',
    about: ['`quorate staking --config FILE`, TOML. Its other commands read the same file.'],
  },
  {
    title: 'On- and off-ramp',
    command: 'ramp',
    about: [
      '`quorate ramp --config FILE`, TOML. `quorate ramp reconcile` reads the same file. What is offered is in',
      '[a file of its own](#offer-of-the-ramp).',
    ],
  },
];

export async function configurationPage(): Promise<string> {
  const commands = new Map((await allCommands()).map((command) => [command.name, command]));
  const services = SERVICES.flatMap(({ title, command, about, prefixes }) => {
    const { rows, variables = [] } = commands.get(command)!;
    return [`## ${title}`, '', ...about, '', ...keyTable(rows, prefixes ?? variables)];
  });
  return [
    '# Configuration',
    '',
    'Made by `npm run docs` from the tables by which the services read their files. A flag overrides its environment variable, which',
    'overrides the file. A key is the name of its flag, so `--http.port 8545` is `http.port = 8545`, or `port = 8545` below `[http]`. Unknown',
    'keys are refused. Flags without effect, and the commands that are not listed here, are in [commands.md](commands.md).',
    '',
    ...services,
    ...managerKeys(),
    ...offerTable(),
  ]
    .join('\n')
    .concat('\n');
}

function keyTable(rows: readonly OptionRow[], prefixes: readonly string[]): string[] {
  const own = rows.filter(
    ({ ignored, refused, flag }) => !ignored && !refused && flag !== 'config',
  );
  const hasVariables = own.some((row) => variableOf(row, prefixes) !== '');
  const lines = own.map((row) => {
    const { fileKey, flag, unit, type, about } = row;
    const key = fileKey === undefined ? `\`${flag}\`` : `\`${flag}\`, \`${fileKey}\``;
    const cells = [key, ...(hasVariables ? [variableOf(row, prefixes)] : [])];
    return `| ${[...cells, unit ?? type, tableCell(about), tableCell(defaultText(row))].join(' | ')} |`;
  });
  const heads = ['key', ...(hasVariables ? ['variable'] : []), 'value', 'what', 'default'];
  return [`| ${heads.join(' | ')} |`, `|${'---|'.repeat(heads.length)}`, ...lines, ''];
}

/** The variable that overrides all others of this option. */
function variableOf(row: OptionRow, prefixes: readonly string[]): string {
  const name = variablesOf(row, prefixes).at(-1) ?? row.env;
  return name === undefined ? '' : `\`${name}\``;
}

function managerKeys(): string[] {
  return [
    '## Private transaction manager',
    '',
    '`quorate ptm --configfile FILE`: JSON, as Tessera reads it. `[]` stands for each item of a list. How to use it: [manager.md](manager.md).',
    '',
    '| key | what |',
    '|---|---|',
    ...[...knownKeys()].map(([path, about]) => `| \`${path}\` | ${tableCell(about)} |`),
    '',
    'These keys of Tessera’s have no effect, which the manager says when it starts:',
    '',
    '| key | why |',
    '|---|---|',
    ...Object.entries(IGNORED_KEYS).map(([key, why]) => `| \`${key}\` | ${tableCell(why)} |`),
    '',
  ];
}

function offerTable(): string[] {
  return [
    '## Offer of the ramp',
    '',
    '`quorate ramp --offer FILE`: JSON. A file with a fault is refused with the place of each fault. What the keys mean, and an example:',
    '[ramp.md](ramp.md#the-offer).',
    '',
    '| key | value | required |',
    '|---|---|---|',
    ...offerKeys().map(
      ({ path, rule, isRequired }) =>
        `| \`${path}\` | ${tableCell(asCode(rule))} | ${isRequired ? 'yes' : ''} |`,
    ),
  ];
}

/** What a fault says must be; a regular expression in it is shown as code. */
function asCode(rule: string): string {
  return rule
    .replace(/^must be /, '')
    .replace(/of the form (.*)$/, (_, form: string) => `of the form \`${form}\``);
}

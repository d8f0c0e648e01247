/** Generates `docs/commands.md` from the rows that parsing and help use. */
import type { Command } from '../src/cli/command.ts';
import { allCommands } from '../src/cli/commands.ts';
import { variablesOf } from '../src/io/options/environment.ts';
import type { OptionRow } from '../src/io/options/options.ts';
import { tableCell } from './table-cell.ts';

export async function commandsPage(): Promise<string> {
  const commands = await allCommands();
  return [
    '# Commands',
    '',
    'Made by `npm run docs` from the option rows in the code. Flags override environment variables, which override the',
    'configuration file (`--config`, TOML). `--flag value`, `--flag=value` and `-flag value` mean the same. Exit status: 0, 1 when',
    'it failed, 2 when it was called wrongly.',
    '',
    ...commands.flatMap(section),
  ]
    .join('\n')
    .concat('\n')
    .replace(/\n+$/, '\n');
}

function section({ name, about, operands, examples, rows, variables }: Command): string[] {
  const usage = [`quorate ${name}`, rows.length > 0 ? '[options]' : '', operands ?? ''];
  const lines = [`## quorate ${name}`, '', about, '', '```sh', usage.filter(Boolean).join(' ')];
  for (const { does, line } of examples) lines.push('', `# ${does}`, line);
  lines.push('```', '');
  const prefix = variables?.at(-1);
  if (prefix !== undefined)
    lines.push(
      `Each option has an environment variable: \`${variablesOf(rows[0]!, [prefix]).at(-1)}\` is \`--${rows[0]!.flag}\`.`,
      '',
    );
  for (const group of new Set(rows.map((row) => row.group))) {
    lines.push(`**${group}**`, '', '| flag | what | default |', '|---|---|---|');
    for (const row of rows) if (row.group === group) lines.push(tableLine(row));
    lines.push('');
  }
  return lines;
}

function tableLine(row: OptionRow): string {
  const names = [row.flag, ...(row.aliases ?? [])].map((flag) => `\`--${flag}\``).join(', ');
  const value = row.type === 'boolean' ? '' : ` ${row.unit ?? row.type}`;
  const about = row.env ? `${row.about} (environment: \`${row.env}\`)` : row.about;
  return `| ${names}${value} | ${tableCell(about)} | ${tableCell(defaultText(row))} |`;
}

export function defaultText({ default: value, type }: OptionRow): string {
  if (value === undefined || value === '' || (Array.isArray(value) && value.length === 0))
    return '';
  const text = type === 'duration' ? `${Number(value) / 1000}s` : String(value);
  return `\`${text}\``;
}

/**
 * `--help` from option rows: what the command does, an example to start from, and every option by
 * group.
 */
import { variablesOf } from './environment.ts';
import type { OptionRow } from './options.ts';

const FLAG_COLUMN_CHARS = 34;

export interface HelpPage {
  /** The command, such as `quorate node`. */
  readonly command: string;
  readonly about: string;
  /** Arguments after the options, such as `<genesis.json>`. */
  readonly operands?: string;
  readonly examples: readonly { readonly does: string; readonly line: string }[];
  readonly rows: readonly OptionRow[];
  /** Prefixes of environment variables that stand for the options. */
  readonly variables?: readonly string[];
  /** Whether to include flags that have no effect or are refused (`--help --all`). */
  readonly isWhole?: boolean;
}

export function helpText(page: HelpPage): string {
  const { command, about, operands = '', examples, isWhole = false } = page;
  const rows = page.rows.filter((row) => isWhole || hasEffect(row));
  const hidden = page.rows.length - rows.length;
  const parts = [about, '', 'Usage:', `  ${`${command} [options] ${operands}`.trimEnd()}`, ''];
  if (examples.length > 0) parts.push(examples.length === 1 ? 'Example:' : 'Examples:');
  for (const { does, line } of examples) parts.push(`  # ${does}`, `  ${line}`, '');
  for (const group of new Set(rows.map((row) => row.group))) {
    parts.push(`${group}:`);
    for (const row of rows) if (row.group === group) parts.push(optionLine(row));
    parts.push('');
  }
  const file = rows.some(({ flag }) => flag === 'config-file') ? 'config-file' : 'config';
  parts.push(
    `Flags override environment variables, which override the configuration file (--${file}).`,
  );
  const prefix = page.variables?.at(-1);
  const row = rows.find(({ flag }) => /[.-]/.test(flag)) ?? rows[0];
  if (prefix !== undefined && row !== undefined)
    parts.push(`Each has a variable: --${row.flag} is ${variablesOf(row, [prefix]).at(-1)}.`);
  if (hidden > 0)
    parts.push(
      `${hidden} more flags are accepted without effect or refused: ${command} --help --all`,
    );
  return `${parts.join('\n')}\n`;
}

function hasEffect({ ignored, refused }: OptionRow): boolean {
  return ignored === undefined && refused === undefined;
}

function optionLine(row: OptionRow): string {
  const names = [row.flag, ...(row.aliases ?? [])].map((name) => `--${name}`).join(', ');
  const value = row.type === 'boolean' ? '' : ` <${row.unit ?? row.type}>`;
  const fields = [
    row.default === undefined || row.default === '' || row.default === false
      ? undefined
      : `default ${Array.isArray(row.default) ? row.default.join(',') : defaultText(row)}`,
    row.env,
  ].filter((fact) => fact !== undefined);
  const tail = fields.length > 0 ? ` [${fields.join('; ')}]` : '';
  const head = `  ${names}${value}`;
  const gap =
    head.length < FLAG_COLUMN_CHARS
      ? ' '.repeat(FLAG_COLUMN_CHARS - head.length)
      : `\n${' '.repeat(FLAG_COLUMN_CHARS)}`;
  return `${head}${gap}${row.about}${tail}`;
}

function defaultText(row: OptionRow): string {
  return row.type === 'duration' ? `${Number(row.default) / 1000}s` : String(row.default);
}

/** Arguments as in GoQuorum's scripts, with global flags before the command. */
import { NODE_ROWS } from '../services/ledger/options.ts';
import type { Command } from './command.ts';
import { commandOf } from './commands.ts';
import { CLIENT_ROWS, CONSOLE_ROWS } from './console/options.ts';

/** Flags that may be in front of a command. */
const GLOBAL_FLAGS = new Map(
  [...NODE_ROWS, ...CONSOLE_ROWS, ...CLIENT_ROWS].flatMap((row) =>
    [row.flag, ...(row.aliases ?? [])].map((name) => [name, row]),
  ),
);

/** Moves the command to the front. Without one it is `node`. */
export async function fromGeth(argv: readonly string[]): Promise<readonly string[]> {
  const at = commandAt(argv);
  const before = argv.slice(0, at);
  const isPlain = before.every((each) => ['-h', '--help', '-v', '--version'].includes(each));
  if (at === argv.length) {
    if (argv.includes('-v') || argv.includes('--version')) return ['version'];
    return ['node', ...argv];
  }
  const found = await commandOf(argv.slice(at));
  if (!found) return isPlain ? argv : argv.slice(at);
  const words = found.command.name.split(' ');
  return [...words, ...known(before, found.command), ...found.rest];
}

/** Position of the first word that is neither a flag nor the value of a flag. */
function commandAt(argv: readonly string[]): number {
  let at = 0;
  while (at < argv.length && argv[at]!.startsWith('-')) {
    at += isAlone(argv[at]!) ? 1 : 2;
  }
  return Math.min(at, argv.length);
}

/** Whether the flag does not use the next argument as its value. */
function isAlone(argument: string): boolean {
  if (argument.includes('=')) return true;
  const row = GLOBAL_FLAGS.get(argument.replace(/^--?/, ''));
  return row === undefined || row.type === 'boolean';
}

/** Drops node flags that the command does not have, and reports them, as geth does. */
function known(before: readonly string[], { name, rows }: Command): string[] {
  const taken = new Set(rows.flatMap((row) => [row.flag, ...(row.aliases ?? [])]));
  const kept: string[] = [];
  const vain: string[] = [];
  for (let at = 0; at < before.length; ) {
    const size = isAlone(before[at]!) ? 1 : 2;
    const flag = before[at]!.replace(/^--?/, '').split('=')[0]!;
    const isVain = GLOBAL_FLAGS.has(flag) && !taken.has(flag);
    if (isVain) vain.push(`--${flag}`);
    else kept.push(...before.slice(at, at + size));
    at += size;
  }
  if (vain.length > 0) console.error(`Without effect on "${name}": ${vain.join(' ')}`);
  return kept;
}

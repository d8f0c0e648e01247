/**
 * `quorate <command>`: finds the command, parses its flags, runs it, and turns errors into text and
 * exit status.
 */
import { fail } from '../core/base/errors.ts';
import { nearest } from '../io/options/edit-distance.ts';
import { isUsageError, type ParsedOptions, USAGE_EXIT_CODE } from '../io/options/options.ts';
import { type Command, helpOf, parseFor } from './command.ts';
import { groupFault, groupHelp, groupOf } from './command-group.ts';
import { allCommands, COMMAND_NAMES, commandOf } from './commands.ts';
import { faultText } from './fault.ts';

export interface Ending {
  readonly status: number;
  /** The command failed, and may have left something that keeps the process alive. */
  readonly isFault: boolean;
}

/**
 * Resolves when the command has ended, or never while it serves. Rejects only when its code cannot
 * be loaded.
 */
export async function runCommand(argv: readonly string[]): Promise<Ending> {
  const [name] = argv;
  if (name === undefined || name === 'help' || name === '--help' || name === '-h') {
    console.log(await overview());
    return { status: name === undefined ? USAGE_EXIT_CODE : 0, isFault: false };
  }
  const found = await commandOf(name === '--version' ? ['version'] : argv);
  if (!found) return notACommand(argv);
  const { command, rest } = found;
  if (rest.includes('--help') || rest.includes('-h')) {
    console.log(helpOf(command, rest.includes('--all')));
    return { status: 0, isFault: false };
  }
  let options: ParsedOptions | undefined;
  try {
    options = parseFor(command, rest);
    checkOperands(command, options.positional);
    return { status: await command.run(options), isFault: false };
  } catch (error) {
    console.error(`Fatal: ${faultText(error, options)}`);
    return { status: isUsageError(error) ? USAGE_EXIT_CODE : 1, isFault: true };
  }
}

/** Refuses an operand that the command does not use. */
function checkOperands(
  { name, operands, operandsMax = 0 }: Command,
  found: readonly string[],
): void {
  const more = found[operandsMax];
  if (more === undefined) return;
  const usage = `quorate ${name} [options] ${operands ?? ''}`.trimEnd();
  throw fail('OPTION_UNKNOWN', `unexpected argument "${more}". Usage: ${usage}`);
}

async function notACommand(argv: readonly string[]): Promise<Ending> {
  for (const count of [2, 1]) {
    const words = argv.slice(0, count).join(' ');
    const verb = argv[count];
    const group = await groupOf(words);
    if (group.length === 0) continue;
    const isHelp = verb === '--help' || verb === '-h';
    if (isHelp) console.log(groupHelp(words, group));
    else console.error(groupFault(words, verb, group));
    return { status: isHelp ? 0 : USAGE_EXIT_CODE, isFault: false };
  }
  console.error(unknownCommand(argv[0]!));
  return { status: USAGE_EXIT_CODE, isFault: false };
}

function unknownCommand(name: string): string {
  const guess = nearest(name, COMMAND_NAMES);
  const hint = guess ? `. Did you mean "${guess}"?` : '';
  return `quorate: unknown command "${name}"${hint}\nRun "quorate help" for the commands.`;
}

async function overview(): Promise<string> {
  const commands = await allCommands();
  const width = Math.max(...commands.map(({ name }) => name.length));
  return [
    'Quorate: a permissioned Ethereum ledger with private transactions.',
    '',
    'Usage:',
    '  quorate <command> [options]',
    '',
    'Commands:',
    ...commands.map(({ name, about }) => `  ${name.padEnd(width)}  ${about}`),
    '',
    'Examples:',
    '  quorate devnet                 # a network to try things on',
    '  quorate node --help            # the flags of a node',
  ].join('\n');
}

/**
 * Commands that share their first word, as `quorate permission`: a list of them, for users who give
 * no or a wrong second word.
 */
import type { Command } from './command.ts';
import { allCommands } from './commands.ts';

/** Commands whose first word is `word`. */
export async function groupOf(word: string): Promise<readonly Command[]> {
  const commands = await allCommands();
  return commands.filter(({ name }) => name.startsWith(`${word} `));
}

export function groupHelp(word: string, commands: readonly Command[]): string {
  const width = Math.max(...commands.map(({ name }) => name.length));
  return [
    'Usage:',
    `  quorate ${word} <command> [options]`,
    '',
    'Commands:',
    ...commands.map(({ name, about }) => `  ${name.padEnd(width)}  ${about}`),
    '',
    `"quorate ${commands[0]!.name} --help" explains one of them.`,
  ].join('\n');
}

/** Error text for a `verb` that is not the second word of any command. */
export function groupFault(
  word: string,
  verb: string | undefined,
  commands: readonly Command[],
): string {
  const known = commands.map(({ name }) => name.slice(word.length + 1)).join(', ');
  const what = verb === undefined ? 'a command is missing' : `unknown command "${verb}"`;
  return `quorate ${word}: ${what}: one of ${known}`;
}

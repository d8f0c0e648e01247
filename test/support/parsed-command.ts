import { parseFor } from '../../src/cli/command.ts';
import { commandOf } from '../../src/cli/commands.ts';

/** Throws on words that are no command of `quorate`, and on a flag that the command lacks. */
export async function takes(words: readonly string[]): Promise<void> {
  const found = await commandOf(words);
  if (!found) throw new Error(`no command: ${words.join(' ')}`);
  parseFor(found.command, found.rest);
}

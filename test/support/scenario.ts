/**
 * Scenarios as text, like the data-driven tests of etcd's raft: commands, a line `----`, and what
 * came of them.
 *
 *     # A comment.
 *     deliver to=v3
 *     ----
 *     v3 to all: PREPARE 1/0 A
 *
 * Of a command with `show=no` nothing is shown. `rendered` plays the commands and writes what
 * really came: a script is right when that is the script itself.
 */

export interface Command {
  readonly name: string;
  readonly words: readonly string[];
  /** Of `key=value`; a value with spaces stands in double quotes. */
  readonly options: ReadonlyMap<string, string>;
}

/**
 * Carries out a command; returns the lines to be shown. Throws where the command makes no sense.
 */
export type Player = (command: Command) => readonly string[];

const RULE = '----';
const NOTHING = 'nothing';

export function rendered(script: string, play: Player): string {
  const parts = script.trim().split(/\n{2,}/);
  return `${parts.map((part) => renderedPart(part, play)).join('\n\n')}\n`;
}

function renderedPart(part: string, play: Player): string {
  const lines = part.split('\n');
  const asked = lines.includes(RULE) ? lines.slice(0, lines.indexOf(RULE)) : lines;
  const commands = asked.filter((line) => !line.startsWith('#'));
  if (commands.length === 0) return part;
  const shown = commands.flatMap((line) => playLine(line, play));
  return [...asked, RULE, ...(shown.length === 0 ? [NOTHING] : shown)].join('\n');
}

function playLine(line: string, play: Player): readonly string[] {
  const command = commandOf(line);
  try {
    const shown = play(command);
    return command.options.get('show') === 'no' ? [] : shown;
  } catch (error) {
    throw new Error(`"${line}": ${(error as Error).message}`, { cause: error });
  }
}

function commandOf(line: string): Command {
  const [name = '', ...rest] = line.match(/(?:[^\s"]|"[^"]*")+/g) ?? [];
  const words = rest.filter((word) => !word.includes('='));
  const options = rest
    .filter((word) => word.includes('='))
    .map((word): [string, string] => {
      const at = word.indexOf('=');
      return [word.slice(0, at), word.slice(at + 1).replaceAll('"', '')];
    });
  return { name, words, options: new Map(options) };
}

/** The values of `key=a,b`; undefined where the key is not given. */
export function listOption({ options }: Command, key: string): readonly string[] | undefined {
  return options.get(key)?.split(',');
}

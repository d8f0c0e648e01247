/** One command of `quorate`: a name, what it does, its options, and how it runs. */

import { fail } from '../core/base/errors.ts';
import { readText } from '../io/host/files.ts';
import { reasonOf } from '../io/host/reason.ts';
import { valuesInEnvironment } from '../io/options/environment.ts';
import { helpText } from '../io/options/help-text.ts';
import type { Translate } from '../io/options/option-file.ts';
import {
  type OptionRow,
  type ParsedOptions,
  parseOptions,
  peekFlag,
} from '../io/options/options.ts';

export interface Command {
  readonly name: string;
  readonly about: string;
  /** Operands after the options, and their maximum number. Default: none. */
  readonly operands?: string;
  readonly operandsMax?: number;
  readonly examples: readonly { readonly does: string; readonly line: string }[];
  readonly rows: readonly OptionRow[];
  /** Rows of the service whose configuration file the command accepts too. */
  readonly fileRows?: readonly OptionRow[];
  /** Prefixes of environment variables that set its options, the strongest last. */
  readonly variables?: readonly string[];
  /** Translates configuration files that were written for another program. */
  readonly translate?: Translate;
  /**
   * For a command whose arguments, environment or configuration file follow another program's
   * rules.
   */
  readonly parse?: (
    argv: readonly string[],
    env: Readonly<Record<string, string | undefined>>,
  ) => ParsedOptions;
  /** Resolves with the exit status, or never while the command serves. */
  run(options: ParsedOptions): Promise<number>;
}

export function helpOf(command: Command, isWhole: boolean): string {
  return helpText({
    isWhole,
    command: `quorate ${command.name}`,
    about: command.about,
    examples: command.examples,
    rows: command.rows,
    variables: command.variables ?? [],
    ...(command.operands ? { operands: command.operands } : {}),
  });
}

/** Flags override the environment, which overrides the file of --config. Throws OPTION_…. */
export function parseFor(command: Command, argv: readonly string[]): ParsedOptions {
  if (command.parse) return command.parse(argv, process.env);
  const name = configName(command, argv);
  const others = command.fileRows ?? [];
  const { translate } = command;
  const file = name === undefined ? undefined : { name, text: readConfig(name), others, translate };
  const prefixes = command.variables ?? [];
  return parseOptions(command.rows, {
    ...{ argv, env: process.env, prefixes },
    ...(file ? { file } : {}),
  });
}

/** Name of the file of --config, which is read before the other options. */
function configName({ rows, variables = [] }: Command, argv: readonly string[]) {
  const row = rows.find(({ flag }) => flag === 'config');
  if (row === undefined) return undefined;
  const inEnvironment = valuesInEnvironment([row], process.env, variables).at(-1);
  return peekFlag(argv, 'config') ?? inEnvironment?.text;
}

function readConfig(name: string): string {
  try {
    return readText(name);
  } catch (cause) {
    throw fail('OPTION_FILE_INVALID', `the configuration file: ${reasonOf(cause)}`, { cause });
  }
}

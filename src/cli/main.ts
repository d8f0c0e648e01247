#!/usr/bin/env node
/** `quorate <command>`: finds the command, parses its flags, runs it, and turns errors into text and exit status. */
import { nearest } from '../io/host/edit-distance.ts';
import { isUsageError, USAGE_EXIT_CODE } from '../io/host/options.ts';
import { endWithParent } from '../services/devnet/processes.ts';
import { helpOf, parseFor } from './command.ts';
import { COMMANDS, commandOf } from './commands.ts';

async function main(argv: readonly string[]): Promise<number> {
  const [name] = argv;
  if (name === undefined || name === 'help' || name === '--help' || name === '-h') {
    console.log(overview());
    return name === undefined ? USAGE_EXIT_CODE : 0;
  }
  const found = commandOf(name === '--version' ? ['version'] : argv);
  if (!found) {
    const guess = nearest(
      name,
      COMMANDS.map((each) => each.name),
    );
    console.error(
      `quorate: unknown command "${name}"${guess ? `. Did you mean "${guess}"?` : ''}\nRun "quorate help" for the commands.`,
    );
    return USAGE_EXIT_CODE;
  }
  const { command, rest } = found;
  if (rest.includes('--help') || rest.includes('-h')) {
    console.log(helpOf(command));
    return 0;
  }
  return command.run(parseFor(command, rest));
}

function overview(): string {
  const width = Math.max(...COMMANDS.map(({ name }) => name.length));
  return [
    'Quorate: a permissioned Ethereum ledger with private transactions.',
    '',
    'Usage:',
    '  quorate <command> [options]',
    '',
    'Commands:',
    ...COMMANDS.map(({ name, about }) => `  ${name.padEnd(width)}  ${about}`),
    '',
    'Examples:',
    '  quorate devnet                 # a network to try things on',
    '  quorate node --help            # the flags of a node',
  ].join('\n');
}

endWithParent();
main(process.argv.slice(2)).then(
  (code) => {
    process.exitCode = code;
  },
  (error: unknown) => {
    const { message, code } = error as Error & { code?: string };
    console.error(`Fatal: ${message}`);
    if (code === 'INVARIANT_BROKEN' || code === undefined) console.error((error as Error).stack);
    process.exit(isUsageError(error) ? USAGE_EXIT_CODE : 1);
  },
);

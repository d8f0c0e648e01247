/** The process of `quorate`: runs one command, and sets the exit status. */
import { endWithParent } from '../services/devnet/child.ts';
import { faultText } from './fault.ts';
import { asQuorate } from './geth.ts';
import { incompleteInstallation } from './incomplete-installation.ts';
import { runCommand } from './run.ts';

/** Errors that no part of a command handled. */
function onStray(error: unknown): never {
  console.error(`Fatal: ${faultText(error, undefined)}`);
  process.exit(1);
}

/** The reader has closed the pipe, for example in `quorate export ... | head`. */
export function onClosedPipe(error: NodeJS.ErrnoException): void {
  if (error.code !== 'EPIPE') onStray(error);
  process.exit(0);
}

/** While a command serves, this does not resolve. */
export async function runProcess(): Promise<void> {
  endWithParent(process.env);
  process.on('uncaughtException', onStray);
  process.stdout.on('error', onClosedPipe);
  try {
    const argv = await asQuorate(process.argv[1] ?? '', process.argv.slice(2));
    const { status, isFault } = await runCommand(argv);
    if (isFault) process.exit(status);
    process.exitCode = status;
  } catch (error) {
    // The error may be that a package which the command needs failed to load.
    onStray(incompleteInstallation(error) ?? error);
  }
}

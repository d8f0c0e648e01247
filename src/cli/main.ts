#!/usr/bin/env node
/** The process of `quorate`: one command, and the end of it. */
import { endWithParent } from '../services/devnet/child.ts';
import { faultText } from './fault.ts';
import { incompleteInstallation } from './incomplete-installation.ts';

/** Errors that no part of a command handled. */
function onStray(error: unknown): never {
  console.error(`Fatal: ${faultText(error, undefined)}`);
  process.exit(1);
}

/** For example `quorate export ... | head`: the reader has closed the pipe. */
function onClosedPipe(error: NodeJS.ErrnoException): void {
  if (error.code !== 'EPIPE') onStray(error);
  process.exit(0);
}

endWithParent(process.env);
process.on('uncaughtException', onStray);
process.stdout.on('error', onClosedPipe);
// Loaded here, so that a package that fails to load is also explained.
const [{ runCommand }, { asQuorate }] = await Promise.all([
  import('./run.ts'),
  import('./geth.ts'),
]).catch((error: unknown) => onStray(incompleteInstallation(error) ?? error));
const argv = asQuorate(process.argv[1] ?? '', process.argv.slice(2));
void runCommand(argv).then(({ status, isFault }) => {
  if (isFault) process.exit(status);
  process.exitCode = status;
});

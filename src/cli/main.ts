#!/usr/bin/env node
/** The process of `quorate`: one command, and the end of it. */
import { endWithParent } from '../services/devnet/child.ts';
import { faultText } from './fault.ts';
import { incompleteInstallation } from './incomplete-installation.ts';

/** What no part of a command has dealt with. */
function onStray(error: unknown): never {
  console.error(`Fatal: ${faultText(error, undefined)}`);
  process.exit(1);
}

/** As of `quorate export ... | head`: whoever reads has seen enough. */
function onClosedPipe(error: NodeJS.ErrnoException): void {
  if (error.code !== 'EPIPE') onStray(error);
  process.exit(0);
}

endWithParent(process.env);
process.on('uncaughtException', onStray);
process.stdout.on('error', onClosedPipe);
// Loaded here, so that a package that cannot be loaded is explained too.
const [{ runCommand }, { asQuorate }] = await Promise.all([
  import('./run.ts'),
  import('./geth.ts'),
]).catch((error: unknown) => onStray(incompleteInstallation(error) ?? error));
const argv = asQuorate(process.argv[1] ?? '', process.argv.slice(2));
void runCommand(argv).then(({ status, isFault }) => {
  if (isFault) process.exit(status);
  process.exitCode = status;
});

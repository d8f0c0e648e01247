#!/usr/bin/env node
/** The process of `quorate`: one command, and the end of it. */
import { endWithParent } from '../services/devnet/child.ts';
import { faultText } from './fault.ts';
import { runCommand } from './run.ts';

/** What no part of a command has dealt with. */
function onStray(error: unknown): void {
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
void runCommand(process.argv.slice(2)).then(({ status, isFault }) => {
  if (isFault) process.exit(status);
  process.exitCode = status;
});

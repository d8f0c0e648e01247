#!/usr/bin/env node
/** The program `quorate`. To print its version, it loads nothing else. */
import { isCalledGeth } from './geth.ts';

const { argv } = process;
if (argv.length === 3 && argv[2] === '--version' && !isCalledGeth(argv[1]!)) void version();
else void (await import('./process.ts')).runProcess();

async function version(): Promise<void> {
  process.stdout.once('error', async (error) => (await import('./process.ts')).onClosedPipe(error));
  const { versionText } = await import('./version.ts');
  console.log(versionText());
}

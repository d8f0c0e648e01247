/** What each program and thread of the bundle begins with; it is bundled alone. */
import { fileURLToPath } from 'node:url';
import { Chunks } from './chunks.ts';
import { CodeFolder, codeFolders } from './code-folder.ts';

/** Then most code that a start needs has run, and the start is over. */
const KEEP_AFTER_MS = 10_000;

const BUNDLE = new URL('../../', import.meta.url);

/** Runs the chunk of a program or a thread. Resolves when it has loaded. */
export async function run(name: string, environment: NodeJS.ProcessEnv): Promise<void> {
  const beside = fileURLToPath(new URL('../compiled', BUNDLE));
  const chunks = new Chunks(BUNDLE, new CodeFolder(codeFolders(beside, environment)));
  setTimeout(() => chunks.keep(), KEEP_AFTER_MS).unref();
  await chunks.load(name);
}

/**
 * Reads an index completely in a separate process: damaged pages may crash the process that maps
 * them.
 */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { builtModule } from '../threads/module-file.ts';

const PROBE = fileURLToPath(builtModule(new URL('./index-probe.js', import.meta.url)));

/** Messages from the process that reads the index. */
export type ProbeMessage =
  | { readonly fault: string }
  | { readonly rows: number; readonly of: number };

/** The fault of the index in the folder `index`; undefined: every row matches its checksum. */
export async function probeIndex(
  index: string,
  tables: readonly string[],
  progress: (rows: number, ofRows: number) => void = () => {},
): Promise<string | undefined> {
  const child = fork(PROBE, [index, ...tables], {
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    execArgv: [],
  });
  let fault: string | undefined;
  child.on('message', (message: ProbeMessage) => {
    if ('fault' in message) fault = message.fault;
    else progress(message.rows, message.of);
  });
  const [code, signal] = (await once(child, 'exit')) as [number | null, string | null];
  if (code === 0) return undefined;
  return fault ?? `index/data.mdb: reading it through ended with ${signal ?? `status ${code}`}`;
}

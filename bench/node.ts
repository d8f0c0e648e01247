/** Single nodes as processes, for benches that need no network. */
import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import { OURS } from './network.ts';

export interface NodeProcess {
  readonly pid: number;
  readonly url: string;
  stop(): Promise<void>;
}

/**
 * Starts `quorate node` on loopback, without waiting for its answers. Its log is FOLDER/node.log.
 */
export function startNode(
  folder: string,
  ports: { rpc: number; p2p: number },
  args: readonly string[],
): NodeProcess {
  const log = openSync(`${folder}/node.log`, 'a');
  const flags = [
    '--http',
    '--http.port',
    String(ports.rpc),
    '--port',
    String(ports.p2p),
    '--nodiscover',
    '--ipcdisable',
  ];
  const child: ChildProcess = spawn(
    process.execPath,
    [OURS, 'node', '--datadir', folder, ...flags, ...args],
    { stdio: ['ignore', log, log] },
  );
  closeSync(log);
  return {
    pid: child.pid!,
    url: `http://127.0.0.1:${ports.rpc}`,
    stop: () =>
      new Promise((resolve) => {
        if (child.exitCode !== null) resolve();
        child.once('exit', () => resolve());
        child.kill('SIGTERM');
      }),
  };
}

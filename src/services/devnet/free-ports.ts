/** Refuses ports that somebody listens on: his answers would be taken for those of the network that starts. */
import { createServer } from 'node:net';
import { fail } from '../../core/base/errors.ts';
import type { Topology } from './topology.ts';

/** Throws DEVNET_PORT_TAKEN. */
export async function checkPorts({
  nodes,
  consensus,
  signerPort,
  stakingPort,
}: Topology): Promise<void> {
  const ports = nodes.flatMap(({ ports: { raft, ...always } }) => [
    ...Object.values(always),
    ...(consensus === 'raft' ? [raft] : []),
  ]);
  for (const port of [...ports, signerPort, stakingPort]) {
    if (await isFree(port)) continue;
    throw fail(
      'DEVNET_PORT_TAKEN',
      `port ${port} is in use, by another network perhaps: stop it (quorate devnet stop, in its folder), or choose other ports (--ports-from 24000)`,
    );
  }
}

export function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(false));
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
  });
}

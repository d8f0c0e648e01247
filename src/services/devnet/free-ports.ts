/** The ports of a devnet by purpose, and which of them other programs use. */
import { createServer } from 'node:net';
import { fail } from '../../core/base/errors.ts';
import { holderOf } from '../../io/host/port-holder.ts';
import { RAMP_NAME, SIGNER_NAME, STAKING_NAME, type Topology } from './topology.ts';

export interface NamedPort {
  readonly port: number;
  /** The process of the devnet that listens there, and for what. */
  readonly owner: string;
  readonly use: string;
}

export function portsOf(topology: Topology): NamedPort[] {
  const { metricsPorts } = topology;
  const named = (owner: string, use: string, port: number) => ({ owner, use, port });
  return [
    ...topology.nodes.map(({ hostName, ports }) => named(hostName, 'JSON-RPC', ports.rpc)),
    ...topology.hosts.flatMap(({ name, ptmName, ports }) => [
      named(name, 'peers', ports.p2p),
      named(name, 'metrics', ports.metrics),
      ...(topology.consensus === 'raft' ? [named(name, 'Raft', ports.raft)] : []),
      named(ptmName, 'the node', ports.ptmQ2t),
      named(ptmName, 'third parties', ports.ptmThirdParty),
      named(ptmName, 'peers', ports.ptmP2p),
    ]),
    named(SIGNER_NAME, 'JSON-RPC', topology.signerPort),
    named(STAKING_NAME, 'its API', topology.stakingPort),
    named(RAMP_NAME, 'its API', topology.rampPort),
    named(SIGNER_NAME, 'metrics', metricsPorts.signer),
    named(STAKING_NAME, 'metrics', metricsPorts.staking),
    named(RAMP_NAME, 'metrics', metricsPorts.ramp),
  ];
}

/**
 * Without this check, answers of other programs would be mistaken for the network's. Throws
 * DEVNET_PORT_TAKEN, naming the process that has a port.
 */
export async function checkPorts(ports: readonly NamedPort[]): Promise<void> {
  const isFreeAt = await Promise.all(ports.map(({ port }) => isFree(port)));
  const taken = ports.filter((_, index) => !isFreeAt[index]);
  if (taken.length === 0) return;
  throw fail(
    'DEVNET_PORT_TAKEN',
    [
      ...taken.map(takenText),
      'Stop the programs that use them (a network: quorate devnet stop --folder ITS_FOLDER), or choose others: --ports-from 24000.',
    ].join('\n'),
  );
}

/** Sentences about the processes that have the ports; empty when the system does not tell. */
export function holdersOf(ports: readonly NamedPort[]): string[] {
  return ports.filter(({ port }) => holderOf(port) !== undefined).map(takenText);
}

function takenText({ port, owner, use }: NamedPort): string {
  const holder = holderOf(port);
  const who = holder ? `, by process ${holder.pid}: ${holder.command.slice(0, 120)}` : '';
  return `port ${port} (of ${owner}, for ${use}) is in use${who}`;
}

export function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(false));
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
  });
}

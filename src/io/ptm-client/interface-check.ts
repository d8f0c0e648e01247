/**
 * A manager has several servers, and each of them answers a handshake: checks that this one is for
 * nodes (Tessera's app Q2T).
 */
import { fail } from '../../core/base/errors.ts';
import type { ManagerConfig } from './config.ts';
import { Transport } from './transport.ts';

/** Paths and members that only another server answers, and the name of that server. */
const OTHER_SERVERS = [
  ['/keys', 'keys', 'third-party'],
  ['/partyinfo', 'peers', 'P2P'],
] as const;

/** Throws PTM_UNSUPPORTED, which names the server that answers. */
export async function checkInterface(config: ManagerConfig): Promise<void> {
  if (config.connection === 'none') return;
  const transport = new Transport(config);
  try {
    for (const [path, member, name] of OTHER_SERVERS) {
      if (!(await hasMember(transport, path, member))) continue;
      throw fail(
        'PTM_UNSUPPORTED',
        `this is the ${name} server of the private transaction manager: --ptm.url is that of its server for nodes, app "Q2T" in serverConfigs`,
      );
    }
  } finally {
    transport.close();
  }
}

async function hasMember(transport: Transport, path: string, member: string): Promise<boolean> {
  try {
    const { status, body } = await transport.plain(path);
    const value: unknown = status === 200 && JSON.parse(Buffer.from(body).toString('utf8'));
    return typeof value === 'object' && value !== null && member in value;
  } catch {
    return false;
  }
}

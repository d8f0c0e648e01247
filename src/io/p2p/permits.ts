/**
 * `--permissioned`: who may connect, and who must be disconnected. Two lists in the data folder
 * decide, or the contracts of the network once they are active. Operators edit the lists while the
 * node runs (GoQuorum permission/core/permissions.go).
 */
import { statSync } from 'node:fs';
import { isIP } from 'node:net';
import { join } from 'node:path';
import type { Log } from '../../core/base/ports.ts';
import { mayConnect, type NodePermits } from '../../core/permission/connections.ts';
import { readNodeIds } from './node-files.ts';
import type { Candidate } from './server-options.ts';

export const ALLOWED = 'permissioned-nodes.json';
export const DISALLOWED = 'disallowed-nodes.json';
/** The files are not checked again sooner; a new connection does not wait for it. */
const LOOK_MS = 1_000;

/** undefined: a list cannot be read, and nobody is admitted. */
type Listed = ReadonlySet<string> | undefined;

export class Permits {
  private readonly folder: string;
  private readonly log: Log;
  private listed: Listed;
  private stamp = '';
  private lookedMs = 0;
  private contract: NodePermits | undefined;
  /** Since the last call of `revoked`. */
  private isChanged = false;

  constructor(dataDirectory: string, log: Log) {
    this.folder = dataDirectory;
    this.log = log;
  }

  /** The contracts' decisions from now on; undefined: only the lists count. */
  set(contract: NodePermits | undefined): void {
    this.contract = contract;
    this.isChanged = true;
  }

  /** Asked for every connection, in both directions. */
  mayConnect(peer: Candidate): boolean {
    this.look();
    return this.allows(peer) ?? false;
  }

  /**
   * Called now and then: which of the connected peers must be disconnected; undefined: none, as
   * before. A list that cannot be read, as in the middle of an edit, disconnects nobody.
   */
  revoked(): ((peer: Candidate) => boolean) | undefined {
    const nowMs = Date.now();
    if (nowMs - this.lookedMs >= LOOK_MS) {
      this.lookedMs = nowMs;
      this.look();
    }
    const { isChanged } = this;
    this.isChanged = false;
    return isChanged ? (peer) => this.allows(peer) === false : undefined;
  }

  /** undefined: unknown. */
  private allows(peer: Candidate): boolean | undefined {
    const { contract, listed } = this;
    if (!contract) return listed?.has(peer.id);
    const caller = { id: peer.id, address: addressIn(peer.enode) };
    return mayConnect(contract, caller, () => listed?.has(peer.id) ?? false);
  }

  /** Reads the lists if they have changed on disk. */
  private look(): void {
    const stamp = [ALLOWED, DISALLOWED].map((name) => stampOf(join(this.folder, name))).join(' ');
    if (stamp === this.stamp) return;
    this.stamp = stamp;
    this.listed = this.read();
    this.isChanged = true;
  }

  private read(): Listed {
    try {
      const refuse = (file: string) => (url: string, error: string) =>
        this.log('error', 'Node URL is not valid', { file, url, error });
      const allowed = readNodeIds(join(this.folder, ALLOWED), refuse(ALLOWED));
      if (!allowed) {
        this.log('error', `There is no ${ALLOWED}: --permissioned admits nobody without it`, {
          folder: this.folder,
        });
        return undefined;
      }
      const disallowed = readNodeIds(join(this.folder, DISALLOWED), refuse(DISALLOWED));
      for (const id of disallowed ?? []) allowed.delete(id);
      return allowed;
    } catch (error) {
      this.log('error', 'Failed to read the permissioned nodes', { error });
      return undefined;
    }
  }
}

/** Another one after every change of the file. */
function stampOf(file: string): string {
  try {
    const stat = statSync(file, { bigint: true, throwIfNoEntry: false });
    return stat ? `${stat.ino}/${stat.size}/${stat.mtimeNs}/${stat.ctimeNs}` : 'none';
  } catch {
    return 'closed';
  }
}

function addressIn(enode: string): string | undefined {
  const host = /@\[?([^\]]*?)\]?:\d+(\?|$)/.exec(enode)?.[1] ?? '';
  return isIP(host) === 0 ? undefined : host;
}

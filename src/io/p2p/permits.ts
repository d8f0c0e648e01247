/**
 * `--permissioned`: which nodes may connect, and which must be disconnected. That is decided by two
 * lists in the data folder, or by the network's contracts once they are active. Operators edit the
 * lists while the node runs (GoQuorum permission/core/permissions.go).
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
/** Interval at which `revoked` checks the files; a new connection checks them at once. */
const LOOK_MS = 1_000;

/** undefined: a list cannot be read, and no node is admitted. */
type Listed = ReadonlySet<string> | undefined;

export class Permits {
  private readonly folder: string;
  private readonly log: Log;
  private listed: Listed;
  private stamp = '';
  private lookedMs = 0;
  private contract: NodePermits | undefined;
  /** Whether the contracts' decisions have changed since the last call of `revoked`. */
  private isChanged = false;

  constructor(dataDirectory: string, log: Log) {
    this.folder = dataDirectory;
    this.log = log;
  }

  /** Sets the contracts' decisions; undefined: only the lists count. */
  set(contract: NodePermits | undefined): void {
    this.contract = contract;
    this.isChanged = true;
  }

  /** Called for every connection, in both directions. */
  mayConnect(peer: Candidate): boolean {
    this.look();
    return this.allows(peer) ?? false;
  }

  /**
   * Called periodically: which of the connected peers must be disconnected; undefined: nothing has
   * changed. A list that cannot be read, as in the middle of an edit, disconnects no peer.
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

  /** undefined: not known. */
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

/** A text that differs after every change of the file. */
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

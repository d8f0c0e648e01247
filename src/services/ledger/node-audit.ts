/**
 * The audit log of a node: who called which method that controls the node or the network, from
 * where, and the outcome, without parameters and results.
 */
import type { Clock, Log } from '../../core/base/ports.ts';
import { AuditLog } from '../../io/audit/audit-log.ts';
import type { CallAudit, EndRecord } from '../../io/rpc/call-audit.ts';
import type { Caller } from '../../io/rpc/dispatcher.ts';

const NAMESPACES: ReadonlySet<string> = new Set([
  ...['admin', 'personal', 'miner', 'plugin@account'],
  ...['quorumPermission', 'ledgerPermission', 'quorumExtension', 'ledgerExtension'],
]);
const METHODS: ReadonlySet<string> = new Set([
  ...['istanbul_propose', 'istanbul_discard'],
  ...['raft_addPeer', 'raft_addLearner', 'raft_promoteToPeer', 'raft_removePeer'],
]);
/** Maximum number of logged denials per second: callers without rights must not fill the disk. */
const DENIALS_A_SECOND = 10;

export interface NodeAuditParts {
  readonly path: string;
  /** Unix time. */
  readonly calendar: Clock;
  readonly log: Log;
}

export class NodeAudit implements CallAudit {
  private readonly audit: AuditLog;
  private readonly calendar: Clock;
  private denials = { second: 0, count: 0 };
  private omitted = 0;

  private constructor(audit: AuditLog, calendar: Clock) {
    this.audit = audit;
    this.calendar = calendar;
  }

  /** Throws AUDIT_BROKEN, AUDIT_FAILED, STORAGE_FORMAT_NEWER. */
  static async open({ path, calendar, log }: NodeAuditParts): Promise<NodeAudit> {
    return new NodeAudit(await AuditLog.open(path, calendar, log), calendar);
  }

  covers(method: string): boolean {
    return METHODS.has(method) || NAMESPACES.has(method.slice(0, method.indexOf('_')));
  }

  async begin(method: string, caller: Caller): Promise<EndRecord> {
    // This also works after the file was moved away, and after its disk failed.
    await this.audit.reopen();
    const call = await this.audit.event('call', { method, ...who(caller) });
    return async (outcome) => void (await this.audit.event('result', { call, method, outcome }));
  }

  async denied(method: string, caller: Caller): Promise<void> {
    const second = Math.floor(this.calendar.nowMs() / 1000);
    if (second !== this.denials.second) this.denials = { second, count: 0 };
    if (++this.denials.count > DENIALS_A_SECOND) {
      this.omitted++;
      return;
    }
    const omitted = this.omitted > 0 ? { omitted: this.omitted } : {};
    this.omitted = 0;
    await this.audit.event('denied', { method, ...who(caller), ...omitted });
  }

  close(): Promise<void> {
    return this.audit.close();
  }
}

function who({ access, transport, remote, psi }: Caller) {
  const subject = access.kind === 'token' ? access.token.subject : undefined;
  return {
    caller: access.kind === 'token' ? clip(subject ?? 'a token without a subject') : access.kind,
    ...{ transport, from: remote },
    ...(psi === undefined ? {} : { psi: clip(psi) }),
  };
}

const TEXT_CHARACTERS_MAX = 256;

function clip(text: string): string {
  return text.length <= TEXT_CHARACTERS_MAX ? text : `${text.slice(0, TEXT_CHARACTERS_MAX)}...`;
}

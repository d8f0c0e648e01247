/**
 * The guard that the options configure: open by default, otherwise with tokens, certificates,
 * policy and audit log.
 */

import { readFile } from 'node:fs/promises';
import { fail } from '../../../core/base/errors.ts';
import type { Clock, Log, Metrics } from '../../../core/base/ports.ts';
import { refuse } from '../../../core/signing/failures.ts';
import type { Guard, Identity, Intent, Refusal } from '../../../core/signing/guard.ts';
import { AuditLog } from '../../../io/audit/audit-log.ts';
import { BearerClaims } from '../../../io/auth/bearer-claims.ts';
import { reasonOf } from '../../../io/host/reason.ts';
import { systemTimers } from '../../../io/host/timers.ts';
import type { GuardSettings } from '../config.ts';
import { signedSince } from './audit-history.ts';
import {
  ANY_ACCOUNT,
  callerOf,
  isLoopback,
  isRefused,
  refusal,
  UNAUTHORIZED_CODE,
} from './callers.ts';
import { NodeKeyUses } from './node-key-uses.ts';
import { type Policy, parsePolicy } from './policy.ts';
import { Rules } from './rules.ts';

const POLICY_BYTES_MAX = 4 * 1024 * 1024;
/** EIP-1474's code for "limit exceeded". */
const RATE_CODE = -32_005;

export interface GuardDeps {
  /** Monotonic clock, by which rates are counted. */
  readonly clock: Clock;
  readonly calendar: Clock;
  readonly log: Log;
  readonly metrics?: Metrics | undefined;
}

export interface RunningGuard extends Guard {
  /**
   * Reloads the policy and reopens the audit log at its path. On an error it rejects, and the old
   * policy stays.
   */
  reload(): Promise<void>;
  /** Why nothing can be signed at present; undefined: signing works. */
  health(): string | undefined;
  close(): Promise<void>;
}

interface Loaded {
  readonly policy: Policy;
  readonly rules: Rules;
}

/** Throws SIGNER_POLICY_INVALID, AUDIT_…, TOKEN_KEYS_INVALID. */
export async function openGuard(settings: GuardSettings, deps: GuardDeps): Promise<RunningGuard> {
  const { policyFile, tokens, auditLog } = settings;
  const policy = policyFile === undefined ? undefined : await readPolicy(policyFile);
  const bearer = tokens && new BearerClaims(tokens, deps.calendar, deps.log);
  const asked = policy?.callers?.find(({ token }) => token !== undefined);
  if (asked && !bearer)
    throw fail(
      'SIGNER_POLICY_INVALID',
      `${policyFile}: caller "${asked.name}" requires a token, but tokens are not checked: give --jwt-keys or --jwt-secret-file`,
    );
  const rules = policy && new Rules(policy);
  if (rules && auditLog !== undefined && rules.longestMs > 0)
    rules.restore(signedSince(auditLog, deps.clock.nowMs() - rules.longestMs));
  const audit =
    auditLog === undefined ? undefined : await AuditLog.open(auditLog, deps.calendar, deps.log);
  const loaded = policy && rules && { policy, rules };
  return new RealGuard({ settings, deps, bearer, audit }, loaded);
}

async function readPolicy(path: string): Promise<Policy> {
  let bytes: Buffer;
  try {
    bytes = await readFile(path);
  } catch (cause) {
    throw fail('SIGNER_POLICY_INVALID', `cannot read the policy ${path}: ${reasonOf(cause)}`, {
      cause,
    });
  }
  if (bytes.length > POLICY_BYTES_MAX)
    throw fail('SIGNER_POLICY_INVALID', `${path} is larger than ${POLICY_BYTES_MAX} bytes`);
  return parsePolicy(path, bytes.toString('utf8'));
}

interface GuardParts {
  readonly settings: GuardSettings;
  readonly deps: GuardDeps;
  readonly bearer: BearerClaims | undefined;
  readonly audit: AuditLog | undefined;
}

class RealGuard implements RunningGuard {
  private readonly parts: GuardParts;
  private readonly uses: NodeKeyUses | undefined;
  private loaded: Loaded | undefined;

  constructor(parts: GuardParts, loaded: Loaded | undefined) {
    this.parts = parts;
    this.loaded = loaded;
    const { audit, deps } = parts;
    const write = audit && ((fields: object) => audit.event('nodekey', { ...fields }));
    this.uses = write && new NodeKeyUses({ timers: systemTimers, log: deps.log, write });
  }

  async identify(shown: {
    readonly authorization: string | undefined;
    readonly certificate: string | undefined;
    readonly remote: string;
  }): Promise<Identity | Refusal> {
    const { certificate, remote, authorization } = shown;
    const verdict = await this.parts.bearer?.check(authorization);
    if (verdict?.kind === 'refused') {
      this.parts.deps.metrics?.count('signer_unauthorized_total');
      return refusal('unauthenticated', verdict.why);
    }
    const claims = verdict?.claims;
    const caller = callerOf({ certificate, claims, remote }, this.loaded?.policy.callers);
    if (isRefused(caller)) {
      this.parts.deps.metrics?.count('signer_unauthorized_total');
      return caller;
    }
    const { name, mayCall, accounts } = caller;
    const { calendar } = this.parts.deps;
    // A connection may last longer than its token is valid.
    const untilMs = verdict?.untilMs ?? Number.POSITIVE_INFINITY;
    const isValid = (): boolean => calendar.nowMs() < untilMs;
    return {
      name,
      mayCall: (method) => isValid() && mayCall(method),
      mayUse: (account) =>
        isValid() &&
        (!accounts || accounts.has(ANY_ACCOUNT) || accounts.has(account)) &&
        (!this.loaded || this.loaded.rules.mayUse(name, account)),
      mayUseNodeKey: (address, method) =>
        isValid() &&
        (claims !== undefined || certificate !== undefined || isLoopback(remote)) &&
        (!accounts || accounts.has(address)) &&
        (!this.loaded || this.loaded.rules.mayUseNodeKey(name, address, method)),
    };
  }

  check(identity: Identity, intent: Intent): Refusal | undefined {
    const { clock, metrics } = this.parts.deps;
    const found = this.loaded?.rules.refusal(identity.name, intent, clock.nowMs());
    if (!found) return undefined;
    metrics?.count(`signer_refusals_total{reason="${found.kind}"}`);
    if (found.kind === 'rate')
      return { kind: 'refused', code: RATE_CODE, message: `Limit exceeded: ${found.why}` };
    return { kind: 'refused', code: UNAUTHORIZED_CODE, message: `Refused by policy: ${found.why}` };
  }

  record(identity: Identity, intent: Intent, outcome: string): void | Promise<void> {
    return this.parts.audit?.append({ caller: identity.name, intent, outcome });
  }

  usedNodeKey(identity: Identity, address: string, method: string): void {
    if (this.parts.audit?.isBroken)
      throw refuse('SIGNER_UNAVAILABLE', 'the audit log cannot be written');
    this.uses?.count(identity.name, address, method);
  }

  async reload(): Promise<void> {
    const { settings, audit } = this.parts;
    await audit?.reopen();
    if (settings.policyFile === undefined) return;
    const policy = await readPolicy(settings.policyFile);
    this.loaded = { policy, rules: new Rules(policy, this.loaded?.rules) };
    await audit?.event('policy', { rules: policy.rules.length });
  }

  health(): string | undefined {
    return this.parts.audit?.isBroken ? 'the audit log cannot be written' : undefined;
  }

  async close(): Promise<void> {
    this.parts.bearer?.close();
    await this.uses?.flush();
    await this.parts.audit?.close();
  }
}

/** Applies the rules of a policy; refusals name the rule. */
import type { Intent } from '../../../core/signing/guard.ts';
import { matchesMethod } from '../../../core/signing/method-patterns.ts';
import type { Signed } from './audit-history.ts';
import type { Policy, Rate, Rule } from './policy.ts';
import { RateWindow } from './rate-window.ts';

/** A rate of one rule, with a window for each account. */
interface Counted {
  readonly rate: Rate;
  readonly windows: Map<string, RateWindow>;
}

export class Rules {
  private readonly byAccount = new Map<string, Rule[]>();
  private readonly forAll: readonly Rule[];
  private readonly counted: Map<string, Counted>;

  /** Keeps the counts of `before` for rules that still have the same rate. */
  constructor(policy: Policy, before?: Rules) {
    this.forAll = policy.rules.filter(({ accounts }) => accounts === undefined);
    const named = new Set(policy.rules.flatMap(({ accounts }) => [...(accounts ?? [])]));
    for (const account of named) {
      const rules = policy.rules.filter(({ accounts }) => accounts?.has(account) ?? true);
      this.byAccount.set(account, rules);
    }
    this.counted = new Map();
    for (const rule of policy.rules) {
      for (const rate of rule.rates) {
        const windows = before?.counted.get(rateKey(rule, rate))?.windows ?? new Map();
        this.counted.set(rateKey(rule, rate), { rate, windows });
      }
    }
  }

  /** The longest window of all rates; 0: nothing is counted. */
  get longestMs(): number {
    return Math.max(0, ...[...this.counted.values()].map(({ rate }) => rate.windowMs));
  }

  /** Counts signatures made before this process started, oldest first. */
  restore(before: readonly Signed[]): void {
    for (const { caller, account, value, atMs } of before) {
      const rule = this.find(caller, account);
      for (const rate of rule?.rates ?? []) this.windowOf(rule!, rate, account).add(atMs, value);
    }
  }

  mayUse(caller: string, account: string): boolean {
    return this.find(caller, account) !== undefined;
  }

  /** Only a rule that names the key gives it to a node; its limits are for accounts. */
  mayUseNodeKey(caller: string, address: string, method: string): boolean {
    const rules = this.byAccount.get(address)?.filter(({ accounts }) => accounts !== undefined);
    const rule = rules?.find(({ callers }) => callers?.has(caller) ?? true);
    if (!rule) return false;
    return rule.methods?.some((pattern) => matchesMethod(pattern, method)) ?? true;
  }

  /** Why the rules refuse `intent`; undefined: allowed, and counted. */
  refusal(caller: string, intent: Intent, nowMs: number): PolicyRefusal | undefined {
    const rule = this.find(caller, intent.account);
    if (!rule) return { kind: 'policy', why: `no rule lets ${caller} use ${intent.account}` };
    const why = refusedBy(rule, intent);
    if (why !== undefined) return { kind: 'policy', why: `rule "${rule.name}": ${why}` };
    const exceeded = this.count(rule, intent, nowMs);
    return exceeded === undefined
      ? undefined
      : { kind: 'rate', why: `rule "${rule.name}": ${exceeded}` };
  }

  private find(caller: string, account: string): Rule | undefined {
    const rules = this.byAccount.get(account) ?? this.forAll;
    return rules.find(({ callers }) => callers?.has(caller) ?? true);
  }

  private windowOf(rule: Rule, rate: Rate, account: string): RateWindow {
    const { windows } = this.counted.get(rateKey(rule, rate))!;
    const known = windows.get(account);
    if (known) return known;
    const made = new RateWindow(rate.windowMs);
    windows.set(account, made);
    return made;
  }

  private count(rule: Rule, { account, value = 0n }: Intent, nowMs: number): string | undefined {
    const windows: RateWindow[] = [];
    for (const rate of rule.rates) {
      const window = this.windowOf(rule, rate, account);
      const next = window.with(nowMs, value);
      if (next.count > (rate.count ?? Number.MAX_SAFE_INTEGER))
        return `${rate.count ?? 'too many'} signatures in ${rate.window} are used up`;
      if (rate.value !== undefined && next.value > rate.value)
        return `value ${value} is over what is left of ${rate.value} in ${rate.window}`;
      windows.push(window);
    }
    for (const window of windows) window.add(nowMs, value);
    return undefined;
  }
}

export interface PolicyRefusal {
  readonly kind: 'policy' | 'rate';
  readonly why: string;
}

function rateKey(rule: Rule, { windowMs, count, value }: Rate): string {
  return `${rule.name} ${windowMs} ${count} ${value}`;
}

function refusedBy(rule: Rule, intent: Intent): string | undefined {
  const { method, kind } = intent;
  if (rule.methods && !rule.methods.some((pattern) => matchesMethod(pattern, method)))
    return `method ${method} is not among its methods`;
  switch (kind) {
    case 'transaction':
    case 'privateTransaction':
      return transactionRefused(rule, intent);
    case 'message':
      return rule.messages
        ? undefined
        : 'messages are not signed (messages: true would allow them)';
    case 'digest':
      return rule.digests
        ? undefined
        : 'data without a prefix are not signed (digests: true would allow them)';
    case 'typedData':
      return typedDataRefused(rule, intent);
  }
}

function transactionRefused(rule: Rule, intent: Intent): string | undefined {
  const { to, value = 0n, gas = 0n, fee = 0n, selector } = intent;
  if (!rule.transactions) return 'transactions are not signed';
  if (rule.to && !rule.to.has(to ?? 'create'))
    return to === undefined
      ? 'contract creations are not allowed ("create" is not among its recipients)'
      : `to ${to} is not among its recipients`;
  if (rule.selectors && to === undefined && !rule.to?.has('create'))
    return 'contract creations are not allowed ("create" is not among its recipients)';
  if (rule.selectors && to !== undefined && !rule.selectors.has(selector ?? 'none'))
    return `selector ${selector ?? 'none'} is not among its selectors`;
  if (rule.maxValue !== undefined && value > rule.maxValue)
    return `value ${value} is over its maxValue ${rule.maxValue}`;
  if (rule.maxGas !== undefined && gas > rule.maxGas)
    return `gas ${gas} is over its maxGas ${rule.maxGas}`;
  if (rule.maxFee !== undefined && fee > rule.maxFee)
    return `the gas may cost ${fee}, over its maxFee ${rule.maxFee}`;
  return undefined;
}

function typedDataRefused({ typedData }: Rule, intent: Intent): string | undefined {
  const { domainName, primaryType, verifyingContract } = intent;
  const isAllowed = typedData.some(
    (one) =>
      (one.domain === undefined || one.domain === domainName) &&
      (one.contract === undefined || one.contract === verifyingContract) &&
      (one.primaryType === undefined || one.primaryType === primaryType),
  );
  if (isAllowed) return undefined;
  return `typed data "${primaryType}" of domain "${domainName ?? ''}" are not among its typedData`;
}

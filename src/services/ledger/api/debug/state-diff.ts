/**
 * What a transaction changed, in OpenEthereum's notation: `=` unchanged, `+` created, `-` deleted,
 * `*` from and to.
 */
import type { PrestateAccount, PrestateResult } from '../../../../core/evm/tracers/prestate.ts';
import type { Json } from '../../../../io/rpc/method.ts';

const NO_CODE = '0x';

/**
 * Input: the prestateTracer's diff mode, where `post` has only the parts of an account that differ
 * from `pre`.
 */
export function stateDiff({ pre, post }: { pre: PrestateResult; post: PrestateResult }): Json {
  const addresses = [...new Set([...Object.keys(pre), ...Object.keys(post)])].sort();
  return Object.fromEntries(
    addresses.map((address) => [address, accountDiff(pre[address], post[address])]),
  );
}

function accountDiff(before: PrestateAccount | undefined, after: PrestateAccount | undefined) {
  const only = (sign: '+' | '-', account: PrestateAccount) => ({
    balance: { [sign]: account.balance ?? '0x0' },
    code: { [sign]: account.code ?? NO_CODE },
    nonce: { [sign]: hexOf(account.nonce ?? 0) },
    storage: Object.fromEntries(
      Object.entries(account.storage ?? {}).map(([slot, value]) => [slot, { [sign]: value }]),
    ),
  });
  if (!before) return only('+', after!);
  if (!after) return only('-', before);
  return {
    balance: changed(before.balance ?? '0x0', after.balance),
    code: changed(before.code ?? NO_CODE, after.code),
    nonce: changed(hexOf(before.nonce ?? 0), after.nonce && hexOf(after.nonce)),
    storage: storageDiff(before.storage ?? {}, after.storage ?? {}),
  };
}

/** `to` undefined: the value is unchanged. */
function changed(from: string, to: string | undefined | 0): Json {
  return to === undefined || to === 0 || to === from ? '=' : { '*': { from, to } };
}

const ZERO_WORD = `0x${'00'.repeat(32)}`;

/** A slot that is missing on one side was zero there. */
function storageDiff(
  before: Readonly<Record<string, string>>,
  after: Readonly<Record<string, string>>,
): Json {
  const slots = [...new Set([...Object.keys(before), ...Object.keys(after)])].sort();
  return Object.fromEntries(
    slots.map((slot) => [
      slot,
      { '*': { from: before[slot] ?? ZERO_WORD, to: after[slot] ?? ZERO_WORD } },
    ]),
  );
}

function hexOf(nonce: number): string {
  return `0x${nonce.toString(16)}`;
}

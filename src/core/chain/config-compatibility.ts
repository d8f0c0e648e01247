/**
 * Whether a newer genesis file may replace the configuration of a chain that already has blocks
 * (GoQuorum params/config.go).
 */
import { compareBytes } from '../base/bytes.ts';
import { toHex } from '../base/hex.ts';
import type { ChainConfig, Transition } from './chain-config.ts';
import { type Conflict, conflictText } from './config-conflict.ts';
import { forkConflict } from './fork-compatibility.ts';
import { JsonFields } from './json-fields.ts';
import { type ChainHead, pastRulesFault } from './past-rules.ts';

/** Why `next` would change blocks up to `head`, in GoQuorum's words; undefined: it would not. */
export function configFault(
  stored: ChainConfig,
  next: ChainConfig,
  head: ChainHead,
): string | undefined {
  const { number } = head;
  if (number === 0) return undefined;
  if (stored.isMps !== next.isMps) {
    return 'the IsMPS (multiple private states support) flag once configured at block height 0 cannot be changed';
  }
  const conflict =
    codeSizeConflict(stored, next, number) ??
    transitionConflict(stored, next, number) ??
    forkConflict(stored, next, number);
  return conflict ? conflictText(conflict) : pastRulesFault(stored, next, head);
}

function codeSizeConflict(
  stored: ChainConfig,
  next: ChainConfig,
  head: number,
): Conflict | undefined {
  const conflict = (what: string) => ({ what, have: BigInt(head), want: BigInt(head) });
  const before = codeSizesOf(stored);
  const after = codeSizesOf(next);
  if (before.length === 0) return undefined;
  if (after.length === 0) {
    return conflict('genesis file missing max code size information');
  }
  const past = before.filter(({ block }) => block <= head);
  const told = after.filter(({ block }) => block <= head);
  const data = 'maxCodeSizeConfig data incompatible.';
  if (past.length !== told.length) {
    return conflict(`${data} updating maxCodeSize for past`);
  }
  const isEqual = past.every(
    (step, i) => step.block === told[i]!.block && step.kilobytes === told[i]!.kilobytes,
  );
  return isEqual ? undefined : conflict(`${data} maxCodeSize historical data does not match`);
}

/**
 * Only an explicit list: a new file may express as a list what an old one expressed with
 * `maxCodeSize`.
 */
function codeSizesOf(config: ChainConfig): ChainConfig['codeSizes'] {
  return new JsonFields(config.source, 'config').has('maxCodeSizeConfig') ? config.codeSizes : [];
}

type Compared = readonly [name: string, of: (transition: Transition) => unknown];

/**
 * The first ten comparisons are GoQuorum's; it lets the other settings change the past, which would
 * contradict existing blocks.
 */
const COMPARED: readonly Compared[] = [
  ['Algorithm', (t) => t.algorithm],
  ['BlockPeriodSeconds', (t) => t.blockPeriodSeconds],
  ['RequestTimeoutSeconds', (t) => t.requestTimeoutMs],
  ['EpochLength', (t) => t.epoch],
  ['ContractSizeLimit', (t) => t.codeKilobytesMax],
  ['ValidatorContractAddress', (t) => t.validatorContract],
  ['ValidatorSelectionMode', (t) => t.validatorSelectionMode],
  ['Miner GasLimit', (t) => t.minerGasLimit],
  ['2FPlus1Enabled', (t) => t.is2FPlus1],
  ['TransactionSizeLimit', (t) => t.transactionKilobytesMax],
  ['BlockPeriodMilliseconds', (t) => t.blockPeriodMs],
  ['EmptyBlockPeriodSeconds', (t) => t.emptyBlockPeriodSeconds],
  ['MaxRequestTimeoutSeconds', (t) => t.maxRequestTimeoutMs],
  ['Validators', (t) => t.validators?.map(toHex).join()],
  ['BlockReward', (t) => t.blockReward],
  ['BeneficiaryMode', (t) => t.beneficiaryMode],
  ['MiningBeneficiary', (t) => t.miningBeneficiary],
  ['GasPriceEnabled', (t) => t.isGasPriceEnabled],
  ['EnhancedPermissioningEnabled', (t) => t.isEnhancedPermissioning],
  ['PrivacyEnhancementsEnabled', (t) => t.isPrivacyEnhancements],
  ['PrivacyPrecompileEnabled', (t) => t.isPrivacyPrecompile],
];

function transitionConflict(
  stored: ChainConfig,
  next: ChainConfig,
  head: number,
): Conflict | undefined {
  const conflict = (what: string) => ({ what, have: BigInt(head), want: BigInt(head) });
  if (next.transitions.length === 0) {
    if (stored.transitions.length === 0) return undefined;
    return conflict('genesis file missing transitions information');
  }
  const before = stored.transitions.filter(({ block }) => block <= head);
  const after = next.transitions.filter(({ block }) => block <= head);
  if (before.length !== after.length) {
    return conflict('transitions data incompatible. updating transitions for past');
  }
  for (const [i, old] of before.entries()) {
    for (const [name, of] of COMPARED) {
      if (old.block === after[i]!.block && isSame(of(old), of(after[i]!))) continue;
      const what = `transitions.${name} data incompatible. ${name} historical data does not match`;
      return conflict(what);
    }
  }
  return undefined;
}

function isSame(a: unknown, b: unknown): boolean {
  if (a instanceof Uint8Array && b instanceof Uint8Array) return compareBytes(a, b) === 0;
  return a === b;
}

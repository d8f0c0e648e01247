/**
 * Whether a newer genesis file may replace the configuration of a chain that has grown already
 * (GoQuorum params/config.go).
 */
import { compareBytes } from '../base/bytes.ts';
import { toHex } from '../base/hex.ts';
import { type ChainConfig, isForked, type Transition } from './chain-config.ts';
import { JsonFields } from './json-fields.ts';

/** Names of GoQuorum's messages and keys of the files, in its order. */
const FORK_CHECKS: readonly (readonly [what: string, key: string])[] = [
  ['Homestead fork block', 'homesteadBlock'],
  ['DAO fork block', 'daoForkBlock'],
  ['EIP150 fork block', 'eip150Block'],
  ['EIP155 fork block', 'eip155Block'],
  ['EIP158 fork block', 'eip158Block'],
  ['Byzantium fork block', 'byzantiumBlock'],
  ['Constantinople fork block', 'constantinopleBlock'],
  ['Petersburg fork block', 'petersburgBlock'],
  ['Istanbul fork block', 'istanbulBlock'],
  ['Muir Glacier fork block', 'muirGlacierBlock'],
  ['Berlin fork block', 'berlinBlock'],
  ['YOLOv3 fork block', 'yoloV3Block'],
  ['ewasm fork block', 'ewasmBlock'],
  ['Ceil 2N/3 fork block', 'istanbul.ceil2Nby3Block'],
  ['Test QBFT fork block', 'istanbul.testQBFTBlock'],
  ['permissions fork block', 'qip714Block'],
  ['Privacy Enhancements fork block', 'privacyEnhancementsBlock'],
  ['Privacy Precompile fork block', 'privacyPrecompileBlock'],
  ['London fork block', 'quorate.londonBlock'],
  ['Paris fork block', 'quorate.parisBlock'],
  ['Shanghai fork block', 'quorate.shanghaiBlock'],
  ['Cancun fork block', 'quorate.cancunBlock'],
];

/** Why `next` would alter blocks up to `head`, in GoQuorum's words; undefined: it would not. */
export function configFault(
  stored: ChainConfig,
  next: ChainConfig,
  head: number,
): string | undefined {
  if (head === 0) return undefined;
  if (stored.isMps !== next.isMps) {
    return 'the IsMPS (multiple private states support) flag once configured at block height 0 cannot be changed';
  }
  return (
    codeSizeFault(stored, next, head) ??
    transitionFault(stored, next, head) ??
    forkFault(stored, next, head)
  );
}

function codeSizeFault(stored: ChainConfig, next: ChainConfig, head: number): string | undefined {
  const at = BigInt(head);
  const before = codeSizesOf(stored);
  const after = codeSizesOf(next);
  if (before.length === 0) return undefined;
  if (after.length === 0) {
    return mismatch('genesis file missing max code size information', at, at);
  }
  const past = before.filter(({ block }) => block <= head);
  const told = after.filter(({ block }) => block <= head);
  const data = 'maxCodeSizeConfig data incompatible.';
  if (past.length !== told.length) {
    return mismatch(`${data} updating maxCodeSize for past`, at, at);
  }
  const isEqual = past.every(
    (step, i) => step.block === told[i]!.block && step.kilobytes === told[i]!.kilobytes,
  );
  return isEqual
    ? undefined
    : mismatch(`${data} maxCodeSize historical data does not match`, at, at);
}

/** The list alone: what an old file says by `maxCodeSize` may be said anew by the list. */
function codeSizesOf(config: ChainConfig): ChainConfig['codeSizes'] {
  return new JsonFields(config.source, 'config').has('maxCodeSizeConfig') ? config.codeSizes : [];
}

type Compared = readonly [name: string, of: (transition: Transition) => unknown];

/**
 * The first ten as GoQuorum has them; it lets the others change the past, which would belie blocks
 * that exist.
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

function transitionFault(stored: ChainConfig, next: ChainConfig, head: number): string | undefined {
  const at = BigInt(head);
  if (next.transitions.length === 0) {
    if (stored.transitions.length === 0) return undefined;
    return mismatch('genesis file missing transitions information', at, at);
  }
  const before = stored.transitions.filter(({ block }) => block <= head);
  const after = next.transitions.filter(({ block }) => block <= head);
  if (before.length !== after.length) {
    return mismatch('transitions data incompatible. updating transitions for past', at, at);
  }
  for (const [i, old] of before.entries()) {
    for (const [name, of] of COMPARED) {
      if (old.block === after[i]!.block && isSame(of(old), of(after[i]!))) continue;
      const what = `transitions.${name} data incompatible. ${name} historical data does not match`;
      return mismatch(what, at, at);
    }
  }
  return undefined;
}

function forkFault(stored: ChainConfig, next: ChainConfig, head: number): string | undefined {
  for (const [what, key] of FORK_CHECKS) {
    const old = blockOf(stored, key);
    const young = blockOf(next, key);
    if (old === young || (!isForked(old, head) && !isForked(young, head))) continue;
    const fault = mismatch(what, old, young);
    if (fault) return fault;
  }
  return undefined;
}

/** A fork at block 1 or earlier asks for no rewind: GoQuorum lets it pass. */
function mismatch(
  what: string,
  stored: bigint | undefined,
  next: bigint | undefined,
): string | undefined {
  const first = stored === undefined || (next !== undefined && next < stored) ? next : stored;
  const rewindTo = first !== undefined && first > 0n ? first - 1n : 0n;
  if (rewindTo === 0n) return undefined;
  const number = (block: bigint | undefined) => (block === undefined ? '<nil>' : String(block));
  return `mismatching ${what} in database (have ${number(stored)}, want ${number(next)}, rewindto ${rewindTo})`;
}

function blockOf(config: ChainConfig, key: string): bigint | undefined {
  const [outer, inner] = key.split('.');
  const fields = new JsonFields(config.source, 'config');
  if (inner === undefined) return fields.quantity(key);
  return fields.object(outer!)?.quantity(inner);
}

function isSame(a: unknown, b: unknown): boolean {
  if (a instanceof Uint8Array && b instanceof Uint8Array) return compareBytes(a, b) === 0;
  return a === b;
}

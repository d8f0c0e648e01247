/**
 * Compares forks and chain id of a newer genesis file with those that existing blocks were made
 * under (`checkCompatible` of GoQuorum 24.4.1 params/config.go).
 */
import { type ChainConfig, isForked } from './chain-config.ts';
import { type Conflict, rewindTo } from './config-conflict.ts';
import { JsonFields } from './json-fields.ts';

/**
 * Names in GoQuorum's messages and keys of the files, in its order; the last few belong to newer
 * forks.
 */
const FORKS: readonly (readonly [what: string, key: string])[] = [
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

/** The earliest conflict; undefined: blocks up to `head` are unaffected. */
export function forkConflict(
  stored: ChainConfig,
  next: ChainConfig,
  head: number,
): Conflict | undefined {
  let lowest: Conflict | undefined;
  for (let at = BigInt(head); ; ) {
    const conflict = conflictAt(stored, next, Number(at));
    if (!conflict || (lowest && rewindTo(conflict) >= rewindTo(lowest))) return lowest;
    lowest = conflict;
    if (rewindTo(conflict) < at) at = rewindTo(conflict);
  }
}

function conflictAt(stored: ChainConfig, next: ChainConfig, head: number): Conflict | undefined {
  for (const [what, key] of FORKS) {
    const fork = forkConflictOf(what, key, { stored, next, head });
    // A conflict at block 1 or earlier requires no rewind: GoQuorum accepts it.
    if (fork && rewindTo(fork) > 0n) return fork;
    const other = OTHER_CHECKS[key]?.(stored, next, head);
    if (other) return other;
  }
  return undefined;
}

function forkConflictOf(
  what: string,
  key: string,
  { stored, next, head }: { stored: ChainConfig; next: ChainConfig; head: number },
): Conflict | undefined {
  if (key.startsWith('istanbul.') && !(stored.istanbul && next.istanbul)) return undefined;
  const [have, want] = [blockOf(stored, key), blockOf(next, key)];
  if (!isIncompatible(have, want, head)) return undefined;
  // A file may add Petersburg later: without the key it was active together with Constantinople.
  const isImplied =
    key === 'petersburgBlock' &&
    !isIncompatible(blockOf(stored, 'constantinopleBlock'), want, head);
  return isImplied ? undefined : { what, have, want };
}

type Check = (stored: ChainConfig, next: ChainConfig, head: number) => Conflict | undefined;

/** Further checks of GoQuorum after a fork is active, by the key of the fork. */
const OTHER_CHECKS: Readonly<Record<string, Check>> = {
  daoForkBlock(stored, next, head) {
    const [have, want] = [blockOf(stored, 'daoForkBlock'), blockOf(next, 'daoForkBlock')];
    if (!isForked(have, head) || daoSupport(stored) === daoSupport(next)) return undefined;
    const conflict = { what: 'DAO fork support flag', have, want };
    return rewindTo(conflict) > 0n ? conflict : undefined;
  },
  // A chain that already has a chain id must keep it.
  eip155Block(stored, next, head) {
    const [have, want] = [stored.chainId, next.chainId];
    if (have === undefined || have === want) return undefined;
    return isForked(blockOf(stored, 'eip155Block'), head)
      ? { what: 'EIP155 chain ID', have, want }
      : undefined;
  },
  eip158Block(stored, next, head) {
    const [have, want] = [blockOf(stored, 'eip158Block'), blockOf(next, 'eip158Block')];
    if (!isForked(have, head) || stored.chainId === next.chainId) return undefined;
    const conflict = { what: 'EIP158 chain ID', have, want };
    return rewindTo(conflict) > 0n ? conflict : undefined;
  },
};

function isIncompatible(have: bigint | undefined, want: bigint | undefined, head: number): boolean {
  return have !== want && (isForked(have, head) || isForked(want, head));
}

function blockOf(config: ChainConfig, key: string): bigint | undefined {
  const [outer, inner] = key.split('.');
  const fields = new JsonFields(config.source, 'config');
  if (inner === undefined) return fields.quantity(key);
  return fields.object(outer!)?.quantity(inner);
}

function daoSupport(config: ChainConfig): boolean {
  return new JsonFields(config.source, 'config').boolean('daoForkSupport') ?? false;
}

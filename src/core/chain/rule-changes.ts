/**
 * Blocks at which rules change, each with a digest of the change, so that nodes can compare their
 * files. Changes covered by the fork id of the eth handshake are omitted.
 */
import type { Hash32 } from '../base/bytes.ts';
import { toHex } from '../base/hex.ts';
import { keccak256 } from '../base/keccak.ts';
import { isShortPeriod } from './block-times.ts';
import type { ChainConfig, Transition } from './chain-config.ts';

export interface RuleChange {
  readonly block: number;
  readonly digest: Hash32;
  /** Whether GoQuorum lacks this kind of change. */
  readonly isOurs: boolean;
}

/** Forks that GoQuorum lacks. */
const NEWER_FORKS = ['london', 'paris', 'shanghai', 'cancun'] as const;

/** In ascending order, without block 0, which is the genesis. */
export function ruleChanges(config: ChainConfig): RuleChange[] {
  const lines = new Map<number, string[]>();
  const newer = new Set<number>();
  const add = (block: bigint, line: string) => {
    const number = Number(block);
    lines.set(number, [...(lines.get(number) ?? []), line]);
  };
  for (const transition of config.transitions) {
    add(transition.block, textOf(transition));
    if (isShortPeriod(transition)) newer.add(Number(transition.block));
  }
  for (const { block, kilobytes } of config.codeSizes) add(block, `codeSize=${kilobytes}`);
  for (const fork of NEWER_FORKS) {
    const block = config.forkBlocks[fork];
    if (block === undefined) continue;
    add(block, `fork=${fork}`);
    newer.add(Number(block));
  }
  return [...lines]
    .filter(([block]) => block > 0)
    .sort(([a], [b]) => a - b)
    .map(([block, texts]) => ({
      block,
      digest: keccak256(Uint8Array.from(texts.join('\n'), (each) => each.charCodeAt(0))),
      isOurs: newer.has(block),
    }));
}

/** The settings of a transition by name, in ASCII. */
function textOf(transition: Transition): string {
  return Object.entries(transition)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => `${name}=${plain(value)}`)
    .sort()
    .join(';');
}

function plain(value: unknown): string {
  if (value instanceof Uint8Array) return toHex(value);
  return Array.isArray(value) ? value.map(plain).join(',') : String(value);
}

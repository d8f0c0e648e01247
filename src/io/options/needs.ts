/**
 * Flags that need another flag to have an effect: the use of one without it is reported at the
 * start.
 */
import type { Log } from '../../core/base/ports.ts';
import { sayWithoutEffect } from './ignored.ts';
import type { ParsedOptions } from './options.ts';

/** The options that a need depends on. */
export interface NeedWorld {
  readonly options: ParsedOptions;
}

export interface FlagNeed<World extends NeedWorld = NeedWorld> {
  readonly flags: readonly string[];
  isMet(world: World): boolean;
  /** Continues the sentence "they need" or "it needs". */
  readonly what: string;
}

/** Whether any of these switches is on. */
export const on =
  (...flags: string[]) =>
  ({ options }: NeedWorld): boolean =>
    flags.some((flag) => options.boolean(flag));

/** Whether any of these flags was given a value. */
export const given =
  (...flags: string[]) =>
  ({ options }: NeedWorld): boolean =>
    flags.some((flag) => ![undefined, 'default'].includes(options.source(flag)));

export interface InVain {
  readonly flags: readonly string[];
  readonly why: string;
}

/** Flags that were given without effect, and why. */
export function flagsInVain<World extends NeedWorld>(
  world: World,
  needs: readonly FlagNeed<World>[],
): readonly InVain[] {
  return needs.flatMap(({ flags, isMet, what }) => {
    const vain = flags.filter((flag) => given(flag)(world) && !world.options.isOff(flag));
    if (vain.length === 0 || isMet(world)) return [];
    return [{ flags: vain, why: `${vain.length === 1 ? 'it needs' : 'they need'} ${what}` }];
  });
}

export function sayInVain(found: readonly InVain[], log: Log): void {
  for (const { flags, why } of found) {
    const names = flags.map((flag) => `--${flag}`);
    sayWithoutEffect(names, why, log);
  }
}

/** Flags without effect, reported once when a command starts. */
import type { Log } from '../../core/base/ports.ts';
import type { ParsedOptions } from './options.ts';

export function sayIgnored(options: ParsedOptions, log: Log): void {
  for (const [why, flags] of options.ignored()) sayWithoutEffect(flags, why, log);
}

/** `names`: flags with their dashes, or keys of a file. */
export function sayWithoutEffect(names: readonly string[], why: string, log: Log): void {
  log('warn', names.length === 1 ? 'Flag without effect' : 'Flags without effect', {
    flags: names.join(' '),
    why,
  });
}

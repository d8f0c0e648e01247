/** How an EthSigner or Web3Signer is started: read from its command line or its process. */
import { readFileSync, readlinkSync } from 'node:fs';
import { fail } from '../../../core/base/errors.ts';
import { reasonOf } from '../../../io/host/reason.ts';
import type { Variables } from './shell-words.ts';

export type OldProgram = 'ethsigner' | 'web3signer';

export interface OldProxy {
  readonly program: OldProgram;
  /** The arguments after the program's name. */
  readonly argv: readonly string[];
  readonly env: Variables;
  /** Base of relative paths. */
  readonly folder: string;
  /** Where a container's port and address can be reached from outside. */
  readonly published: { readonly host: string; readonly port: number } | undefined;
  readonly isContainer: boolean;
}

const NAME = /(?:^|[/.\s])(ethsigner|web3signer)(?:\.(?:EthSigner|Web3SignerApp))?(?::[^/\s]*)?$/i;

/**
 * `words` begin with the program: by name, by path, or in the form that Java runs it. Throws
 * OPTION_VALUE_INVALID.
 */
export function fromCommandLine(
  words: readonly string[],
  env: Variables,
  folder: string,
): OldProxy {
  const at = words.findIndex((word) => !word.startsWith('-') && NAME.test(word));
  const program = programOf(words[at] ?? '');
  if (at < 0 || !program) {
    throw fail(
      'OPTION_VALUE_INVALID',
      'the command line names neither ethsigner nor web3signer: give it whole, as in "quorate migrate signer -- ethsigner --chain-id=1337 ..."',
    );
  }
  const argv = words.slice(at + 1);
  return { program, argv, env, folder, published: undefined, isContainer: false };
}

/** Reads a running process of this machine (Linux). Throws OPTION_VALUE_INVALID. */
export function fromProcess(pid: number): OldProxy {
  try {
    const list = (name: string) =>
      readFileSync(`/proc/${pid}/${name}`, 'utf8')
        .split('\0')
        .filter((item) => item !== '');
    const env = Object.fromEntries(list('environ').map(pair));
    return fromCommandLine(list('cmdline'), env, readlinkSync(`/proc/${pid}/cwd`));
  } catch (cause) {
    throw fail('OPTION_VALUE_INVALID', `process ${pid} cannot be read: ${reasonOf(cause)}`, {
      cause,
    });
  }
}

export function programOf(word: string): OldProgram | undefined {
  return NAME.exec(word)?.[1]?.toLowerCase() as OldProgram | undefined;
}

/** Splits NAME=VALUE. */
export function pair(text: string): [string, string] {
  const at = text.indexOf('=');
  return at < 0 ? [text, ''] : [text.slice(0, at), text.slice(at + 1)];
}

export function invalidFile(file: string, why: string, cause?: unknown): Error {
  return fail('OPTION_FILE_INVALID', `${file}: ${why}`, { cause, data: { path: file } });
}

/** Reads script files; relative paths are below a given folder. */
import { resolve } from 'node:path';
import { readText } from '../../io/host/files.ts';
import { reasonOf } from '../../io/host/reason.ts';

export interface ScriptFile {
  readonly path: string;
  readonly text: string;
}

/** Throws the reason as an Error. */
export function readScript(folder: string, path: string): ScriptFile {
  const whole = resolve(folder, path);
  try {
    return { path: whole, text: readText(whole) };
  } catch (cause) {
    throw new Error(`Could not read file ${whole}: ${reasonOf(cause)}`, { cause });
  }
}

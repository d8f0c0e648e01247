/** How a systemd unit starts an EthSigner or Web3Signer (systemd.service(5), systemd.exec(5)). */
import { existsSync, readdirSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fail } from '../../../core/base/errors.ts';
import { readText } from '../../../io/host/files.ts';
import { environmentFile } from './environment-file.ts';
import { fromCommandLine, invalidFile, type OldProxy, pair } from './old-proxy.ts';
import { scriptWords, shellWords, unitWords } from './shell-words.ts';

/** Throws FILE_UNREADABLE, OPTION_FILE_INVALID, OPTION_VALUE_INVALID. */
export function fromUnit(file: string): OldProxy {
  const lines = [file, ...dropIns(file)].flatMap((path) =>
    readText(path)
      .replace(/\\\r?\n/g, ' ')
      .split('\n'),
  );
  /** An empty value takes back those before it. */
  const values = (name: string): string[] => {
    const found = lines.flatMap((line) => {
      const match = new RegExp(`^${name}\\s*=\\s*(.*)$`).exec(line.trim());
      return match ? [withSpecifiers(match[1]!, file)] : [];
    });
    return found.slice(found.lastIndexOf('') + 1);
  };
  const start = values('ExecStart').at(-1);
  if (start === undefined) throw invalidFile(file, 'it has no ExecStart=');
  const env: Record<string, string | undefined> = {};
  for (const text of values('Environment')) {
    // A dollar sign has no meaning here, and no variable is replaced.
    Object.assign(env, Object.fromEntries(shellWords(text).map(pair)));
  }
  for (const text of values('EnvironmentFile')) {
    const isOptional = text.startsWith('-');
    const path = text.replace(/^-/, '');
    Object.assign(env, environmentFile(path, { isOptional, hasInlineComments: false }));
  }
  const folder = (values('WorkingDirectory').at(-1) ?? '/').replace(/^-/, '');
  const words = unitWords(start.replace(/^[-@:+!]+/, ''), env);
  return fromCommandLine(scriptWords(words, env), env, folder);
}

/** What `systemctl edit` writes, in the order in which systemd reads it. */
function dropIns(file: string): string[] {
  const folder = `${file}.d`;
  if (!existsSync(folder)) return [];
  const names = readdirSync(folder).filter((name) => name.endsWith('.conf'));
  return names.sort().map((name) => join(folder, name));
}

/** Replaces those that follow from the unit's own name. Throws OPTION_FILE_INVALID. */
function withSpecifiers(text: string, file: string): string {
  const name = basename(file);
  const [, prefix = '', instance = ''] = /^(.*?)(?:@(.*))?\.service$/.exec(name) ?? [];
  const known: Readonly<Record<string, string>> = {
    ...{ '%': '%', n: name, N: name.replace(/\.service$/, ''), p: prefix },
    ...(instance === '' ? {} : { i: instance, I: instance }),
  };
  return text.replace(/%([%a-zA-Z])/g, (specifier, letter: string) => {
    const value = known[letter];
    if (value === undefined) {
      throw fail(
        'OPTION_FILE_INVALID',
        `${file}: "${text}" has ${specifier}, which only systemd knows: name the running process with --pid instead, or replace it in a copy of the unit`,
        { data: { path: file } },
      );
    }
    return value;
  });
}

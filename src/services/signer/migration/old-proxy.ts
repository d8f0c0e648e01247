/**
 * How an EthSigner or Web3Signer is started: read from its command line, its process, a systemd
 * unit or a compose file.
 */
import { readFileSync, readlinkSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { parse } from 'yaml';
import { fail } from '../../../core/base/errors.ts';
import { readText } from '../../../io/host/files.ts';
import { reasonOf } from '../../../io/host/reason.ts';
import { shellWords, type Variables } from './shell-words.ts';

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

type Fields = Readonly<Record<string, unknown>>;

const NAME = /(?:^|[/.\s])(ethsigner|web3signer)(?:\.(?:EthSigner|Web3SignerApp))?(?::[^/\s]*)?$/i;
const LISTEN_PORTS: Readonly<Record<OldProgram, number>> = { ethsigner: 8545, web3signer: 9000 };

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

/** Reads a systemd unit. Throws FILE_UNREADABLE, OPTION_FILE_INVALID. */
export function fromUnit(file: string): OldProxy {
  const lines = readText(file).replace(/\\\n/g, ' ').split('\n');
  const values = (name: string) =>
    lines.flatMap((line) => {
      const match = new RegExp(`^${name}\\s*=\\s*(.*)$`).exec(line.trim());
      return match ? [match[1]!] : [];
    });
  const start = values('ExecStart').findLast((text) => text !== '');
  if (start === undefined) throw invalid(file, 'it has no ExecStart=');
  const env: Record<string, string | undefined> = {};
  for (const text of values('EnvironmentFile')) {
    const isOptional = text.startsWith('-');
    Object.assign(env, environmentFile(text.replace(/^-/, ''), isOptional));
  }
  for (const text of values('Environment')) {
    Object.assign(env, Object.fromEntries(shellWords(text).map(pair)));
  }
  const folder = values('WorkingDirectory').at(-1) ?? '/';
  return fromCommandLine(shellWords(start.replace(/^[-@:+!]+/, ''), env), env, folder);
}

/**
 * `service`: needed if the file has several of these programs. Throws FILE_UNREADABLE,
 * OPTION_FILE_INVALID.
 */
export function fromCompose(file: string, service: string | undefined): OldProxy {
  const folder = dirname(resolve(file));
  let root: unknown;
  try {
    root = parse(readText(file));
  } catch (cause) {
    throw invalid(file, reasonOf(cause).split('\n')[0]!, cause);
  }
  const services = Object.entries(fields(fields(root).services)).map(
    ([name, value]) => [name, fields(value)] as const,
  );
  const fitting = services.filter(
    ([name, value]) => (service === undefined || name === service) && composeProgram(name, value),
  );
  const [found, more] = fitting;
  if (!found || more) {
    const names = fitting.map(([name]) => name).join(', ');
    throw invalid(
      file,
      found
        ? `it has several: name one with --service (${names})`
        : `no service of it${service === undefined ? '' : ` called ${service}`} runs ethsigner or web3signer`,
    );
  }
  return composeService(found[0], found[1], folder);
}

function composeService(name: string, service: Fields, folder: string): OldProxy {
  const program = composeProgram(name, service)!;
  const env: Record<string, string | undefined> = {};
  for (const path of texts(service.env_file))
    Object.assign(env, environmentFile(resolve(folder, path)));
  const { environment } = service;
  Object.assign(
    env,
    Array.isArray(environment)
      ? Object.fromEntries(environment.map((text) => pair(String(text))))
      : Object.fromEntries(
          Object.entries(fields(environment)).map(([k, v]) => [k, String(v ?? '')]),
        ),
  );
  const words = [...wordsOf(service.entrypoint, env), ...wordsOf(service.command, env)];
  const start = words.findIndex((word) => !word.startsWith('-') && programOf(word) !== undefined);
  const outside = mounts(service.volumes, folder);
  const argv = words.slice(start + 1).map((word) => {
    const [, flag = '', value = ''] = /^(--?[^=]+=)?(.*)$/s.exec(word)!;
    return flag + outside(value);
  });
  const named = Object.entries(env).map(([key, value]) => [key, value && outside(value)]);
  return {
    ...{ program, argv, env: Object.fromEntries(named), folder, isContainer: true },
    published: published(service.ports, LISTEN_PORTS[program], argv, env),
  };
}

function composeProgram(name: string, service: Fields): OldProgram | undefined {
  const { image, container_name: container } = service;
  const words = [...wordsOf(service.entrypoint, {}), ...wordsOf(service.command, {})];
  return [image, ...words, container, name].map((text) => programOf(String(text))).find(Boolean);
}

/** Maps paths inside a container to paths of the machine. */
function mounts(value: unknown, folder: string): (path: string) => string {
  const pairs = list(value).flatMap((volume): [string, string][] => {
    if (typeof volume !== 'string') {
      const { source, target, type } = fields(volume);
      return type === 'bind' ? [[resolve(folder, String(source)), String(target)]] : [];
    }
    const [source = '', target = ''] = volume.split(':');
    return /^[./~]/.test(source) ? [[resolve(folder, source), target]] : [];
  });
  return (path) => {
    const mount = pairs.find(([, target]) => path === target || path.startsWith(`${target}/`));
    return mount ? mount[0] + path.slice(mount[1].length) : path;
  };
}

function published(
  value: unknown,
  usual: number,
  argv: readonly string[],
  env: Variables,
): OldProxy['published'] {
  const given = /--http-listen-port[= ](\d+)/.exec(argv.join(' '))?.[1];
  const named = Object.entries(env).find(([name]) => name.endsWith('_HTTP_LISTEN_PORT'))?.[1];
  const inside = given ?? named ?? String(usual);
  for (const port of list(value)) {
    if (typeof port === 'object') {
      const { target, published: outside, host_ip: host } = fields(port);
      if (String(target) === inside)
        return { host: String(host ?? '0.0.0.0'), port: Number(outside) };
      continue;
    }
    const match = /^(?:(.+):)?(\d+):(\d+)(?:\/tcp)?$/.exec(String(port));
    if (match?.[3] === inside) return { host: match[1] ?? '0.0.0.0', port: Number(match[2]) };
  }
  return undefined;
}

function environmentFile(path: string, isOptional = false): Record<string, string> {
  let text: string;
  try {
    text = readText(path);
  } catch (error) {
    if (isOptional) return {};
    throw error;
  }
  const lines = text.split('\n').filter((line) => /^\s*\w+=/.test(line));
  return Object.fromEntries(
    lines.map((line) => {
      const [name, value] = pair(line.trim());
      return [name, value.replace(/^(["'])(.*)\1$/, '$2')];
    }),
  );
}

function programOf(word: string): OldProgram | undefined {
  return NAME.exec(word)?.[1]?.toLowerCase() as OldProgram | undefined;
}

function wordsOf(value: unknown, env: Variables): string[] {
  if (typeof value === 'string') return shellWords(value, env);
  return list(value).map(String);
}

function pair(text: string): [string, string] {
  const at = text.indexOf('=');
  return at < 0 ? [text, ''] : [text.slice(0, at), text.slice(at + 1)];
}

function texts(value: unknown): string[] {
  return typeof value === 'string' ? [value] : list(value).map(String);
}

function list(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function fields(value: unknown): Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Fields)
    : {};
}

function invalid(file: string, why: string, cause?: unknown): Error {
  return fail('OPTION_FILE_INVALID', `${file}: ${why}`, { cause, data: { path: file } });
}

/** How a compose file starts an EthSigner or Web3Signer (the Compose specification). */
import { dirname, resolve } from 'node:path';
import { parse } from 'yaml';
import { readText } from '../../../io/host/files.ts';
import { reasonOf } from '../../../io/host/reason.ts';
import { environmentFile } from './environment-file.ts';
import { interpolate } from './interpolate.ts';
import { invalidFile, type OldProgram, type OldProxy, pair, programOf } from './old-proxy.ts';
import { scriptWords, shellWords, type Variables } from './shell-words.ts';

type Fields = Readonly<Record<string, unknown>>;

const LISTEN_PORTS: Readonly<Record<OldProgram, number>> = { ethsigner: 8545, web3signer: 9000 };
/** Where Compose shows secrets inside a container. */
const SECRETS = '/run/secrets';

interface Project {
  readonly file: string;
  /** Base of relative paths. */
  readonly folder: string;
  /** Of the shell that starts the containers, and of the file `.env`. */
  readonly variables: Variables;
  readonly root: Fields;
}

/**
 * `service`: needed if the file has several of these programs. Throws FILE_UNREADABLE,
 * OPTION_FILE_INVALID.
 */
export function fromCompose(file: string, service: string | undefined, shell: Variables): OldProxy {
  const project = readProject(file, shell);
  const services = Object.entries(fields(project.root.services)).map(
    ([name, value]) => [name, fields(value)] as const,
  );
  const fitting = services.filter(
    ([name, value]) => (service === undefined || name === service) && programIn(name, value),
  );
  const [found, more] = fitting;
  if (!found || more) {
    const names = fitting.map(([name]) => name).join(', ');
    throw invalidFile(
      file,
      found
        ? `it has several: name one with --service (${names})`
        : `no service of it${service === undefined ? '' : ` called ${service}`} runs ethsigner or web3signer`,
    );
  }
  return fromService(found[0], found[1], project);
}

function readProject(file: string, shell: Variables): Project {
  const folder = dirname(resolve(file));
  const terms = { isOptional: true, hasInlineComments: true };
  const variables = { ...environmentFile(resolve(folder, '.env'), terms), ...shell };
  const text = readText(file);
  try {
    const root = fields(interpolate(parse(text, { merge: true }), variables));
    return { file, folder, variables, root };
  } catch (cause) {
    throw invalidFile(file, reasonOf(cause).split('\n')[0]!, cause);
  }
}

function fromService(name: string, service: Fields, project: Project): OldProxy {
  const { folder } = project;
  const program = programIn(name, service)!;
  const env = environmentOf(service, project);
  const words = scriptWords([...wordsOf(service.entrypoint), ...wordsOf(service.command)], env);
  const start = words.findIndex((word) => !word.startsWith('-') && programOf(word) !== undefined);
  const outside = mounts([...volumes(service, folder), ...secrets(service, project)]);
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

function programIn(name: string, service: Fields): OldProgram | undefined {
  const { image, container_name: container } = service;
  const words = scriptWords([...wordsOf(service.entrypoint), ...wordsOf(service.command)], {});
  return [image, ...words, container, name].map((text) => programOf(String(text))).find(Boolean);
}

/** `environment` goes before `env_file`; a name without a value has that of the shell. */
function environmentOf({ env_file: files, environment }: Fields, project: Project): Variables {
  const { folder, variables } = project;
  const env: Record<string, string | undefined> = {};
  for (const each of typeof files === 'string' ? [files] : list(files)) {
    const { path, required } = typeof each === 'string' ? { path: each } : fields(each);
    const terms = { isOptional: required === false, hasInlineComments: true };
    Object.assign(env, environmentFile(resolve(folder, String(path)), terms));
  }
  const given = Array.isArray(environment)
    ? environment.map((text): [string, unknown] => {
        const [name, value] = pair(String(text));
        return [name, String(text).includes('=') ? value : undefined];
      })
    : Object.entries(fields(environment));
  for (const [name, value] of given)
    env[name] = value === undefined || value === null ? variables[name] : String(value);
  return env;
}

/** A folder or file of this machine, and its path inside the container. */
type Mount = readonly [outside: string, inside: string];

function volumes(service: Fields, folder: string): Mount[] {
  return list(service.volumes).flatMap((volume): Mount[] => {
    if (typeof volume !== 'string') {
      const { source, target, type } = fields(volume);
      return type === 'bind' ? [[resolve(folder, String(source)), String(target)]] : [];
    }
    const [source = '', target = ''] = volume.split(':');
    return /^[./~]/.test(source) ? [[resolve(folder, source), target]] : [];
  });
}

/** Secrets from files. */
function secrets(service: Fields, { root, folder }: Project): Mount[] {
  return list(service.secrets).flatMap((each): Mount[] => {
    const { source, target } = typeof each === 'string' ? { source: each } : fields(each);
    const { file } = fields(fields(root.secrets)[String(source)]);
    if (typeof file !== 'string') return [];
    return [[resolve(folder, file), resolve(SECRETS, String(target ?? source))]];
  });
}

/** Maps paths inside a container to paths of the machine. */
function mounts(all: readonly Mount[]): (path: string) => string {
  return (path) => {
    const mount = all.find(([, target]) => path === target || path.startsWith(`${target}/`));
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

/** A command or entrypoint: a list of words, or one line. */
function wordsOf(value: unknown): string[] {
  return typeof value === 'string' ? shellWords(value) : list(value).map(String);
}

function list(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function fields(value: unknown): Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Fields)
    : {};
}

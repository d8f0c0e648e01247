/**
 * Blocks of the documentation for programs that no test can run: docker, kubectl, helm, systemctl,
 * npm with a registry. They are typed in as written, with stand-ins that write down how they were
 * called; each call is judged by what it names: files, flags, names of the chart, units, packages.
 * Nothing here shows that a container or a unit starts.
 */
import { execFileSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { validate } from 'dockerfile-utils';
import { beforeAll, expect, it } from 'vitest';
import { parse } from 'yaml';
import { PROJECT } from '../support/devnet.ts';
import { type ShellBlock, STOOD_IN, shellBlocks } from '../support/documented-commands.ts';
import { takes } from '../support/parsed-command.ts';
import { writeQuorateCommand } from '../support/quorate-command.ts';
import { scratchFolder } from '../support/scratch.ts';
import { type Call, callsIn, writeStandIns } from '../support/stand-in-programs.ts';

/** `root` in it stands for the root of the machine's files. */
const folder = scratchFolder('quorate-stand-ins-');
const bin = join(folder, 'bin');
const blocks = shellBlocks(PROJECT);
const packageJson = JSON.parse(readFileSync(join(PROJECT, 'package.json'), 'utf8'));
const { packages } = JSON.parse(readFileSync(join(PROJECT, 'package-lock.json'), 'utf8'));
const text = (...path: string[]) => readFileSync(join(folder, ...path), 'utf8');

beforeAll(() => {
  for (const name of ['deploy', 'package.json', 'package-lock.json'])
    symlinkSync(join(PROJECT, name), join(folder, name));
  const programs = ['docker', 'kubectl', 'helm', 'npm', 'npx', 'systemctl', 'systemd-sysusers'];
  // The group is made by sysusers.
  writeStandIns(bin, [...programs, 'install']);
  writeQuorateCommand(bin);
  for (const path of ['etc/systemd/system', 'etc/quorate', 'usr/lib/sysusers.d'])
    mkdirSync(join(folder, 'root', path), { recursive: true });
  writeFileSync(join(folder, 'node.toml'), '');
});

/** Types in a block, and returns the calls of stand-ins. */
function typeIn({ text: block }: ShellBlock): Call[] {
  const before = callsIn(bin).length;
  const here = block.replaceAll(/ \/(etc|usr)\//g, ' root/$1/');
  writeFileSync(join(folder, 'block.sh'), here);
  const env = { ...process.env, PATH: `${bin}:${process.env.PATH}` };
  execFileSync('bash', ['-e', 'block.sh'], { cwd: folder, env, stdio: 'pipe' });
  return callsIn(bin).slice(before);
}

const needing = (need: string) => blocks.filter(({ info }) => info === `sh needs=${need}`);
const isThere = (path: string) => existsSync(join(folder, path));

/** Values of an option, and what is left without it. */
function taken(args: readonly string[], ...names: string[]): [values: string[], rest: string[]] {
  const values: string[] = [];
  const rest: string[] = [];
  for (let at = 0; at < args.length; at++) {
    const [name, value] = args[at]!.split(/=(.*)/s);
    if (!names.includes(name!)) rest.push(args[at]!);
    else values.push(value ?? args[++at]!);
  }
  return [values, rest];
}

it.each(STOOD_IN)('knows a block that needs %s', (need) => {
  expect(needing(need).length).toBeGreaterThan(0);
});

it('docker', async () => {
  const tags: string[] = [];
  for (const block of needing('docker')) {
    const calls = typeIn(block);
    expect(calls.length).toBeGreaterThan(0);
    for (const { args } of calls) await judgeDocker(args, tags);
  }
});

async function judgeDocker(args: readonly string[], tags: string[]): Promise<void> {
  const [command, ...rest] = args;
  if (command === 'build') {
    const [[file], others] = taken(rest, '-f');
    const [[tag], context] = taken(others, '-t');
    expect(validate(text(file!))).toEqual([]);
    expect(context).toEqual(['.']);
    for (const [, path] of text(file!).matchAll(/^COPY (?!--from)(\S+) /gm))
      expect(existsSync(join(PROJECT, path!)), path).toBe(true);
    tags.push(tag!);
  } else if (command === 'run') {
    const [volumes, others] = taken(rest, '-v', '--tmpfs');
    const [ports, [readOnly, image, ...words]] = taken(others, '-p');
    expect([readOnly, tags]).toEqual(['--read-only', expect.arrayContaining([image])]);
    await takes(words);
    const mounted = volumes.map((each) => each.split(':').at(1) ?? each);
    const named = words.filter((word) => word.startsWith('/'));
    const isMounted = (path: string) =>
      mounted.some((each) => path === each || path.startsWith(`${each}/`));
    expect(named.filter((path) => !isMounted(path))).toEqual([]);
    // Published to this machine only, and the port on which the command listens by default.
    expect(ports).toEqual(['127.0.0.1:8545:8545']);
    expect(words).toEqual(expect.arrayContaining(['--http', '--http.addr', '0.0.0.0']));
  } else {
    expect(command).toBe('compose');
    const [[file], words] = taken(rest, '-f');
    expect(words).toEqual(['up', '--build']);
    const { services } = parse(text(file!), { merge: true });
    for (const { build } of Object.values<any>(services)) {
      if (!build) continue;
      const context = join(folder, file!, '..', build.context);
      expect(existsSync(join(context, build.dockerfile)), build.dockerfile).toBe(true);
    }
  }
}

it('kubernetes', () => {
  const genesis = blocks.filter(
    ({ page, info }) => page === 'docs/deploy.md' && info === 'sh tried',
  );
  for (const block of genesis) typeIn(block);
  const made = new Map<string, string[]>();
  let releases = 0;
  for (const { program, args } of needing('kubernetes').flatMap(typeIn)) {
    if (program === 'kubectl') {
      const [files, words] = taken(args, '--from-file');
      const name = words.at(-1)!;
      expect(words.slice(0, -1).join(' ')).toMatch(/^create (configmap|secret generic)$/);
      const pairs = files.map((each) => each.split('=').reverse());
      for (const [path] of pairs) expect(isThere(path!), path).toBe(true);
      made.set(
        name,
        pairs.map(([path, key]) => key ?? path!.split('/').at(-1)!),
      );
    } else {
      judgeRelease(args, made);
      releases++;
    }
  }
  expect(releases).toBe(4);
});

/** `made`: keys of each ConfigMap and Secret. */
function judgeRelease(args: readonly string[], made: ReadonlyMap<string, readonly string[]>): void {
  const [settings, [command, release, chart]] = taken(args, '--set');
  expect(command).toBe('install');
  const values = parse(text(chart!, 'values.yaml'));
  for (const setting of settings) {
    const at = (node: any, key: string) => node?.[key];
    expect(setting.split('=')[0]!.split('.').reduce(at, values), setting).toBeDefined();
  }
  const set = text(chart!, 'templates/statefulset.yaml');
  const { name } = parse(text(chart!, 'Chart.yaml'));
  const maps = [...set.matchAll(/configMap: \{ name: ([\w-]+) \}/g)].map(([, each]) => each!);
  // The peers of the manager are for members with private transactions.
  for (const each of maps.filter((each) => each !== 'tessera-peers'))
    expect(made.has(each), each).toBe(true);
  expect(made.get('goquorum-genesis')).toEqual([
    values.node.goquorum.genesisFilePath.split('/').at(-1),
  ]);
  expect(set).toContain(`/config/static/${made.get('goquorum-peers')![0]}`);
  const keys = made.get(`${name}-${release}-keys`)!;
  expect(keys).toEqual(['nodekey', 'accountKeystore', 'accountPassword']);
  const used = [...set.matchAll(/\{\{ \$node\.keysPath \}\}\/(\w+)/g)].map(([, each]) => each!);
  expect(used.length).toBeGreaterThan(0);
  expect(used.filter((each) => !keys.includes(each))).toEqual([]);
}

it('systemd', () => {
  const shipped = readdirSync(join(PROJECT, 'deploy/systemd'));
  for (const block of needing('systemd')) {
    const calls = typeIn(block);
    const at = (program: string) => calls.findIndex((each) => each.program === program);
    expect(calls[at('npm')]!.args).toEqual(['install', '--global', packageJson.name]);
    const [[mode, group], [flag, ...files]] = taken(calls[at('install')]!.args, '-m', '-g');
    expect([mode, flag, isThere(files[0]!)]).toEqual(['0640', '-D', true]);
    const user = /^u (\w+) /m.exec(text('root/usr/lib/sysusers.d/quorate.conf'))![1];
    expect(group).toBe(user);
    // The user must be there before a file is given to it, and the unit before it is started.
    expect(at('systemd-sysusers')).toBeGreaterThanOrEqual(0);
    expect(at('systemd-sysusers')).toBeLessThan(at('install'));
    expect(at('systemctl')).toBe(calls.length - 1);
    const [enable, now, unit] = calls.at(-1)!.args;
    expect([enable, now]).toEqual(['enable', '--now']);
    expect(shipped).toContain(`${unit}.service`);
    const installed = text(`root/etc/systemd/system/${unit}.service`);
    expect(installed).toMatch(new RegExp(`^User=${user}$`, 'm'));
    expect(`root${/--config (\S+)/.exec(installed)![1]}`).toBe(files[1]);
  }
});

it.each(['checkout', 'registry'])('npm, with a %s', async (need) => {
  for (const { program, args } of needing(need).flatMap(typeIn)) {
    if (program === 'npx') {
      expect(args[0]).toBe(packageJson.name);
      await takes(args.slice(1));
    } else {
      await judgeNpm(args);
    }
  }
});

async function judgeNpm([command, ...args]: readonly string[]): Promise<void> {
  const locked = (name: string) => packages[`node_modules/${name}`];
  switch (command) {
    case 'ci':
      expect(packages['']).toMatchObject({ dependencies: packageJson.dependencies });
      expect(args).toEqual([]);
      break;
    case 'start':
      expect(packageJson.scripts.start).toMatch(/ devnet$/);
      await takes(['devnet', ...args.filter((each) => each !== '--')]);
      break;
    case 'test':
      expect([args, packageJson.scripts.test]).toEqual([[], expect.any(String)]);
      break;
    case 'install':
      expect(args).toEqual([packageJson.name]);
      break;
    case 'rebuild':
      for (const name of args) expect(locked(name), name).toBeDefined();
      break;
    default: {
      expect([command, args[0]]).toEqual(['install-scripts', 'approve']);
      for (const name of args.slice(1)) expect(locked(name)?.hasInstallScript, name).toBe(true);
    }
  }
}

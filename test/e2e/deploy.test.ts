/**
 * The files in deploy/ fit this version: commands accept the flags in them, names and versions
 * agree, and the tools of systemd, Docker and Helm accept the files. No container is run.
 */
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { validate } from 'dockerfile-utils';
import { describe, expect, it, type TestContext } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import { fromGeth } from '../../src/cli/geth-arguments.ts';
import { PROJECT } from '../support/devnet.ts';
import { takes } from '../support/parsed-command.ts';

const DEPLOY = join(PROJECT, 'deploy');
const CHART = join(DEPLOY, 'helm/quorate-node');
const read = (...path: string[]) => readFileSync(join(...path), 'utf8');
const { version, files, scripts } = JSON.parse(read(PROJECT, 'package.json'));

/** The output of a tool; skips the test where the tool is not installed. */
function output({ skip }: TestContext, tool: string, args: readonly string[]): string {
  try {
    return execFileSync(tool, args, { encoding: 'utf8', stdio: 'pipe' });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') skip(`${tool} is not on the PATH`);
    throw error;
  }
}

describe('systemd', () => {
  const folder = join(DEPLOY, 'systemd');
  const units = readdirSync(folder).filter((name) => name.endsWith('.service'));

  it.each(units)('%s starts a command that accepts its flags', async (unit) => {
    const line = /^ExecStart=\/usr\/bin\/env quorate (.+)$/m.exec(read(folder, unit))![1]!;
    // Without the operator's configuration file, which may contain any option.
    await takes(line.replace(/ --config(-file)? \S+/, '').split(' '));
  });

  it('accepts the units', (context) => {
    const paths = units.map((unit) => join(folder, unit));
    output(context, 'systemd-analyze', ['verify', '--recursive-errors=no', '--man=no', ...paths]);
  });
});

describe('Docker', () => {
  const dockerfile = read(DEPLOY, 'Dockerfile');

  it('the file is valid, and its process has no privileges', () => {
    expect(validate(dockerfile)).toEqual([]);
    expect(dockerfile.match(/^USER .*$/gm)).toEqual(['USER 10001:10001']);
    expect(dockerfile).toMatch(/^HEALTHCHECK /m);
  });

  it('the image has the content of the package', () => {
    const copied = [...dockerfile.matchAll(/^COPY --from=build \/quorate\/(dist\S+)/gm)];
    expect(copied.map(([, path]) => path)).toEqual(
      files.filter((path: string) => path.startsWith('dist/')),
    );
  });
});

describe('compose.yaml', () => {
  const compose = parse(read(DEPLOY, 'compose/compose.yaml'), { merge: true });
  const services = Object.entries<any>(compose.services);
  const ours = services.filter(([, { image }]) => image === 'quorate');

  it('commands accept their flags', async () => {
    const started = read(DEPLOY, 'compose/node.sh').replaceAll('\\\n', ' ');
    const always = /quorate (node --datadir .*) "\$@"/.exec(started)![1]!.split(/ +/);
    for (const [, { entrypoint, command }] of ours) {
      const script = entrypoint?.at(-1);
      if (script?.endsWith('node.sh')) await takes([...always, ...command.slice(1)]);
      else if (!entrypoint) await takes(command);
    }
    const made = read(DEPLOY, 'compose/network.sh').replaceAll('\\\n', ' ');
    await takes(/^quorate (genesis .*)$/m.exec(made)![1]!.split(/ +/));
  });

  it('services write only to their volumes, and listen only on this machine', () => {
    for (const [, service] of ours) {
      expect(service).toMatchObject({ read_only: true, cap_drop: ['ALL'] });
    }
    const ports = services.flatMap(([, service]) => service.ports ?? []);
    expect(ports.filter((port: string) => !port.startsWith('127.0.0.1:'))).toEqual([]);
    expect(new Set(ports).size).toBe(ports.length);
  });

  it('names only existing volumes and hosts', () => {
    const volumes = services.flatMap(([, service]) => service.volumes ?? []);
    const named = volumes.map((each: string) => each.split(':')[0]!);
    const declared = Object.keys(compose.volumes);
    expect(new Set(named.filter((name: string) => !name.startsWith('.')))).toEqual(
      new Set(declared),
    );
    const { scrape_configs: jobs } = parse(read(DEPLOY, 'compose/prometheus.yml'));
    const targets = jobs.flatMap((job: any) => job.static_configs[0].targets);
    const hosts = new Set(Object.keys(compose.services));
    expect(targets.filter((target: string) => !hosts.has(target.split(':')[0]!))).toEqual([]);
  });
});

describe('Helm', () => {
  const values = parse(read(CHART, 'values.yaml'));

  /** Values from GoQuorum's chart (quorum-kubernetes, charts/goquorum-node/values.yaml). */
  const NAMES = [
    'quorumFlags.privacy quorumFlags.removeKeysOnDelete cluster.provider cluster.cloudNativeServices',
    'cluster.reclaimPolicy aws.serviceAccountName aws.region azure.identityClientId',
    'azure.keyvaultName azure.tenantId storage.sizeLimit storage.pvcSizeLimit storage.reclaimPolicy',
    'storage.aws.provisioner storage.aws.parameters.type node.goquorum.resources.cpuLimit',
    'node.goquorum.dataPath node.goquorum.keysPath node.goquorum.genesisFilePath',
    'node.goquorum.customLabels node.goquorum.networkId node.goquorum.account.unlock',
    'node.goquorum.account.passwordPath node.goquorum.log.verbosity node.goquorum.miner.blockPeriod',
    'node.goquorum.p2p.port node.goquorum.rpc.api node.goquorum.ws.origins',
    'node.goquorum.graphql.corsDomain node.goquorum.metrics.pprofport',
    'node.goquorum.metrics.serviceMonitorEnabled node.goquorum.privacy.url',
    'node.tessera.resources.memLimit node.tessera.password node.tessera.passwordPath',
    'node.tessera.dataPath node.tessera.port node.tessera.tpport node.tessera.q2tport',
    'image.goquorum.repository image.goquorum.tag image.tessera.repository image.tessera.tag',
  ].flatMap((line) => line.split(' '));

  it.each(NAMES)('%s has the same meaning as in GoQuorum', (name) => {
    const at = (node: any, key: string) => node?.[key];
    expect(name.split('.').reduce(at, values)).toBeDefined();
  });

  it('has this version', () => {
    const { version: chart, appVersion } = parse(read(CHART, 'Chart.yaml'));
    const tags = [values.image.goquorum.tag, values.image.tessera.tag];
    expect([chart, appVersion, ...tags]).toEqual([version, version, version, version]);
  });

  const CLUSTERS = [
    [],
    ['quorumFlags.privacy=true'],
    ['quorumFlags.privacy=true', 'cluster.provider=aws', 'cluster.cloudNativeServices=true'],
    ['quorumFlags.privacy=true', 'cluster.provider=azure', 'cluster.cloudNativeServices=true'],
    ['cluster.provider=aws', 'node.goquorum.ws.enabled=false', 'node.goquorum.rpc.enabled=false'],
    ['node.goquorum.metrics.serviceMonitorEnabled=true', 'node.goquorum.customLabels.team=a'],
  ];
  const settings = (set: readonly string[]) => set.flatMap((each) => ['--set', each]);

  it.for(CLUSTERS.map((set) => ({ set })))('renders with $set', async ({ set }, context) => {
    output(context, 'helm', ['lint', '--strict', CHART, ...settings(set)]);
    const text = output(context, 'helm', ['template', 'validator-1', CHART, ...settings(set)]);
    const objects = parseAllDocuments(text).map((document) => document.toJS());
    const pod = objects.find(({ kind }) => kind === 'StatefulSet').spec.template.spec;
    const mounts = [...pod.initContainers, ...pod.containers].flatMap((each) => each.volumeMounts);
    const there = new Set([...pod.volumes.map(({ name }: any) => name), 'data']);
    expect(mounts.filter(({ name }) => !there.has(name))).toEqual([]);
    for (const { command, args } of pod.containers) {
      await takes(command[0] === 'geth' ? await fromGeth(args) : args);
    }
  });

  it('explains why it does not remove keys', (context) => {
    const args = ['template', CHART, '--set', 'quorumFlags.removeKeysOnDelete=true'];
    expect(() => output(context, 'helm', args)).toThrow('this chart makes no keys');
  });
});

describe('a release', () => {
  it.each(readdirSync(join(PROJECT, '.github/workflows')))(
    '%s uses existing scripts and files',
    (file) => {
      const text = read(PROJECT, '.github/workflows', file);
      expect(parse(text).jobs).toBeDefined();
      const named = [...text.matchAll(/npm run (?:--silent )?([\w:-]+)/g)].map(([, name]) => name!);
      expect(named.filter((name) => !(name in scripts))).toEqual([]);
    },
  );
});

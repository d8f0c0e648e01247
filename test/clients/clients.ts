/** Every client that is tried: where it comes from, and how its program is run. */
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

export type Scheme = 'http' | 'ws';

export interface Client {
  /** The client's usual name, with its version. */
  readonly title: string;
  /** The folder of its program, below this one. */
  readonly folder: string;
  /** Absent: the client is installed with the project. */
  readonly installation?: Installation;
  /**
   * The lowest major version of Node that the client runs on; absent: any that the project
   * supports.
   */
  readonly nodeMajor?: number;
  readonly schemes: readonly Scheme[];
  /** True: its tool cannot run twice at the same time in one folder. */
  readonly alone?: true;
  /**
   * True: the client signs with its own key only, so it sends raw transactions through the proxy
   * too.
   */
  readonly ownKey?: true;
  /** False: the client does not receive events by subscription. */
  readonly subscribes?: false;
  /**
   * The command line, run in the folder where the client is installed; `task` is the task's file.
   */
  command(task: string): readonly string[];
}

export interface Installation {
  /** The input of `fetch`, which runs once for each content of this file. */
  readonly lockFile: string;
  readonly fetch: readonly string[];
  /** Compiles the test program; runs each time. */
  readonly build?: readonly string[];
}

const HERE = import.meta.dirname;
const PROJECT = resolve(HERE, '../..');
const BOTH: readonly Scheme[] = ['http', 'ws'];
const HTTP: readonly Scheme[] = ['http'];
const NPM = ['npm', 'ci', '--ignore-scripts', '--no-audit', '--no-fund'];

const program = (task: string) => ['node', 'run.mjs', task];
const hardhat = (script: string) => () => [
  ...['npx', 'hardhat', 'run', '--no-compile', '--network', 'ledger', `scripts/${script}.js`],
];

function fromNpm(
  folder: string,
  of: string,
  more: { readonly name?: string; readonly build?: readonly string[] } & Partial<Client> = {},
): Client {
  const { name = of, build, ...rest } = more;
  const { dependencies = {} } = packageIn(join(HERE, folder));
  return {
    title: `${name} ${dependencies[of]}`,
    ...{ folder, schemes: BOTH, command: program },
    installation: { lockFile: 'package-lock.json', fetch: NPM, ...(build && { build }) },
    ...rest,
  };
}

function ofProject(folder: string, of: string): Client {
  const { devDependencies = {} } = packageIn(PROJECT);
  return { title: `${of} ${devDependencies[of]}`, folder, schemes: BOTH, command: program };
}

function packageIn(folder: string): Record<string, Record<string, string>> {
  return JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
}

/** Run by `npm test`. */
export const LIGHT: readonly Client[] = [
  ofProject('ethers6', 'ethers'),
  ofProject('viem', 'viem'),
  ofProject('web3-4', 'web3'),
];

function hardhats(folder: string, nodeMajor: number, scripts: Record<string, string>): Client[] {
  const build = ['npx', 'hardhat', 'compile'];
  return Object.entries(scripts).map(([script, plugins]) => {
    const client = fromNpm(folder, 'hardhat', {
      build,
      nodeMajor,
      schemes: HTTP,
      subscribes: false,
    });
    return { ...client, title: `${client.title}, ${plugins}`, command: hardhat(script) };
  });
}

/** From npm too, but large: run by `npm run test:matrix`. */
export const HEAVY: readonly Client[] = [
  fromNpm('ethers5', 'ethers'),
  fromNpm('web3-1', 'web3'),
  ...hardhats('hardhat2', 20, { ethers: 'ethers and upgrades plugins', viem: 'viem plugin' }),
  ...hardhats('hardhat3', 22, {
    ethers: 'ethers and upgrades plugins',
    viem: 'viem and upgrades plugins',
    ignition: 'Ignition',
  }),
  fromNpm('foundry', '@foundry-rs/forge', {
    name: 'foundry',
    build: ['node_modules/.bin/forge', 'build'],
    alone: true,
  }),
];

const PIP = 'python3 -m venv venv && venv/bin/pip install -q -r requirements.txt';

function web3py(mode: 'sync' | 'async'): Client {
  return {
    title: `web3.py ${versionIn('web3py/requirements.txt', /^web3==(\S+)/m)}, ${mode}`,
    folder: 'web3py',
    installation: { lockFile: 'requirements.txt', fetch: ['sh', '-c', PIP] },
    schemes: BOTH,
    ...(mode === 'sync' && { subscribes: false }),
    command: (task) => ['venv/bin/python', 'run.py', mode, task],
  };
}

function versionIn(file: string, pattern: RegExp): string {
  return pattern.exec(readFileSync(join(HERE, file), 'utf8'))![1]!;
}

const WEB3J_VERSION = versionIn('web3j/pom.xml', /<version>([\d.]+\d)<\/version>\s*<\/dependency>/);
const WEB3J: Omit<Client, 'title' | 'command'> = {
  folder: 'web3j',
  installation: {
    lockFile: 'pom.xml',
    fetch: ['mvn', '-q', '-B', 'dependency:copy-dependencies', '-DoutputDirectory=lib'],
    build: ['sh', '-c', "javac -cp 'lib/*' -d classes $(find src -name '*.java')"],
  },
  schemes: BOTH,
};
const java = (main: string) => (task: string) => ['java', '-cp', 'classes:lib/*', main, task];

/** Calls its own methods in place of the common scenario: see quorum-module.ts. */
export const QUORUM_MODULE: Client = {
  ...WEB3J,
  title: `web3j's quorum module ${WEB3J_VERSION}`,
  command: java('quorum.Main'),
};

/** From Maven, PyPI and Go's modules: run by `npm run clients`. */
export const OTHERS: readonly Client[] = [
  { ...WEB3J, title: `web3j ${WEB3J_VERSION}`, command: java('Run') },
  web3py('sync'),
  web3py('async'),
  {
    title: `ethclient ${versionIn('ethclient/go.mod', /go-ethereum v(\S+)/)}`,
    folder: 'ethclient',
    installation: { lockFile: 'go.sum', fetch: ['go', 'build', '-o', 'ethclient', '.'] },
    ownKey: true,
    schemes: BOTH,
    command: (task) => ['./ethclient', task],
  },
];

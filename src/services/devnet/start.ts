/** Starts the whole network: managers first, then validators; returns when everything answers. */
import { join } from 'node:path';
import { assert, fail } from '../../core/base/errors.ts';
import {
  type DevnetTracing,
  nodeCommand,
  ptmCommand,
  rampCommand,
  signerCommand,
  stakingCommand,
  tracingFlags,
} from './commands.ts';
import { deployDemoToken } from './demo-token.ts';
import { type DevnetDescription, describeDevnet } from './description.ts';
import { livingPids, removeDescription, writeDescription } from './description-file.ts';
import { demoTokenOf, prepareFiles, removeFiles } from './files.ts';
import { checkPorts, holdersOf, type NamedPort, portsOf } from './free-ports.ts';
import type { GenesisFile } from './genesis-file.ts';
import { partnerToken } from './partner-token.ts';
import { arePermissioned, keepPermissions, type SetUpPermissions } from './permissions.ts';
import type { Command, Launch, Running } from './processes.ts';
import { moveMembers } from './raft-members.ts';
import { endText, untilReady } from './ready.ts';
import {
  type DevnetConsensus,
  RAMP_NAME,
  rampAccount,
  SIGNER_NAME,
  STAKING_NAME,
  type Topology,
  topologyOf,
} from './topology.ts';

export interface DevnetOptions {
  readonly folder: string;
  readonly isFresh: boolean;
  readonly portsFrom: number | undefined;
  readonly consensus?: DevnetConsensus;
  readonly blockPeriodSeconds: number;
  readonly blockPeriodMs?: number | undefined;
  readonly emptyBlockPeriodSeconds: number;
  /** Verbosity of the nodes' logs: 0 silent .. 5 trace. */
  readonly verbosity: number;
  readonly tracing?: DevnetTracing | undefined;
  /** With permission contracts; permanent for a network. */
  readonly isPermissioned?: boolean;
  /** One development node serves all members; permanent for a network. */
  readonly isDevelopment?: boolean;
}

export interface Devnet {
  readonly description: DevnetDescription;
  readonly genesis: GenesisFile;
  /** Process by name: node1 to node4, ptm1 to ptm4, signer, staking, ramp. */
  process(name: string): Running;
  /** Restarts an ended process with the same command line; resolves when it answers. */
  restart(name: string): Promise<void>;
  /** Resolves with a sentence when any process has ended. */
  firstEnd(): Promise<string>;
  /** Lets all processes outlive this one. */
  release(): Promise<void>;
  /** Processes that do not end by themselves within `patienceMs`, 10 s unless given, are killed. */
  stop(patienceMs?: number): Promise<void>;
}

export interface StartParts {
  readonly launch: Launch;
  /** Called with a line per step. */
  readonly progress: (line: string) => void;
  /** Resolves, with the reason, when the start is to be given up. */
  readonly told?: Promise<string>;
  /** Only for a network with permissions. */
  readonly setUpPermissions?: SetUpPermissions;
}

/**
 * Starts the network. On any failure, or when `told` resolves, stops everything that was started.
 */
export async function startDevnet(
  options: DevnetOptions,
  { launch, progress, told, setUpPermissions }: StartParts,
): Promise<Devnet> {
  const { folder, verbosity } = options;
  refuseSecond(folder);
  const topology = topologyOf(folder, options.portsFrom, options.consensus, options.isDevelopment);
  const ports = portsOf(topology);
  await checkPorts(ports);
  if (options.isFresh) removeFiles(folder);
  const files = await prepareFiles(topology, options);
  await moveMembers(topology.hosts);
  const tracing = tracingFlags(options.tracing);
  const small = (name: string, args: readonly string[], readyUrl: string) => ({
    ...{ name, args, readyUrl, isSmall: true },
    logFile: join(folder, `${name}.log`),
  });
  const managers = topology.hosts.map((node) => {
    const args = [...ptmCommand(node), ...tracing(node.ptmName)];
    return small(node.ptmName, args, `http://127.0.0.1:${node.ports.ptmQ2t}/upcheck`);
  });
  const nodeMembers = () =>
    topology.hosts.map((node) => ({
      name: node.name,
      args: [
        ...nodeCommand(node, topology, files, verbosity),
        ...(arePermissioned(topology) ? ['--permissioned'] : []),
        ...tracing(node.name),
      ],
      logFile: join(folder, `${node.name}.log`),
      isSmall: false,
      readyUrl: `http://127.0.0.1:${node.ports.rpc}/health`,
    }));
  const nodes = nodeMembers();
  const signer = small(
    SIGNER_NAME,
    [...signerCommand(topology, files, verbosity), ...tracing(SIGNER_NAME)],
    `http://127.0.0.1:${topology.signerPort}/upcheck`,
  );
  const staking = small(
    STAKING_NAME,
    stakingCommand(topology, files, verbosity),
    `http://127.0.0.1:${topology.stakingPort}/ready`,
  );
  const ramp = small(
    RAMP_NAME,
    rampCommand(topology, files, verbosity),
    `http://127.0.0.1:${topology.rampPort}/ready`,
  );
  const all = [...managers, ...nodes, signer, staking, ramp];
  const members = new Members(all, ports, launch);
  let rampToken = '';
  const pidOf = (name: string) => members.running.get(name)?.pid ?? 0;
  const describe = () => describeDevnet(topology, files, pidOf, rampToken);
  const stop = async (patienceMs?: number) => {
    await members.stop(patienceMs);
    removeDescription(folder);
  };
  const stopped = told?.then((why) => {
    throw fail('DEVNET_STOPPED', `stopped before the network was up: ${why}`);
  });
  const unlessStopped = (work: Promise<unknown>) =>
    Promise.race(stopped ? [stopped, work] : [work]);
  try {
    await unlessStopped(members.start(managers));
    progress('private transaction managers are up');
    await unlessStopped(members.start(nodes));
    progress('nodes are up');
    if (options.isPermissioned && !arePermissioned(topology)) {
      assert(setUpPermissions, 'permissions are set up by whoever asks for them');
      await unlessStopped(
        setUpPermissions({ description: describe(), topology, progress }).then((config) =>
          keepPermissions(topology, config),
        ),
      );
      await unlessStopped(members.replace(nodeMembers()));
      progress('permissions are active');
    }
    // Meanwhile the first blocks come: the services start rather than wait for them.
    await unlessStopped(
      Promise.all([
        members.start([signer, staking, ramp]),
        deployToken(topology, files.genesis, describe().nodes[0]!.rpc),
      ]),
    );
    rampToken = await partnerToken(describe().staking);
    writeDescription(folder, describe());
  } catch (error) {
    await stop();
    throw error;
  }
  return {
    get description() {
      return describe();
    },
    genesis: files.genesis,
    process: (name) => members.process(name),
    async restart(name) {
      await members.start(members.all.filter((each) => each.name === name));
      writeDescription(folder, describe());
    },
    firstEnd: () => members.firstEnd(),
    release: () => members.release(),
    stop,
  };
}

/** Does nothing in a network of an earlier version, which has no CREATE2 deployer. */
async function deployToken(topology: Topology, genesis: GenesisFile, rpc: string): Promise<void> {
  if (demoTokenOf(topology, genesis) === undefined) return;
  const { address } = rampAccount(topology, (each) => genesis.allocates(each));
  await deployDemoToken(rpc, topology.accounts[0]!.address, address);
}

interface Member extends Command {
  readonly readyUrl: string;
}

/** All running processes, by name. */
class Members {
  readonly running = new Map<string, Running>();
  all: readonly Member[];
  private readonly ports: readonly NamedPort[];
  private readonly launch: Launch;
  private isStopping = false;

  constructor(all: readonly Member[], ports: readonly NamedPort[], launch: Launch) {
    this.all = all;
    this.ports = ports;
    this.launch = launch;
  }

  async start(members: readonly Member[]): Promise<void> {
    await Promise.all(
      members.map(async (member) => {
        const running = await this.launch(member);
        this.running.set(member.name, running);
        if (this.isStopping) await running.stop();
        await this.untilReady(member, running);
      }),
    );
  }

  /** Ends the processes that have these names, and starts the given ones instead. */
  async replace(members: readonly Member[]): Promise<void> {
    const names = members.map(({ name }) => name);
    await Promise.all(names.map((name) => this.process(name).stop()));
    this.all = [...this.all.filter(({ name }) => !names.includes(name)), ...members];
    await this.start(members);
  }

  /** After the check of the ports, another program may have taken one. */
  private async untilReady({ name, readyUrl, logFile }: Member, running: Running): Promise<void> {
    try {
      await untilReady(readyUrl, running, logFile);
    } catch (error) {
      const own = this.ports.filter(({ owner }) => owner === name);
      const lost = holdersOf(own).filter((text) => !text.includes(`process ${running.pid}:`));
      if (lost.length === 0) throw error;
      throw fail('DEVNET_NOT_READY', [(error as Error).message, ...lost].join('\n'));
    }
  }

  process(name: string): Running {
    const running = this.running.get(name);
    if (!running) throw fail('INVARIANT_BROKEN', `the devnet has no "${name}"`);
    return running;
  }

  firstEnd(): Promise<string> {
    return Promise.race(
      this.all.map(async ({ name, logFile }) => {
        const how = await this.process(name).ended;
        return endText(name, how, logFile);
      }),
    );
  }

  async release(): Promise<void> {
    await Promise.all([...this.running.values()].map((each) => each.release()));
  }

  async stop(patienceMs?: number): Promise<void> {
    this.isStopping = true;
    await Promise.all([...this.running.values()].map((each) => each.stop(patienceMs)));
  }
}

function refuseSecond(folder: string): void {
  const [pid] = livingPids(folder);
  if (pid === undefined) return;
  throw fail(
    'DEVNET_RUNNING',
    `a network is running from ${folder} already (process ${pid}): stop it with "quorate devnet stop"`,
  );
}

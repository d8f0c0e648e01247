/**
 * A node as an operator runs it: one process with its log in its folder, which can be stopped and
 * restarted.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { until } from './conditions.ts';
import { endsWithProcess } from './own-processes.ts';
import { type Rpc, rpcClient } from './rpc-client.ts';

const KILL_AFTER_MS = 20_000;

export interface NodeCommand {
  readonly number: number;
  readonly folder: string;
  readonly rpcPort: number;
  readonly file: string;
  readonly args: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
}

export class NodeProcess {
  readonly number: number;
  readonly name: string;
  readonly folder: string;
  readonly logFile: string;
  readonly url: string;
  readonly rpc: Rpc;
  private readonly command: NodeCommand;
  private child: ChildProcess | undefined;

  constructor(command: NodeCommand) {
    this.command = command;
    this.number = command.number;
    this.name = `node ${command.number}`;
    this.folder = command.folder;
    this.logFile = join(command.folder, 'node.log');
    this.url = `http://127.0.0.1:${command.rpcPort}`;
    this.rpc = rpcClient(this.url);
  }

  get isRunning(): boolean {
    return this.child !== undefined;
  }

  get pid(): number | undefined {
    return this.child?.pid;
  }

  /** Its log, of all starts. */
  log(): string {
    return readFileSync(this.logFile, 'utf8');
  }

  /** Resolves once it answers; throws when it exits earlier. */
  async start(flags: readonly string[] = []): Promise<void> {
    const { file, args, environment } = this.command;
    const log = openSync(this.logFile, 'a');
    const child = endsWithProcess(
      spawn(file, [...args, ...flags], {
        stdio: ['ignore', log, log],
        env: { ...process.env, ...environment },
      }),
    );
    closeSync(log);
    child.once('exit', () => {
      if (this.child === child) this.child = undefined;
    });
    this.child = child;
    await until(`${this.name} answers`, async () => {
      if (this.child !== child) return true;
      await this.answers();
      return true;
    });
    if (this.child !== child) throw new Error(`${this.name} has ended: see ${this.logFile}`);
  }

  /** Rejects until the node answers. */
  protected answers(): Promise<unknown> {
    return this.rpc.call('eth_blockNumber');
  }

  /** Resolves once the process has exited. */
  async stop(signal: 'SIGTERM' | 'SIGKILL' = 'SIGTERM'): Promise<void> {
    const child = this.child;
    if (!child) return;
    const ended = new Promise((resolve) => child.once('exit', resolve));
    child.kill(signal);
    const patience = setTimeout(() => child.kill('SIGKILL'), KILL_AFTER_MS);
    await ended;
    clearTimeout(patience);
  }
}

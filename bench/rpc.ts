/**
 * JSON-RPC of a validator of four, at rest and while blocks of transfers are executed: CPU and
 * latency of each question, and of `newHeads` to 1,000 WebSockets. With REFERENCE_GETH=FILE,
 * beside GoQuorum's, whose answers must be the same (A B B A).
 */
import { isDeepStrictEqual } from 'node:util';
import { fromHex, toHex } from '../src/core/base/hex.ts';
import { keccak256 } from '../src/core/base/keccak.ts';
import { signTransaction } from '../src/core/chain/signing.ts';
import { CHAIN_ID } from '../src/services/devnet/topology.ts';
import { type Network, startNetwork } from './network.ts';
import { cpuNanoseconds, machineCpuSeconds, post, sleep } from './processes.ts';
import { type Figure, percentile } from './report.ts';
import { buildRpcChain, type Question, type RpcChain } from './rpc-chain.ts';
import { bodyOf, prepared, RpcConnection, resultOf } from './rpc-client.ts';
import { Subscribers } from './subscribers.ts';

/** Each product is measured twice per round, in the order A B B A. */
const ROUNDS = Number(process.env.RPC_ROUNDS ?? 1);
const SECONDS = Number(process.env.RPC_SECONDS ?? 2);
/** Words that a question's name must contain one of, separated by commas. */
const ONLY = (process.env.RPC_ONLY ?? '').split(',').filter((word) => word !== '');
const CLIENTS = 8;
const PORT = 27_560;
/** Transfers per second of the load, sent to the other validators. */
const LOAD = 300;
const LOAD_BATCH = 30;
/** Under load, questions are asked at this rate, whether or not the ones before are answered. */
const ASKED_PER_SECOND = 100;
const CONNECTIONS = 32;
const SUBSCRIBERS = 1_000;
const HEADS = 6;
/** Requests of each kind before the measurement, while the JavaScript engine compiles. */
const WARM_UP = 4_000;
const WARM_UP_MS_MAX = 3_000;

type Runs = Map<string, { readonly unit: string; readonly runs: number[] }>;

export async function rpc(): Promise<readonly Figure[]> {
  const chain = await buildRpcChain();
  const binary = process.env.REFERENCE_GETH;
  const [ours, theirs]: [Runs, Runs] = [new Map(), new Map()];
  const answers = new Map<string, unknown>();
  const sides = binary === undefined ? [ours] : [ours, theirs, theirs, ours];
  for (let round = 0; round < ROUNDS; round++)
    for (const side of sides)
      await new Play(chain, side, answers).run(side === ours ? undefined : binary);
  return [...ours].map(([name, { unit, runs }]) => {
    const reference = theirs.get(name);
    return {
      name,
      unit,
      runs,
      ...(reference && { reference: { name: 'GoQuorum', ...reference } }),
    };
  });
}

class Play {
  private readonly questions: readonly Question[];
  private readonly chain: RpcChain;
  private readonly runs: Runs;
  private readonly answers: Map<string, unknown>;

  /** `answers`: those of the first network, by question. */
  constructor(chain: RpcChain, runs: Runs, answers: Map<string, unknown>) {
    this.chain = chain;
    this.runs = runs;
    this.answers = answers;
    this.questions = chain.questions.filter(({ name }) => isWanted(name));
  }

  async run(reference: string | undefined): Promise<void> {
    const network = await startNetwork({
      ...{ reference, verbosity: 1, portsFrom: PORT, isPrivate: false },
      ...{ chain: this.chain, hasWebSocket: true },
    });
    const load = new Load(network);
    try {
      for (const question of this.questions) await this.ask(network, question);
      await this.heads(network, 'idle');
      load.start();
      for (const question of this.questions) await this.askSteadily(network, question);
      await this.heads(network, 'under load');
    } finally {
      await load.stop();
      await network.stop();
    }
  }

  /** Eight clients, each of which asks as soon as it has its answer. */
  private async ask(network: Network, question: Question): Promise<void> {
    const clients = await Asker.open(network.rpcUrls[0]!, CLIENTS, question);
    this.checkSame(question, clients.answer);
    const endless = async (isOver: (asked: number) => boolean) => {
      const latencies: number[] = [];
      const client = async (connection: RpcConnection) => {
        while (!isOver(latencies.length)) latencies.push(await clients.ask(connection));
      };
      await Promise.all(clients.connections.map(client));
      return latencies;
    };
    const begun = performance.now();
    await endless((asked) => asked >= WARM_UP || performance.now() - begun > WARM_UP_MS_MAX);
    const [before, others] = [cpuNanoseconds(network.pids[0]!), othersSeconds(network)];
    const endMs = performance.now() + SECONDS * 1_000;
    const latencies = await endless(() => performance.now() > endMs);
    const used = cpuNanoseconds(network.pids[0]!) - before;
    sayOthers(question.name, othersSeconds(network) - others, SECONDS);
    clients.close();
    this.note(`${question.name}: CPU`, 'µs', used / 1e3 / latencies.length);
    this.noteLatencies(`${question.name}, idle`, latencies);
  }

  private async askSteadily(network: Network, question: Question): Promise<void> {
    const clients = await Asker.open(network.rpcUrls[0]!, CONNECTIONS, question);
    const free = [...clients.connections];
    const waiting: (() => void)[] = [];
    const latencies: number[] = [];
    const one = async () => {
      const since = performance.now();
      if (free.length === 0) await new Promise<void>((resolve) => waiting.push(resolve));
      const connection = free.pop()!;
      await clients.ask(connection);
      latencies.push(performance.now() - since);
      free.push(connection);
      waiting.shift()?.();
    };
    const all: Promise<void>[] = [];
    const count = 2 * SECONDS * ASKED_PER_SECOND;
    const begun = performance.now();
    while (all.length < count) {
      const due = ((performance.now() - begun) / 1_000) * ASKED_PER_SECOND;
      while (all.length < Math.min(due, count)) all.push(one());
      await sleep(1);
    }
    await Promise.all(all);
    clients.close();
    this.noteLatencies(`${question.name}, under load`, latencies);
  }

  private async heads(network: Network, when: string): Promise<void> {
    const name = `newHeads to ${SUBSCRIBERS.toLocaleString('en')} WebSockets`;
    if (!isWanted(name)) return;
    const subscribers = await Subscribers.open(network.webSocketUrl!, SUBSCRIBERS);
    await subscribers.follow(1);
    const before = cpuNanoseconds(network.pids[0]!);
    const { blocks, delaysMs } = await subscribers.follow(HEADS);
    const used = cpuNanoseconds(network.pids[0]!) - before;
    subscribers.close();
    if (when === 'idle') this.note(`${name}: CPU per block`, 'ms', used / 1e6 / blocks);
    this.noteLatencies(`${name}, ${when}`, delaysMs);
  }

  private checkSame({ name, isConstant }: Question, answer: unknown): void {
    if (!isConstant) return;
    if (!this.answers.has(name)) this.answers.set(name, answer);
    else if (!isDeepStrictEqual(this.answers.get(name), answer))
      throw new Error(`${name}: the answers differ`);
  }

  private noteLatencies(name: string, latencies: readonly number[]): void {
    this.note(`${name}: p50`, 'ms', percentile(latencies, 0.5));
    this.note(`${name}: p99`, 'ms', percentile(latencies, 0.99));
  }

  private note(name: string, unit: string, value: number): void {
    const known = this.runs.get(name);
    if (known) known.runs.push(value);
    else this.runs.set(name, { unit, runs: [value] });
  }
}

/** Says what other processes used of the machine while a question was measured. */
function sayOthers(name: string, usedSeconds: number, seconds: number): void {
  console.error(`${name}: other processes used ${(usedSeconds / seconds).toFixed(2)} cores`);
}

function isWanted(name: string): boolean {
  return ONLY.length === 0 || ONLY.some((word) => name.includes(word));
}

/** CPU seconds of all processes but the network's and this one. */
function othersSeconds({ pids }: Network): number {
  const { user, system } = process.cpuUsage();
  const own = pids.reduce((sum, pid) => sum + cpuNanoseconds(pid) / 1e9, (user + system) / 1e6);
  return machineCpuSeconds() - own;
}

/** Connections that ask one question, and check every answer. */
class Asker {
  readonly connections: readonly RpcConnection[];
  /** The first answer. */
  readonly answer: unknown;
  private readonly request: Buffer;
  private readonly question: Question;
  /** The first response without its `date`. */
  private readonly first: Buffer;

  private constructor(
    connections: readonly RpcConnection[],
    question: Question,
    { request, response }: { readonly request: Buffer; readonly response: Buffer },
  ) {
    this.connections = connections;
    this.question = question;
    this.request = request;
    this.first = Buffer.from(bodyOf(response));
    this.answer = resultOf(response);
    question.check(this.answer);
  }

  static async open(url: string, count: number, question: Question): Promise<Asker> {
    const request = prepared(url, question.method, question.params);
    const opened = Array.from({ length: count }, () => RpcConnection.open(url));
    const connections = await Promise.all(opened);
    const response = await connections[0]!.ask(request);
    return new Asker(connections, question, { request, response });
  }

  /** Resolves with the time in ms. Rejects if the answer is wrong. */
  async ask(connection: RpcConnection): Promise<number> {
    const since = performance.now();
    const response = await connection.ask(this.request);
    const ms = performance.now() - since;
    if (!this.question.isConstant) this.question.check(resultOf(response));
    else if (!this.first.equals(bodyOf(response)))
      throw new Error(
        `${this.question.name}: another answer: ${response.toString('latin1', 0, 500)}`,
      );
    return ms;
  }

  close(): void {
    for (const connection of this.connections) connection.close();
  }
}

/** A steady load of transfers, signed as it goes. */
class Load {
  private readonly network: Network;
  private isOver = false;
  private running: Promise<void> = Promise.resolve();

  constructor(network: Network) {
    this.network = network;
  }

  start(): void {
    this.running = this.run();
  }

  /** Rejects if a transfer was refused. */
  async stop(): Promise<void> {
    this.isOver = true;
    await this.running;
  }

  private async run(): Promise<void> {
    const key = fromHex(this.network.key);
    const to = keccak256(key).subarray(12);
    const begun = performance.now();
    for (let sent = 0; !this.isOver; ) {
      if (sent > ((performance.now() - begun) / 1_000) * LOAD) {
        await sleep(5);
        continue;
      }
      const calls = Array.from({ length: LOAD_BATCH }, (_, id) => {
        const unsigned = { to, value: 1n, gasLimit: 21_000n, nonce: BigInt(sent++) };
        const { raw } = signTransaction(unsigned, key, { chainId: BigInt(CHAIN_ID) });
        const params = [toHex(raw)];
        return { jsonrpc: '2.0', id, method: 'eth_sendRawTransaction', params };
      });
      const text = await post(this.network.rpcUrls[1]!, JSON.stringify(calls));
      const refused = (JSON.parse(text) as { error?: { message: string } }[]).find(
        ({ error }) => error,
      );
      if (refused) throw new Error(refused.error!.message);
    }
  }
}

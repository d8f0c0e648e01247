/**
 * Replays the recorded steps on a running network, one after another, and compares every node's
 * answers.
 */
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { until } from '../support/conditions.ts';
import { RpcError } from '../support/rpc-client.ts';
import type { LiveChain } from './chain.ts';
import { difference } from './compare.ts';
import { isFixed, isMeant } from './known.ts';
import { Names } from './names.ts';
import type { LiveNetwork, LiveNode } from './network.ts';
import type { NodeName, Recording, Step } from './recording.ts';
import { type RewriteParts, rewritten } from './rewrite.ts';

/**
 * State follows within a few blocks; what still differs from the recording then is a difference.
 */
const PATIENCE_MS = 8_000;
const READ_INPUT = '0x6d4ce63c';
/** Repeated until the answer is as recorded: private state is updated after the public one. */
const READS: ReadonlySet<string> = new Set(['quorumExtension_activeExtensionContracts']);
const CALLBACK_PATIENCE_MS = 5_000;

export interface Finding {
  readonly step: string;
  /** What was compared, and on which node: `receipts node2 (ours)`. */
  readonly what: string;
  readonly difference: string;
}

export interface Played {
  readonly steps: number;
  readonly comparisons: number;
  readonly findings: readonly Finding[];
}

export async function playAll(
  recording: Recording,
  { network, chain, say }: { network: LiveNetwork; chain: LiveChain; say(line: string): void },
): Promise<Played> {
  const callbacks = await CallbackServer.start();
  try {
    const player = new Player(recording, { network, chain, callbacks });
    const steps = recording.steps.filter(({ name }) => !chain.leftOut.has(name));
    for (const step of steps) {
      const before = player.findings.length;
      const since = performance.now();
      await player.play(step);
      const found = player.findings.slice(before);
      const seconds = ((performance.now() - since) / 1000).toFixed(1);
      const verdict = found.length === 0 ? 'as recorded' : `${found.length} differences`;
      say(`${step.name}: ${verdict} (${seconds} s)`);
      for (const { what, difference: text } of found) say(`    ${what}: ${text}`);
      const [dead] = network.ended();
      if (dead !== undefined) throw new Error(dead);
    }
    return {
      steps: steps.length,
      comparisons: player.comparisons,
      findings: player.findings,
    };
  } finally {
    callbacks.close();
  }
}

interface PlayerParts {
  readonly network: LiveNetwork;
  readonly chain: LiveChain;
  readonly callbacks: CallbackServer;
}

class Player {
  readonly findings: Finding[] = [];
  comparisons = 0;
  private readonly network: LiveNetwork;
  private readonly chain: LiveChain;
  private readonly callbacks: CallbackServer;
  private readonly names = new Names();
  private readonly parts: RewriteParts;

  constructor(recording: Recording, { network, chain, callbacks }: PlayerParts) {
    this.network = network;
    this.chain = chain;
    this.callbacks = callbacks;
    this.parts = {
      recording,
      names: this.names,
      callbackUrl: callbacks.url,
      storeRaw: (node, payload) => storeRaw(network.node(node), payload),
    };
  }

  async play(step: Step): Promise<void> {
    await this.untilTurn(step);
    const node = this.network.node(step.node);
    if (step.isRaced) await untilFreshBlock(node);
    const request = await rewritten(step.request, step.node, this.parts);
    const id = step.callbacks?.[0] ? Number(JSON.parse(JSON.parse(step.callbacks[0]).id)) : 1;
    const recorded = step.error === undefined ? { result: step.result } : { error: step.error };
    const ask = () => answerOf(() => node.rpc.callWithId(id, request.method, ...request.params));
    let answer = await ask();
    if (READS.has(request.method)) {
      const isSettled = async () => {
        answer = await ask();
        return this.difference(step, recorded, answer) === undefined;
      };
      await until(`${step.name} is as recorded`, isSettled, PATIENCE_MS).catch(() => undefined);
    }
    const isMeantToDiffer = isMeant(
      request.method,
      outcomeOf(recorded),
      outcomeOf(answer),
      node.kind === 'q',
    );
    const fault = isMeantToDiffer ? undefined : this.difference(step, recorded, answer);
    const isAsRecorded = this.note(step, 'answer', node, fault);
    const isChanged = isFixed(step.name, node.kind === 'q');
    // A transaction that was mined after all would be mistaken for the next step's.
    if (step.callbacks && !isChanged) await this.compareCallbacks(step, node);
    if (step.isRaced || !isAsRecorded || isChanged) return;
    const hash = (answer as { result?: unknown }).result;
    if (step.transaction && typeof hash === 'string') await this.compareTransaction(step, hash);
    await this.compareState(step);
  }

  /**
   * Waits until earlier transactions are mined on every node, including those that nodes send
   * themselves.
   */
  private async untilTurn({ transaction, settled, isRaceEnd, name }: Step): Promise<void> {
    if (isRaceEnd) return;
    const own = transaction ? { [transaction.from]: Number(transaction.nonce) } : {};
    const wanted = Object.entries({ ...own, ...settled });
    await until(`the network is where it was before ${name}`, async () => {
      for (const [address, nonce] of wanted) {
        const counts = await Promise.all(
          this.network.nodes.map(({ rpc }) =>
            rpc.call('eth_getTransactionCount', address, 'latest'),
          ),
        );
        if (counts.some((count) => Number(count) !== nonce)) return false;
      }
      return true;
    });
  }

  private async compareTransaction(step: Step, hash: string): Promise<void> {
    const node = this.network.node(step.node);
    const receipt = await until(`${step.name} is mined`, async () => {
      const found = await node.rpc.call<Record<string, string> | null>(
        'eth_getTransactionReceipt',
        hash,
      );
      return found ?? undefined;
    });
    const transaction = await node.rpc.call<{ input: string }>('eth_getTransactionByHash', hash);
    this.note(step, 'transaction', node, this.difference(step, step.transaction, transaction));
    const contract = step.contractAddress ?? undefined;
    const { input } = transaction;
    await this.compareEverywhere(step, 'receipts', 'eth_getTransactionReceipt', hash);
    await this.compareEverywhere(
      step,
      'privateTransaction',
      'eth_getPrivateTransactionByHash',
      hash,
    );
    await this.compareEverywhere(step, 'privateReceipt', 'eth_getPrivateTransactionReceipt', hash);
    await this.compareEverywhere(step, 'quorumPayload', 'eth_getQuorumPayload', input);
    await this.compareEverywhere(step, 'quorumPayloadExtra', 'eth_getQuorumPayloadExtra', input);
    await this.compareEverywhere(step, 'code', 'eth_getCode', contract, 'latest');
    const metadata = 'eth_getContractPrivacyMetadata';
    await this.compareEverywhere(step, 'contractPrivacyMetadata', metadata, contract);
    await this.compareRoots(step, String(receipt.blockNumber));
  }

  private async compareState(step: Step): Promise<void> {
    const call = { to: step.reads, data: READ_INPUT };
    await this.compareEverywhere(step, 'after', 'eth_call', call, 'latest');
    await this.compareEverywhere(step, 'value', 'eth_call', call, 'latest');
    await this.compareEverywhere(step, 'metadata', 'eth_getContractPrivacyMetadata', step.reads);
    await this.compareEverywhere(step, 'active', 'quorumExtension_activeExtensionContracts');
    await this.compareEverywhere(
      step,
      'status',
      'quorumExtension_getExtensionStatus',
      step.manages,
    );
  }

  /**
   * Compares which nodes share a private state, and not the roots: these depend on block times and
   * payload hashes.
   */
  private async compareRoots(step: Step, block: string): Promise<void> {
    if (!step.privateStateRoots) return;
    const groups = (roots: readonly string[]) => roots.map((root) => roots.indexOf(root)).join();
    const expected = groups(this.network.nodes.map(({ name }) => step.privateStateRoots![name]));
    let found = '';
    await until(
      'private states are grouped as recorded',
      async () => {
        const roots = await Promise.all(
          this.network.nodes.map(({ rpc }) => rpc.call('debug_privateStateRoot', block)),
        );
        found = groups(roots);
        return found === expected;
      },
      PATIENCE_MS,
    ).catch(() => undefined);
    const fault = found === expected ? undefined : `equal roots ${found}, recorded ${expected}`;
    this.note(step, 'privateStateRoots', this.network.node(step.node), fault);
  }

  private async compareEverywhere(
    step: Step,
    what: keyof Step,
    method: string,
    ...params: readonly unknown[]
  ): Promise<void> {
    const recorded = step[what] as Record<NodeName, unknown> | undefined;
    if (!recorded) return;
    for (const node of this.network.nodes) {
      if (!(node.name in recorded)) continue;
      let found: string | undefined;
      await until(
        `${what} at ${node.name}`,
        async () => {
          const live = outcomeOf(await answerOf(() => node.rpc.call(method, ...params)));
          found = this.difference(step, recorded[node.name], live);
          if (found === undefined) return true;
          if (!isMeant(method, recorded[node.name], live, node.kind === 'q')) return false;
          found = undefined;
          return true;
        },
        PATIENCE_MS,
      ).catch(() => undefined);
      this.note(step, String(what), node, found);
    }
  }

  private async compareCallbacks(step: Step, node: LiveNode): Promise<void> {
    const bodies = await this.callbacks.take(step.callbacks!.length);
    const parse = (body: string): unknown => JSON.parse(body);
    const fault = this.difference(step, step.callbacks!.map(parse), bodies.map(parse));
    this.note(step, 'callbacks', node, fault);
  }

  private difference({ name }: Step, recorded: unknown, live: unknown): string | undefined {
    const { members, moreGas } = this.chain;
    return difference(recorded, live, this.names, { members, moreGas: moreGas[name] ?? 0n });
  }

  /** Records a difference; returns true when there is none. */
  private note(step: Step, what: string, node: LiveNode, fault: string | undefined): boolean {
    this.comparisons++;
    if (fault === undefined) return true;
    const kind = node.kind === 'q' ? 'ours' : 'reference';
    this.findings.push({
      step: step.name,
      what: `${what} ${node.name} (${kind})`,
      difference: fault,
    });
    return false;
  }
}

/**
 * Waits for a new block: most of a block period follows, so transactions sent now and right
 * afterwards go into the same block.
 */
async function untilFreshBlock({ name, rpc }: LiveNode): Promise<void> {
  const head = await rpc.call('eth_blockNumber');
  await until(`${name} has a new block`, async () => (await rpc.call('eth_blockNumber')) !== head);
}

function outcomeOf(answer: { readonly result?: unknown } | { readonly error: unknown }): unknown {
  return 'error' in answer ? { error: answer.error } : answer.result;
}

type Answer = { readonly result: unknown } | { readonly error: unknown };

async function answerOf(call: () => Promise<unknown>): Promise<Answer> {
  try {
    return { result: await call() };
  } catch (error) {
    if (!(error instanceof RpcError)) throw error;
    const { code, message, data } = error;
    return { error: { code, message, ...(data === undefined ? {} : { data }) } };
  }
}

async function storeRaw(node: LiveNode, payload: string): Promise<string> {
  const response = await fetch(`${node.thirdPartyUrl}/storeraw`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ payload: Buffer.from(payload.slice(2), 'hex').toString('base64') }),
  });
  const { key } = (await response.json()) as { key: string };
  return `0x${Buffer.from(key, 'base64').toString('hex')}`;
}

/** Receives the nodes' reports of asynchronous sends. */
class CallbackServer {
  readonly url: string;
  private readonly server: Server;
  private bodies: string[] = [];

  static async start(): Promise<CallbackServer> {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return new CallbackServer(server);
  }

  private constructor(server: Server) {
    this.server = server;
    this.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/callback?x=1`;
    server.on('request', async (request, response) => {
      const chunks: Buffer[] = [];
      for await (const chunk of request) chunks.push(chunk as Buffer);
      this.bodies.push(Buffer.concat(chunks).toString());
      response.end();
    });
  }

  async take(count: number): Promise<readonly string[]> {
    await until('callbacks came', () => this.bodies.length >= count, CALLBACK_PATIENCE_MS).catch(
      () => undefined,
    );
    return this.bodies.splice(0);
  }

  close(): void {
    this.server.close();
    this.server.closeAllConnections();
  }
}

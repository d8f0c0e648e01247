/**
 * Recorded JSON-RPC conversations: the recorded chain is imported into a node in memory, and every
 * request is sent again through the real dispatcher, or through the real servers if it is about
 * HTTP or WebSocket. Answers must match the recording.
 */
import { existsSync, readFileSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { fromHex } from '../../src/core/base/hex.ts';
import { decodeBlock } from '../../src/core/chain/block.ts';
import { residentPrivateStates } from '../../src/core/privacy/private-states.ts';
import { OPEN } from '../../src/io/rpc/access.ts';
import { recordedManager } from '../support/recorded-connected.ts';
import { ALL_APIS, type RpcNode, rpcNode } from '../support/rpc-node.ts';
import { filesBelow, readJson } from './folders.ts';
import { genesisOf, readBlocks } from './goquorum-blocks.ts';
import type { Report, VectorKind } from './kind.ts';
import { answerFault, KnownDifferences } from './rpc-compare.ts';
import { type Exchange, methodOf, parseTranscript, type Transcript } from './rpc-transcript.ts';
import { askOverHttp, WebSocketTalk } from './rpc-wire.ts';

/**
 * Not implemented yet, by method or folder; `private-chain:` restricts a line to chains with a
 * manager.
 */
const NOT_YET_OWED: Readonly<Record<string, string>> = {
  admin_exportChain: 'chain files over RPC (the command `quorate export` exists)',
  admin_importChain: 'chain files over RPC (the command `quorate import` exists)',
  quorumPermission_orgList: 'permissioning',
};

/** Recorded on a running network, or with accounts created there: by method and recorded text. */
const NEEDS_LIVE_NETWORK: readonly (readonly [string, string])[] = [
  ['eth_sendRawTransaction', 'nonce too low'],
  ['eth_sendTransaction', '0x3Ce2Bac5eddBd7b09feeCa540eb8193c222a70D6'],
  ['eth_sign', 'authentication needed: password or unlock'],
];

/** Any recording may use a row, so unused rows are reported after the last one. */
let known = new KnownDifferences();
let toRun = new Set<string>();

export const rpc: VectorKind = {
  name: 'rpc',
  /** Folders named `rpc` beside a chain, or the same in one file. */
  find: (root) => {
    const folders = new Set(
      filesBelow(join(root, 'goquorum'), (path) => /\/rpc\/.*\.io$/.test(path)).map((path) =>
        path.slice(0, path.indexOf('/rpc/') + '/rpc'.length),
      ),
    );
    const bundles = filesBelow(join(root, 'goquorum'), (path) => path.endsWith('/rpc.json.gz'));
    const found = [...folders, ...bundles].filter((path) => hasChain(dirname(path)));
    known = new KnownDifferences();
    toRun = new Set(found);
    return found;
  },
  run: async (path, report) => {
    const session = new Session(dirname(path), known, report);
    try {
      for (const transcript of inOrder(transcriptsOf(path))) await session.replay(transcript);
    } finally {
      await session.close();
    }
    console.log(session.summary());
    if (toRun.delete(path) && toRun.size === 0) failUnused(known, report);
  },
};

function hasChain(recording: string): boolean {
  return ['blocks.jsonl', 'blocks.jsonl.gz'].some((name) =>
    existsSync(join(recording, 'chain', name)),
  );
}

function failUnused(known: KnownDifferences, report: Report): void {
  for (const row of known.unused())
    report.fail(`known difference of ${row.method}`, `nothing uses it: ${row.recorded}`);
}

function transcriptsOf(path: string): Transcript[] {
  if (!statSync(path).isDirectory()) {
    const bundle: Record<string, string> = readJson(path);
    return Object.entries(bundle).map(([file, text]) => parseTranscript(file, text));
  }
  return filesBelow(path, (file) => file.endsWith('.io')).map((file) =>
    parseTranscript(file.slice(path.length + 1), readFileSync(file, 'utf8')),
  );
}

/**
 * Requests that change nothing come first; among the others, the plain case comes before its
 * repetitions.
 */
function inOrder(transcripts: Transcript[]): Transcript[] {
  const rank = ({ kind, file }: Transcript) =>
    kind === 'replay' ? 0 : file.endsWith('/ok.io') ? 1 : 2;
  return [...transcripts].sort((a, b) => rank(a) - rank(b));
}

class Session {
  private readonly recording: string;
  private readonly known: KnownDifferences;
  private readonly report: Report;
  private readonly nodes = new Map<string, Promise<RpcNode>>();
  private readonly served = new Map<string, ReturnType<RpcNode['serve']>>();
  private passed = 0;
  private cut = 0;
  private live = 0;
  private different = 0;
  private readonly notOwed = new Map<string, number>();

  constructor(recording: string, known: KnownDifferences, report: Report) {
    this.recording = recording;
    this.known = known;
    this.report = report;
  }

  async replay(transcript: Transcript): Promise<void> {
    const owner = this.ownerOf(transcript);
    if (owner !== undefined) {
      this.notOwed.set(owner, (this.notOwed.get(owner) ?? 0) + 1);
      return;
    }
    const name = `${basename(this.recording)}/rpc/${transcript.file}`;
    try {
      if (transcript.file.startsWith('websocket/')) await this.talk(name, transcript);
      else for (const exchange of transcript.exchanges) await this.ask(name, transcript, exchange);
    } catch (error) {
      this.report.fail(name, (error as Error).message);
    }
  }

  summary(): string {
    const owed = [...this.notOwed].map(([what, count]) => `${what} ${count}`).join(', ');
    return [
      `rpc ${basename(this.recording)}: ${this.passed} answers as recorded`,
      `${this.different} differ as test/known-differences.json says`,
      `${this.live} need a live network`,
      `${this.cut} were cut in the recording`,
      `transcripts not yet owed: ${owed || 'none'}`,
    ].join('; ');
  }

  async close(): Promise<void> {
    for (const served of this.served.values()) await (await served).close();
    for (const node of this.nodes.values()) await (await node).close();
  }

  private get hasManager(): boolean {
    return existsSync(join(this.recording, 'private'));
  }

  private ownerOf({ file, exchanges }: Transcript): string | undefined {
    const chain = basename(this.recording);
    if (chain in NOT_YET_OWED) return chain;
    const folder = file.split('/')[0]!;
    const names = [folder, ...exchanges.map((each) => methodOf(each) ?? folder)];
    const prefix = this.hasManager ? 'private-chain:' : 'no-manager:';
    return names.flatMap((name) => [name, `${prefix}${name}`]).find((name) => name in NOT_YET_OWED);
  }

  private async ask(name: string, transcript: Transcript, exchange: Exchange): Promise<void> {
    const body = wholeRequest(exchange.request);
    if (body === undefined) {
      this.cut++;
      return;
    }
    const { http, response } = exchange;
    if (!http) {
      const node = await this.node(transcript.node);
      const request = await withOurFilter(node, transcript.file, exchange.request);
      const ours = await node.dispatcher.handle(request, CALLER);
      if (transcript.node === 'node1') this.judge(name, transcript.kind, exchange, ours);
      else this.judge(name, transcript.kind, withoutSeals(exchange), withoutSealsIn(ours));
      return;
    }
    const answer = await askOverHttp(await this.port(transcript.node), http, body);
    const ours = answer.body.replace(/\n$/, '');
    const fault = headFault(response, answer);
    const isKnown = () => this.known.explain(aboutOf(exchange), exchange.reply ?? '', ours);
    if (fault !== undefined && !isKnown()) this.report.fail(name, fault);
    else this.judge(name, transcript.kind, exchange, ours);
  }

  private judge(name: string, kind: Transcript['kind'], exchange: Exchange, ours: string): void {
    const recorded = exchange.reply ?? '';
    const fault = answerFault(kind, parsed(recorded), parsed(ours));
    const method = aboutOf(exchange);
    if (fault === undefined) {
      this.passed++;
      this.report.pass(name);
    } else if (this.known.explain(method, recorded, ours)) {
      this.different++;
      this.report.pass(name);
    } else if (kind === 'shape' && needsLive(method, recorded)) {
      this.live++;
    } else {
      this.report.fail(name, `${exchange.request.slice(0, 200)}: ${fault}`);
    }
  }

  /** Notifications depend on the time of blocks, so only answers are compared. */
  private async talk(name: string, transcript: Transcript): Promise<void> {
    await this.port(transcript.node);
    const { webSocketUrl } = await this.served.get(transcript.node)!;
    const talk = new WebSocketTalk(webSocketUrl!);
    const ids = new Map<string, string>();
    await talk.opened();
    for (const exchange of transcript.exchanges) {
      const { reply } = exchange;
      if (reply === undefined) {
        talk.send(exchange.request);
        continue;
      }
      const request = [...ids].reduce((text, [a, b]) => text.replace(a, b), exchange.request);
      const ours = await talk.ask(request);
      if (/^0x[0-9a-f]+$/.test(parsed(reply)?.result))
        ids.set(parsed(reply).result, parsed(ours).result);
      this.judge(name, transcript.kind, exchange, ours);
    }
    talk.close();
  }

  private async port(name: string): Promise<number> {
    const node = await this.node(name);
    const served = this.served.get(name) ?? node.serve();
    this.served.set(name, served);
    return Number(new URL((await served).httpUrl!).port);
  }

  private node(name: string): Promise<RpcNode> {
    const node = this.nodes.get(name) ?? this.start(name);
    this.nodes.set(name, node);
    return node;
  }

  private async start(name: string): Promise<RpcNode> {
    const { recording } = this;
    const keys = readJson(join(recording, 'keys.json')).nodes.find(
      (each: any) => each.name === name,
    );
    const file = join(recording, 'chain/blocks.jsonl');
    const recorded = readBlocks(existsSync(file) ? file : `${file}.gz`);
    const node = await rpcNode({
      genesis: genesisOf(recording),
      secretKey: fromHex(keys.nodeKey),
      blocks: recorded
        .filter(({ number }) => number > 0)
        .map(({ rlp }) => decodeBlock(fromHex(rlp))),
      argv: [
        ...['--http.corsdomain', '*', '--ws', '--ws.port', '0', '--ws.api', ALL_APIS],
        ...['--revertreason', '--graphql', '--graphql.corsdomain', '*'],
      ],
      ...(this.hasManager ? { manager: await recordedManager(recording, name) } : {}),
      ...(keys.groups ? { privateStates: residentPrivateStates(keys.groups) } : {}),
    });
    const account = await node.accounts.importKey(fromHex(keys.accountKey), 'test');
    await node.accounts.unlock(account, 'test', 0);
    return node;
  }
}

/** The text that rows of known differences are matched with. */
function aboutOf(exchange: Exchange): string {
  if (exchange.http?.path.startsWith('/graphql')) return 'graphql';
  return methodOf(exchange) ?? 'none';
}

const CALLER = {
  transport: 'http',
  psi: undefined,
  access: OPEN,
  remote: '127.0.0.1',
} as const;

function needsLive(method: string, recorded: string): boolean {
  return NEEDS_LIVE_NETWORK.some(([name, text]) => name === method && recorded.includes(text));
}

/**
 * Recorded filter ids belong to another node, so they are replaced by one of ours of the same kind.
 */
async function withOurFilter(node: RpcNode, file: string, request: string): Promise<string> {
  const match = /eth_getFilter(Changes|Logs)","params":\["(0x[0-9a-f]{20,})"/.exec(request);
  const isUnknown = basename(file) === 'unknown.io';
  if (!match || isUnknown) return request;
  const kinds: Record<string, [string, unknown[]]> = {
    blocks: ['eth_newBlockFilter', []],
    'block-filter': ['eth_newBlockFilter', []],
    pending: ['eth_newPendingTransactionFilter', []],
  };
  const [method, params] = kinds[basename(file, '.io')] ?? [
    'eth_newFilter',
    [{ fromBlock: '0x0' }],
  ];
  return request.replace(match[2]!, await node.call(method, ...params));
}

/**
 * The recording truncates very long requests: one repeated letter can be restored, others cannot.
 */
function wholeRequest(request: string): string | undefined {
  const cut = /^(.)\1* \((\d+) bytes\)$/.exec(request);
  if (cut) return cut[1]!.repeat(Number(cut[2]));
  return / \(\d+ bytes\)/.test(request) ? undefined : request;
}

/** Headers about the framing of a body, which differ between Go and Node. */
const FRAMING = ['content-length', 'transfer-encoding'];

/** All recorded headers must be present. */
function headFault(
  recorded: Exchange['response'],
  answer: Awaited<ReturnType<typeof askOverHttp>>,
): string | undefined {
  if (!recorded) return undefined;
  if (recorded.status !== answer.status)
    return `status: recorded ${recorded.status}, ours ${answer.status} (${answer.body.slice(0, 100)})`;
  for (const [header, value] of Object.entries(recorded.headers)) {
    if (!FRAMING.includes(header) && answer.headers[header] !== value)
      return `header ${header}: recorded ${value}, ours ${answer.headers[header]}`;
  }
  return undefined;
}

/** Each node keeps the seals that it happened to collect; the recorded chain has those of node1. */
function withoutSeals(exchange: Exchange): Exchange {
  return { ...exchange, reply: exchange.reply && withoutSealsIn(exchange.reply) };
}

function withoutSealsIn(text: string): string {
  return text.replace(/"extraData":"0x[0-9a-f]*"/g, '"extraData":""');
}

function parsed(text: string): any {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

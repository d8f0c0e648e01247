/** Finds the part of a ledger that does not answer: the signing proxy, or the node behind it. */
import { WebSocket } from 'ws';
import { HttpClient } from '../http/http-client.ts';
import { patientTimer } from '../http/patient-timer.ts';
import { JsonPost } from './json-post.ts';

export type LedgerPart = 'node' | 'proxy';

/** Time limit for one answer. At most two are awaited, one after the other. */
const ANSWER_MS = 2_000;
const IDLE_MS = 10_000;
const ANSWER_BYTES_MAX = 64 * 1024;
const QUESTION = { jsonrpc: '2.0', id: 1, method: 'eth_blockNumber', params: [] };

export class LedgerProbe {
  private readonly post: JsonPost;
  private readonly nodeUrl: string | undefined;
  private readonly http = new HttpClient({
    dialTimeoutMs: ANSWER_MS,
    timeoutMs: ANSWER_MS,
    idleTimeoutMs: IDLE_MS,
    responseBytesMax: ANSWER_BYTES_MAX,
  });

  /**
   * `url`: JSON-RPC of the proxy. `webSocketUrl`: of the node; if it has the proxy's address, the
   * node can be reached only through the proxy.
   */
  constructor(url: string, webSocketUrl: string) {
    this.post = new JsonPost(url, { answerMs: ANSWER_MS, answerBytesMax: ANSWER_BYTES_MAX });
    const isOfNode = new URL(webSocketUrl).host !== new URL(url).host;
    this.nodeUrl = isOfNode ? webSocketUrl : undefined;
  }

  /** The parts that do not answer, within four seconds. Never rejects. */
  async silent(): Promise<readonly LedgerPart[]> {
    if (await this.answers()) return [];
    const [isProxyUp, isNodeUp] = await Promise.all([
      this.isProxyUp(),
      this.nodeUrl === undefined ? undefined : answersByWebSocket(this.nodeUrl),
    ]);
    if (!isProxyUp) return isNodeUp === false ? ['proxy', 'node'] : ['proxy'];
    // The node answers, but not through the proxy: the proxy's connection to it is broken.
    return isNodeUp ? ['proxy'] : ['node'];
  }

  close(): void {
    this.post.close();
    this.http.close();
  }

  /** Asks the node through the proxy. */
  private async answers(): Promise<boolean> {
    return hasResult(await this.post.send(QUESTION).catch(() => undefined));
  }

  /** Uses EthSigner's health check; a server without it answers with 404, which also counts. */
  private async isProxyUp(): Promise<boolean> {
    const url = new URL(this.post.url);
    url.pathname = `${url.pathname.replace(/\/$/, '')}/upcheck`;
    const call = { method: 'GET', url, headers: [] };
    const answer = await this.http.request(call).catch(() => undefined);
    return answer !== undefined && answer.status < 500;
  }
}

function answersByWebSocket(url: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = new WebSocket(url, {
      perMessageDeflate: false,
      maxPayload: ANSWER_BYTES_MAX,
      followRedirects: false,
    });
    const end = (isUp: boolean) => {
      timer.cancel();
      resolve(isUp);
      socket.terminate();
    };
    const timer = patientTimer(ANSWER_MS, () => end(false));
    socket.on('open', () => socket.send(JSON.stringify(QUESTION)));
    socket.on('message', (data) => end(isAnswer(String(data))));
    // The event 'close' follows, and is handled.
    socket.on('error', () => undefined);
    socket.on('close', () => end(false));
  });
}

function isAnswer(text: string): boolean {
  try {
    return hasResult(JSON.parse(text));
  } catch {
    return false;
  }
}

function hasResult(answer: unknown): boolean {
  return typeof (answer as { result?: unknown } | null | undefined)?.result === 'string';
}

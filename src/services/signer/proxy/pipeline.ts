/**
 * Turns one JSON-RPC text into one reply: signing methods are answered here, all others go to the
 * node. The same for every transport.
 */
import { toHex } from '../../../core/base/hex.ts';
import { badParams, refuse } from '../../../core/signing/failures.ts';
import { readMessage, readTypedData, typedDataAccount } from '../../../core/signing/messages.ts';
import { BATCH_CALLS_MAX, type Call, type Entry, parseEnvelope } from './envelope.ts';
import { isForwarded } from './forwarding.ts';
import { type GuardedSigning, RefusedError } from './guarded-signing.ts';
import { NODE_KEY_METHODS, type NodeKeyCalls, type NodeKeyMethod } from './node-key-calls.ts';
import type { Upstream } from './ports.ts';
import { errorReply, type Reply, refusalReply, relayed, resultReply } from './reply.ts';
import type { Caller } from './transaction-signer.ts';
import type { Transactions } from './transactions.ts';

/** Most elements of one batch processed together. */
const BATCH_TOGETHER_MAX = 64;
const BATCH_REPLY_CHARACTERS_MAX = 32 * 1024 * 1024;
const SHORT_REPLY_CHARACTERS_MAX = 4_096;

export interface PipelineParts {
  readonly signing: GuardedSigning;
  readonly transactions: Transactions;
  readonly upstream: Upstream;
  /**
   * Called before each call is processed, with the method's name if it is answered here, or
   * undefined if the call goes to the node; the returned function is called with the reply.
   */
  readonly watch?: ((method: string | undefined) => (reply: Reply) => void) | undefined;
  /**
   * Begins the trace of a call, which is then processed for the returned caller; undefined: it is
   * not traced. `method`: one that is answered here or may go to the node.
   */
  readonly trace?: ((method: string, caller: Caller) => CallTrace | undefined) | undefined;
  /** Methods that go to the node in addition to those of forwarding.ts. */
  readonly forwarded: readonly string[];
  /** undefined: the proxy has no node keys. */
  readonly nodeKeys?: NodeKeyCalls | undefined;
}

interface CallTrace {
  readonly caller: Caller;
  end(reply: Reply): void;
}

type Handler = (call: Call, caller: Caller) => Reply | Promise<Reply>;

export class Pipeline {
  private readonly parts: PipelineParts;
  private readonly handlers: ReadonlyMap<string, Handler>;

  constructor(parts: PipelineParts) {
    this.parts = parts;
    const { signing, transactions } = parts;
    const accounts: Handler = (call, { identity }) => {
      const { params } = call;
      const isEmpty =
        params === undefined || params === null || (Array.isArray(params) && params.length === 0);
      if (!isEmpty) throw badParams('no parameters are expected');
      return resultReply(call.id, JSON.stringify(signing.addresses(identity)));
    };
    const send: Handler = (call, caller) => transactions.send(call, caller);
    const message: Handler = (call, caller) => this.signMessage(call, caller, call.params);
    const typed: Handler = (call, caller) => this.signTypedData(call, caller);
    this.handlers = new Map<string, Handler>([
      ['eth_accounts', accounts],
      ['eth_requestAccounts', accounts],
      ['eth_sign', message],
      ['personal_sign', (call, caller) => this.signMessage(call, caller, swapped(call.params))],
      ['eth_signTypedData', typed],
      ['eth_signTypedData_v4', typed],
      ['eth_signTransaction', (call, caller) => transactions.sign(call, caller)],
      ['eth_sendTransaction', send],
      ['eea_sendTransaction', send],
      ['health_status', (call) => resultReply(call.id, '"OK"')],
      ...nodeKeyHandlers(parts.nodeKeys),
    ]);
  }

  /** Never rejects. */
  async handle(text: string, caller: Caller): Promise<Reply> {
    const envelope = parseEnvelope(text);
    if (envelope.kind === 'single') return this.entry(envelope.entry, caller);
    if (envelope.kind === 'tooMany')
      return errorReply(
        'null',
        refuse('SIGNER_REQUEST', `a batch has at most ${BATCH_CALLS_MAX} calls`),
      );
    if (envelope.entries.length === 0)
      return errorReply('null', refuse('SIGNER_REQUEST', 'the batch is empty'));
    return this.batch(envelope.entries, caller);
  }

  /**
   * Processes calls in order; adjacent calls of one kind run together, so that a read sees what was
   * sent before it.
   */
  private async batch(entries: readonly Entry[], caller: Caller): Promise<Reply> {
    const replies: string[] = [];
    let length = 0;
    const answerOf = async (entry: Entry): Promise<Reply> => {
      if (length > BATCH_REPLY_CHARACTERS_MAX) return full(entry);
      const reply = await this.entry(entry, caller);
      // Concurrent calls may have reached the limit meanwhile. Answers about sent transactions are
      // short and always fit.
      const isTooMuch =
        length > BATCH_REPLY_CHARACTERS_MAX && reply.body.length > SHORT_REPLY_CHARACTERS_MAX;
      const answer = isTooMuch ? full(entry) : reply;
      length += answer.body.length;
      return answer;
    };
    for (let at = 0; at < entries.length; ) {
      const isOurs = this.isOurs(entries[at]!);
      let end = at + 1;
      while (
        end < entries.length &&
        end - at < BATCH_TOGETHER_MAX &&
        this.isOurs(entries[end]!) === isOurs
      )
        end++;
      const together = entries.slice(at, end);
      const answered = await Promise.all(together.map(answerOf));
      for (const [index, { body }] of answered.entries()) {
        const entry = together[index]!;
        if (entry.kind === 'call' && entry.call.isNotification) continue;
        replies.push(elementText(entry, body));
      }
      at = end;
    }
    return { status: 200, body: replies.length === 0 ? '' : `[${replies.join(',')}]` };
  }

  private isOurs(entry: Entry): boolean {
    return entry.kind !== 'call' || this.handlers.has(entry.call.method);
  }

  private async entry(entry: Entry, caller: Caller): Promise<Reply> {
    if (entry.kind === 'malformed')
      return { ...errorReply('null', refuse('SIGNER_PARSE')), isForeign: true };
    if (entry.kind === 'ambiguous')
      return errorReply(entry.id, refuse('SIGNER_REQUEST', entry.why));
    const { call } = entry;
    const told = this.parts.watch?.(this.handlers.has(call.method) ? call.method : undefined);
    const trace = this.traced(call.method, caller);
    const reply = await this.answer(call, trace?.caller ?? caller);
    told?.(reply);
    trace?.end(reply);
    return reply;
  }

  private traced(method: string, caller: Caller): CallTrace | undefined {
    const { trace, forwarded } = this.parts;
    if (!trace || !(this.handlers.has(method) || isForwarded(method, forwarded))) return undefined;
    return trace(method, caller);
  }

  private async answer(call: Call, caller: Caller): Promise<Reply> {
    try {
      return await this.call(call, caller);
    } catch (error) {
      if (error instanceof RefusedError) return refusalReply(call.id, error.refusal);
      return errorReply(call.id, error);
    }
  }

  private call(call: Call, caller: Caller): Reply | Promise<Reply> {
    const { method } = call;
    if (!caller.identity.mayCall(method))
      throw refuse('SIGNER_FORBIDDEN', `${method} is not allowed`);
    const handler = this.handlers.get(method);
    if (handler) return handler(call, caller);
    if (!isForwarded(method, this.parts.forwarded))
      throw refuse(
        'SIGNER_METHOD_REFUSED',
        `${method} is not forwarded to the node: the operator may allow it with --forward`,
      );
    return this.forward(call, caller);
  }

  private async forward(call: Call, { path, headers }: Caller): Promise<Reply> {
    return relayed(await this.parts.upstream.post({ body: call.text, path, headers }));
  }

  private async signMessage(call: Call, { identity }: Caller, params: unknown): Promise<Reply> {
    const { account, digest } = readMessage(params);
    const { signing } = this.parts;
    const signer = signing.find(identity, account, 'SIGNER_NO_ACCOUNT');
    const intent = {
      method: call.method,
      account,
      kind: 'message',
      digest: toHex(digest),
    } as const;
    const signature = await signing.signMessage(identity, signer, digest, intent);
    return resultReply(call.id, `"${toHex(signature)}"`);
  }

  private async signTypedData(call: Call, { identity }: Caller): Promise<Reply> {
    const { signing } = this.parts;
    const signer = signing.find(identity, typedDataAccount(call.params), 'SIGNER_NO_ACCOUNT');
    const { account, digest, ...domain } = readTypedData(call.params);
    const { method } = call;
    const what = { ...domain, digest: toHex(digest) };
    const intent = { method, account, kind: 'typedData', ...what } as const;
    const signature = await signing.signMessage(identity, signer, digest, intent);
    return resultReply(call.id, `"${toHex(signature)}"`);
  }
}

function nodeKeyHandlers(keys: NodeKeyCalls | undefined): (readonly [NodeKeyMethod, Handler])[] {
  if (!keys) return [];
  return NODE_KEY_METHODS.map((method) => [
    method,
    async ({ id, params }, { identity }) =>
      resultReply(id, `"${await keys.answer(method, params, identity)}"`),
  ]);
}

/**
 * The parameters of `personal_sign` in the order of `eth_sign`: account, message. Drops the
 * password.
 */
function swapped(params: unknown): unknown {
  return Array.isArray(params) && params.length >= 2 ? [params[1], params[0]] : params;
}

function full(entry: Entry): Reply {
  const text = `the replies to this batch exceed ${BATCH_REPLY_CHARACTERS_MAX} characters: ask in parts`;
  return errorReply(entry.kind === 'call' ? entry.call.id : 'null', refuse('SIGNER_REQUEST', text));
}

/** A node's answer may not be JSON; inside a batch that would break the rest. */
function elementText(entry: Entry, body: string): string {
  try {
    JSON.parse(body);
    return body;
  } catch {
    const id = entry.kind === 'call' ? entry.call.id : 'null';
    return errorReply(id, refuse('SIGNER_UPSTREAM_BROKEN', 'the node did not answer in JSON')).body;
  }
}

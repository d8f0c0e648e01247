/**
 * Transactions: `eth_signTransaction`, `eth_sendTransaction` (public and private) and
 * `eea_sendTransaction`.
 */
import { fail } from '../../../core/base/errors.ts';
import { fromHex, toHex } from '../../../core/base/hex.ts';
import { keccak256 } from '../../../core/base/keccak.ts';
import { badParams, failureCodeOf, refuse } from '../../../core/signing/failures.ts';
import {
  atPrice,
  checkStoredPayload,
  readEeaRequest,
  readEthRequest,
  type TransactionRequest,
  wantsPrice,
} from '../../../core/signing/transaction-request.ts';
import type { Call } from './envelope.ts';

import type { GuardedSigning } from './guarded-signing.ts';
import { estimateQuestion, priceQuestion, quantityOf } from './node-questions.ts';
import { nonceKeyOf } from './nonce-keys.ts';
import type { NodeAnswer, PayloadStore, Upstream, UpstreamAnswer } from './ports.ts';
import { errorText, type Reply, relayed, resultReply } from './reply.ts';
import type { Sender, Settled } from './sender.ts';
import {
  type Caller,
  intentOf,
  type SignedCall,
  type TransactionSigner,
} from './transaction-signer.ts';

export interface TransactionParts {
  readonly signing: GuardedSigning;
  readonly signer: TransactionSigner;
  readonly sender: Sender;
  readonly upstream: Upstream;
  readonly chainId: bigint;
  /** undefined: no private transaction manager is configured; the node stores payloads. */
  readonly payloads: PayloadStore | undefined;
  /** Whether `eth_signTransaction` without a nonce is refused, as in EthSigner. */
  readonly strictNonce: boolean;
  /** Whether transactions without gas use the node's estimate instead of EthSigner's default. */
  readonly estimatesGas: boolean;
}

/** Values that a request omits and the node provides. */
interface Missing {
  readonly gas: boolean;
  readonly price: boolean;
}

export class Transactions {
  private readonly parts: TransactionParts;

  constructor(parts: TransactionParts) {
    this.parts = parts;
  }

  /** Returns the signed bytes without sending them. */
  async sign(call: Call, caller: Caller): Promise<Reply> {
    const { identity } = caller;
    const read = readEthRequest(call.params, this.parts.chainId);
    checkStoredPayload(read);
    if (read.nonce === undefined && this.parts.strictNonce) throw badParams('nonce is missing');
    const { signing } = this.parts;
    const signer = signing.find(identity, read.from, 'SIGNER_NO_ACCOUNT');
    // A private transaction that is only signed contains the hash of its payload, so that no node
    // can estimate it.
    const missing = this.missingIn(read, read.kind === 'public');
    const request = missing ? await this.completed(read, missing, { call, caller }) : read;
    if ('status' in request) return relayed(request);
    const intent = intentOf(call.method, request);
    await signing.check(identity, intent);
    let { nonce } = request;
    if (nonce === undefined) {
      const end = await this.parts.sender.next(nonceKeyOf(request));
      if (end.kind !== 'next') return replyOf(call.id, end);
      nonce = BigInt(end.nonce);
    }
    const raw = await this.parts.signer.rawOf(signer, request, nonce);
    await signing.record(identity, intent, toHex(keccak256(raw)));
    return resultReply(call.id, `"${toHex(raw)}"`);
  }

  /** Handles `eth_sendTransaction` and `eea_sendTransaction`. */
  async send(call: Call, caller: Caller): Promise<Reply> {
    const { signing, chainId } = this.parts;
    if (call.params === undefined || call.params === null)
      throw refuse('SIGNER_INTERNAL', 'params are missing');
    const isEea = call.method === 'eea_sendTransaction';
    const read = isEea
      ? readEeaRequest(call.params, chainId)
      : readEthRequest(call.params, chainId);
    const signer = signing.find(caller.identity, read.from, 'SIGNER_NO_SENDER');
    // An EEA transaction costs as much as its marker transaction: no node can estimate it.
    const missing = this.missingIn(read, read.kind !== 'eea');
    const request = missing ? await this.completed(read, missing, { call, caller }) : read;
    if ('status' in request) return relayed(request);
    const intent = intentOf(call.method, request);
    const refusal = signing.check(caller.identity, intent);
    if (refusal) await refusal;
    const data =
      request.kind === 'private' ? await this.storePayload(request, call, caller) : undefined;
    if (data && !(data instanceof Uint8Array)) return relayed(data);
    const signCall = (nonce: number | bigint) =>
      this.parts.signer.signCall({ request, signer, intent, caller, data }, BigInt(nonce));
    const { watch } = caller;
    const sign: typeof signCall = watch
      ? (nonce) => watch.during('sign transaction', () => signCall(nonce))
      : signCall;
    if (request.nonce !== undefined && request.nonce > Number.MAX_SAFE_INTEGER)
      return this.sendUntracked(call, caller, await sign(request.nonce));
    const nonce = request.nonce === undefined ? undefined : Number(request.nonce);
    const { id } = call;
    const { headers, path } = caller;
    const end = await this.parts.sender.submit({
      nonceKey: nonceKeyOf(request),
      nonce,
      sign,
      id,
      headers,
      path,
    });
    return replyOf(id, end);
  }

  private missingIn(request: TransactionRequest, mayEstimate: boolean): Missing | undefined {
    const gas = this.parts.estimatesGas && mayEstimate && !request.namesGas;
    const price = wantsPrice(request);
    return gas || price ? { gas, price } : undefined;
  }

  /** The request with the node's gas and price; or the node's error answer. */
  private async completed(
    read: TransactionRequest,
    missing: Missing,
    { call, caller: { path, headers } }: { readonly call: Call; readonly caller: Caller },
  ): Promise<TransactionRequest | UpstreamAnswer> {
    const { upstream } = this.parts;
    let request = read;
    if (missing.price) {
      const answer = await upstream.post({ body: priceQuestion(call.id), path, headers });
      const price = quantityOf(answer, 'the price of gas');
      if (price === undefined) return answer;
      request = atPrice(request, price);
    }
    if (missing.gas) {
      const body = estimateQuestion(request, call.id);
      const answer = await upstream.post({ body, path, headers });
      const gasLimit = quantityOf(answer, 'the gas that the transaction needs');
      if (gasLimit === undefined) return answer;
      request = { ...request, body: { ...request.body, gasLimit } };
    }
    return request;
  }

  /**
   * Stores a payload with the manager or, as in EthSigner, by a method of the node. A node's answer
   * without a hash is returned unchanged.
   */
  private async storePayload(
    request: Extract<TransactionRequest, { kind: 'private' }>,
    { id }: Call,
    caller: Caller,
  ): Promise<Uint8Array | UpstreamAnswer> {
    const { payloads, upstream } = this.parts;
    const { data } = request.body;
    if (payloads) {
      try {
        const store = () => payloads.storeRaw(data, request.terms.privateFrom);
        return await (caller.watch?.during('store payload', store) ?? store());
      } catch (error) {
        throw refuse('SIGNER_MANAGER', (error as Error).message);
      }
    }
    const params = JSON.stringify([toHex(data)]);
    const body = `{"jsonrpc":"2.0","method":"goquorum_storeRaw","params":${params},"id":${id}}`;
    const answer = await upstream.post({ body, path: caller.path, headers: caller.headers });
    return storedHash(answer) ?? answer;
  }

  /** For a nonce that no chain reaches: signed and sent once, without tracking. */
  private async sendUntracked(call: Call, caller: Caller, signedCall: SignedCall): Promise<Reply> {
    const { method, params } = signedCall;
    const body = `{"jsonrpc":"2.0","method":"${method}","params":${params},"id":${call.id}}`;
    const { path, headers } = caller;
    return relayed(await this.parts.upstream.post({ body, path, headers }));
  }
}

function storedHash({ body }: UpstreamAnswer): Uint8Array | undefined {
  try {
    const { result } = JSON.parse(body) as { result?: unknown };
    return typeof result === 'string' && result !== '' ? fromHex(result) : undefined;
  } catch {
    return undefined;
  }
}

function replyOf(id: string, end: Settled): Reply {
  switch (end.kind) {
    case 'accepted':
      return isAnswer(end.answer) ? relayed(end.answer) : resultReply(id, `"${end.hash}"`);
    case 'known':
      return resultReply(id, `"${end.hash}"`);
    case 'unclear':
      return handOn(end.answer, end.hash);
    case 'refused':
    case 'unsent':
      return handOn(end.answer, undefined);
    case 'uncounted':
      return uncounted(id, end.answer);
    case 'exhausted':
      throw refuse('SIGNER_NONCE_RETRIES', 'every nonce was already used by another transaction');
    case 'next':
      throw fail('INVARIANT_BROKEN', 'a transaction ended as a count');
    case 'full':
      throw refuse('SIGNER_BUSY');
  }
}

/**
 * The node's answer, or why there is none. `hash`: hash of a transaction that may still be mined.
 */
function handOn(answer: NodeAnswer, hash: string | undefined): Reply {
  if (isAnswer(answer)) return relayed(answer, hash);
  if (hash === undefined) throw answer;
  throw refuse(failureCodeOf(answer), answer.message, { transactionHash: hash });
}

/** The reply when the count was not available: the node's error, if there is one. */
function uncounted(id: string, answer: NodeAnswer): Reply {
  if (!isAnswer(answer)) throw answer;
  let error: unknown;
  try {
    ({ error } = JSON.parse(answer.body) as { error?: unknown });
  } catch {
    // An answer that is not JSON is reported below.
  }
  if (error === null || typeof error !== 'object')
    throw refuse('SIGNER_INTERNAL', 'the node does not report the nonce of the account');
  return { status: 500, body: errorText(id, error as { code: number; message: string }) };
}

function isAnswer(answer: NodeAnswer): answer is UpstreamAnswer {
  return !(answer instanceof Error);
}

/** Transactions: `eth_signTransaction`, `eth_sendTransaction` (public and private) and `eea_sendTransaction`. */
import { fromHex, toHex } from '../../../core/base/hex.ts';
import { keccak256 } from '../../../core/base/keccak.ts';
import type { AccountSigner } from '../../../core/signing/account-signer.ts';
import { badParams, refuse } from '../../../core/signing/failures.ts';
import type { Identity, Intent } from '../../../core/signing/guard.ts';
import type { Settled } from '../../../core/signing/nonce-messages.ts';
import { unsignedTransaction } from '../../../core/signing/signed-transaction.ts';
import {
  checkStoredPayload,
  readEeaRequest,
  readEthRequest,
  selectorOf,
  type TransactionRequest,
} from '../../../core/signing/transaction-request.ts';
import type { Call } from './envelope.ts';
import { estimateOf, estimateQuestion } from './gas-estimate.ts';
import { accountOf, isPublicLane, laneOf } from './lanes.ts';
import type { HeaderList, PayloadStore, Upstream, UpstreamAnswer } from './ports.ts';
import { errorText, type Reply, relayed, resultReply } from './reply.ts';
import type { Sender, SignedCall } from './sender.ts';
import { type SigningDesk, signed } from './signing-desk.ts';

/** Who asks, and what of his request goes on to the node. */
export interface Caller {
  readonly identity: Identity;
  readonly headers: HeaderList;
  readonly path: string;
}

export interface TransactionParts {
  readonly desk: SigningDesk;
  readonly sender: Sender;
  readonly upstream: Upstream;
  readonly chainId: bigint;
  /** undefined: no private transaction manager is configured; the node is asked to store payloads. */
  readonly payloads: PayloadStore | undefined;
  /** `eth_signTransaction` without a nonce is refused, as in EthSigner. */
  readonly strictNonce: boolean;
  /** A transaction that names no gas gets what the node estimates, and not EthSigner's default. */
  readonly estimatesGas: boolean;
}

export class Transactions {
  private readonly parts: TransactionParts;

  constructor(parts: TransactionParts) {
    this.parts = parts;
  }

  /** The signed bytes; they go nowhere. */
  async sign(call: Call, caller: Caller): Promise<Reply> {
    const { identity } = caller;
    const read = readEthRequest(call.params, this.parts.chainId);
    checkStoredPayload(read);
    if (read.nonce === undefined && this.parts.strictNonce) throw badParams('nonce is missing');
    const { desk } = this.parts;
    const signer = desk.find(identity, read.from, 'SIGNER_NO_ACCOUNT');
    // A private one that is only signed carries the hash of its payload, which runs nothing.
    const request =
      this.needsEstimate(read) && read.kind === 'public'
        ? await this.withEstimate(read, call, caller)
        : read;
    if ('status' in request) return relayed(request);
    const intent = intentOf(call.method, request);
    await desk.check(identity, intent);
    let { nonce } = request;
    if (nonce === undefined) {
      const end = await this.parts.sender.next(laneOf(request));
      if (end.kind !== 'next') return replyOf(call.id, end);
      nonce = BigInt(end.nonce);
    }
    const raw = await this.rawOf(signer, request, nonce);
    await desk.record(identity, intent, toHex(keccak256(raw)));
    return resultReply(call.id, `"${toHex(raw)}"`);
  }

  /** Of `eth_sendTransaction` and `eea_sendTransaction`. */
  async send(call: Call, caller: Caller): Promise<Reply> {
    const { desk, chainId } = this.parts;
    if (call.params === undefined || call.params === null)
      throw refuse('SIGNER_INTERNAL', 'params are missing');
    const isEea = call.method === 'eea_sendTransaction';
    const read = isEea
      ? readEeaRequest(call.params, chainId)
      : readEthRequest(call.params, chainId);
    const signer = desk.find(caller.identity, read.from, 'SIGNER_NO_SENDER');
    const request = this.needsEstimate(read) ? await this.withEstimate(read, call, caller) : read;
    if ('status' in request) return relayed(request);
    const intent = intentOf(call.method, request);
    const refusal = desk.check(caller.identity, intent);
    if (refusal) await refusal;
    const data =
      request.kind === 'private' ? await this.storePayload(request, call, caller) : undefined;
    if (data && !(data instanceof Uint8Array)) return relayed(data);
    const sign = (nonce: number | bigint) =>
      this.signCall({ request, signer, intent, caller, data }, BigInt(nonce));
    if (request.nonce !== undefined && request.nonce > Number.MAX_SAFE_INTEGER)
      return this.sendUntracked(call, caller, await sign(request.nonce));
    const nonce = request.nonce === undefined ? undefined : Number(request.nonce);
    const { id } = call;
    const { headers, path } = caller;
    const end = await this.parts.sender.submit({
      lane: laneOf(request),
      nonce,
      sign,
      id,
      headers,
      path,
    });
    return replyOf(id, end);
  }

  /** A transfer of nothing from an account to itself, for a nonce that holds up others. */
  fill(
    lane: string,
    nonce: number,
    identity: Identity,
  ): SignedCall | Promise<SignedCall> | undefined {
    if (!isPublicLane(lane)) return undefined;
    const account = accountOf(lane);
    const { desk, chainId } = this.parts;
    const signer = desk.find(identity, account, 'SIGNER_NO_SENDER');
    const request = readEthRequest({ from: account, to: account, gas: 21_000 }, chainId);
    const intent = intentOf('eth_sendTransaction', request);
    const caller = { identity, headers: [], path: '/' };
    return this.signCall({ request, signer, intent, caller, data: undefined }, BigInt(nonce));
  }

  /** An EEA transaction runs as its marker does: no node estimates it. */
  private needsEstimate({ namesGas, kind }: TransactionRequest): boolean {
    return this.parts.estimatesGas && !namesGas && kind !== 'eea';
  }

  /** With the gas that the node says it needs; or the error with which the node answers. */
  private async withEstimate(
    request: TransactionRequest,
    call: Call,
    { path, headers }: Caller,
  ): Promise<TransactionRequest | UpstreamAnswer> {
    const body = estimateQuestion(request, call.id);
    const answer = await this.parts.upstream.post({ body, path, headers });
    const gasLimit = estimateOf(answer);
    if (gasLimit === undefined) return answer;
    return { ...request, body: { ...request.body, gasLimit } };
  }

  private rawOf(
    signer: AccountSigner,
    request: TransactionRequest,
    nonce: bigint,
    data?: Uint8Array,
  ): Uint8Array | Promise<Uint8Array> {
    const unsigned = unsignedTransaction(request, nonce, this.parts.chainId, data);
    const signature = signed(signer, unsigned.digest);
    if (!(signature instanceof Promise)) return unsigned.finish(signature);
    return signature.then((each) => unsigned.finish(each));
  }

  /** Recorded before it leaves; at once where neither the key nor the record has to be waited for. */
  private signCall(job: Job, nonce: bigint): SignedCall | Promise<SignedCall> {
    const raw = this.rawOf(job.signer, job.request, nonce, job.data);
    return raw instanceof Promise
      ? raw.then((each) => this.recorded(job, each))
      : this.recorded(job, raw);
  }

  private recorded(
    { request, intent, caller }: Job,
    raw: Uint8Array,
  ): SignedCall | Promise<SignedCall> {
    const call = { ...callOf(request, raw), psi: psiOf(caller) };
    const record = this.parts.desk.record(caller.identity, intent, call.hash);
    return record ? record.then(() => call) : call;
  }

  /** With the manager, or as EthSigner did: by a method of the node. An answer of the node that holds no hash is handed on. */
  private async storePayload(
    request: Extract<TransactionRequest, { kind: 'private' }>,
    { id }: Call,
    caller: Caller,
  ): Promise<Uint8Array | UpstreamAnswer> {
    const { payloads, upstream } = this.parts;
    const { data } = request.body;
    if (payloads) {
      try {
        return await payloads.storeRaw(data, request.terms.privateFrom);
      } catch (error) {
        throw refuse('SIGNER_MANAGER', (error as Error).message);
      }
    }
    const params = JSON.stringify([toHex(data)]);
    const body = `{"jsonrpc":"2.0","method":"goquorum_storeRaw","params":${params},"id":${id}}`;
    const answer = await upstream.post({ body, path: caller.path, headers: caller.headers });
    return storedHash(answer) ?? answer;
  }

  /** A nonce that no chain reaches: signed and handed on once, nothing to keep track of. */
  private async sendUntracked(call: Call, caller: Caller, signedCall: SignedCall): Promise<Reply> {
    const { method, params } = signedCall;
    const body = `{"jsonrpc":"2.0","method":"${method}","params":${params},"id":${call.id}}`;
    const { path, headers } = caller;
    return relayed(await this.parts.upstream.post({ body, path, headers }));
  }
}

interface Job {
  readonly request: TransactionRequest;
  readonly signer: AccountSigner;
  readonly intent: Intent;
  readonly caller: Caller;
  readonly data: Uint8Array | undefined;
}

function callOf(request: TransactionRequest, raw: Uint8Array): SignedCall {
  const hash = toHex(keccak256(raw));
  const text = toHex(raw);
  if (request.kind === 'public')
    return { hash, method: 'eth_sendRawTransaction', params: `["${text}"]` };
  if (request.kind === 'eea')
    return { hash, method: 'eea_sendRawTransaction', params: `["${text}"]` };
  const params = JSON.stringify([text, request.terms]);
  return { hash, method: 'eth_sendRawPrivateTransaction', params };
}

function intentOf(method: string, request: TransactionRequest): Intent {
  const { body, from, kind } = request;
  return {
    method,
    account: from,
    kind: kind === 'public' ? 'transaction' : 'privateTransaction',
    to: body.to && toHex(body.to),
    value: body.value,
    gas: body.gasLimit,
    fee: body.gasLimit * (body.type >= 2 ? body.maxFeePerGas : body.gasPrice),
    // A private transaction that is only signed carries the hash of its payload.
    selector: kind === 'private' && method === 'eth_signTransaction' ? 'opaque' : selectorOf(body),
  };
}

/** As a node takes it: the header counts before the URL. */
function psiOf({ path, headers }: Caller): string | undefined {
  for (let at = 0; at + 1 < headers.length; at += 2)
    if (/^(quorum|ledger)-psi$/i.test(headers[at]!) && headers[at + 1]) return headers[at + 1];
  const query = path.includes('PSI=') ? /[?&]PSI=([^&]*)/.exec(path)?.[1] : undefined;
  return query ? new URLSearchParams(`PSI=${query}`).get('PSI')! : undefined;
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
      return relayed(end.answer as UpstreamAnswer);
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
      throw refuse('SIGNER_NONCE_RETRIES', 'each nonce was taken by somebody else');
    default:
      throw refuse('SIGNER_BUSY');
  }
}

/** What the node said, or why it did not. `hash`: of what may be mined all the same. */
function handOn(answer: unknown, hash: string | undefined): Reply {
  if (isAnswer(answer)) return relayed(answer, hash);
  if (hash === undefined) throw answer;
  const { code, message } = answer as { code?: string; message: string };
  throw refuse((code ?? 'SIGNER_INTERNAL') as 'SIGNER_INTERNAL', message, {
    transactionHash: hash,
  });
}

/** The count could not be had: the node's error, if it is one. */
function uncounted(id: string, answer: unknown): Reply {
  if (!isAnswer(answer)) throw answer;
  let error: unknown;
  try {
    ({ error } = JSON.parse(answer.body) as { error?: unknown });
  } catch {
    // Said below.
  }
  if (error === null || typeof error !== 'object')
    throw refuse('SIGNER_INTERNAL', 'the node does not tell the nonce of the account');
  return { status: 500, body: errorText(id, error as { code: number; message: string }) };
}

function isAnswer(answer: unknown): answer is UpstreamAnswer {
  return answer !== null && typeof answer === 'object' && 'body' in answer && 'status' in answer;
}

/** Signs transactions: the bytes for the node, and the entry for the audit log. */
import { toHex } from '../../../core/base/hex.ts';
import { keccak256 } from '../../../core/base/keccak.ts';
import type { Watch } from '../../../core/base/ports.ts';
import type { AccountSigner } from '../../../core/signing/account-signer.ts';
import type { Identity, Intent } from '../../../core/signing/guard.ts';
import { unsignedTransaction } from '../../../core/signing/signed-transaction.ts';
import {
  readEthRequest,
  selectorOf,
  type TransactionRequest,
} from '../../../core/signing/transaction-request.ts';
import { type GuardedSigning, signed } from './guarded-signing.ts';
import { accountOf, isPublicNonce } from './nonce-keys.ts';
import type { HeaderList } from './ports.ts';

/** The caller, and the parts of its request that are forwarded to the node. */
export interface Caller {
  readonly identity: Identity;
  readonly headers: HeaderList;
  readonly path: string;
  /** Records the steps of the request; undefined: it is not traced. */
  readonly watch?: Watch;
}

/** A call that sends signed bytes. */
export interface SignedCall {
  readonly hash: string;
  readonly method: string;
  /** JSON text. */
  readonly params: string;
  readonly psi?: string | undefined;
}

/** A transaction without its nonce. */
export interface SigningJob {
  readonly request: TransactionRequest;
  readonly signer: AccountSigner;
  readonly intent: Intent;
  readonly caller: Caller;
  readonly data: Uint8Array | undefined;
}

export class TransactionSigner {
  private readonly signing: GuardedSigning;
  private readonly chainId: bigint;

  constructor(signing: GuardedSigning, chainId: bigint) {
    this.signing = signing;
    this.chainId = chainId;
  }

  /**
   * Signs an empty transfer from an account to itself, for a missing nonce that blocks later ones.
   */
  fill(
    nonceKey: string,
    nonce: number,
    identity: Identity,
  ): SignedCall | Promise<SignedCall> | undefined {
    if (!isPublicNonce(nonceKey)) return undefined;
    const account = accountOf(nonceKey);
    const { signing, chainId } = this;
    const signer = signing.find(identity, account, 'SIGNER_NO_SENDER');
    const request = readEthRequest({ from: account, to: account, gas: 21_000 }, chainId);
    const intent = intentOf('eth_sendTransaction', request);
    const caller = { identity, headers: [], path: '/' };
    return this.signCall({ request, signer, intent, caller, data: undefined }, BigInt(nonce));
  }

  /** The signed bytes. `data`: replaces the data of the request. */
  rawOf(
    signer: AccountSigner,
    request: TransactionRequest,
    nonce: bigint,
    data?: Uint8Array,
  ): Uint8Array | Promise<Uint8Array> {
    const unsigned = unsignedTransaction(request, nonce, this.chainId, data);
    const signature = signed(signer, unsigned.digest);
    if (!(signature instanceof Promise)) return unsigned.finish(signature);
    return signature.then((each) => unsigned.finish(each));
  }

  /**
   * Records before the call is sent; synchronous when neither the key nor the record is waited for.
   */
  signCall(job: SigningJob, nonce: bigint): SignedCall | Promise<SignedCall> {
    const raw = this.rawOf(job.signer, job.request, nonce, job.data);
    return raw instanceof Promise
      ? raw.then((each) => this.recorded(job, each))
      : this.recorded(job, raw);
  }

  private recorded(
    { request, intent, caller }: SigningJob,
    raw: Uint8Array,
  ): SignedCall | Promise<SignedCall> {
    const call = { ...callOf(request, raw), psi: psiOf(caller) };
    const record = this.signing.record(caller.identity, intent, call.hash);
    return record ? record.then(() => call) : call;
  }
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

/** What the guard decides on. */
export function intentOf(method: string, request: TransactionRequest): Intent {
  const { body, from, kind } = request;
  return {
    method,
    account: from,
    kind: kind === 'public' ? 'transaction' : 'privateTransaction',
    to: body.to && toHex(body.to),
    value: body.value,
    gas: body.gasLimit,
    fee: body.gasLimit * (body.type >= 2 ? body.maxFeePerGas : body.gasPrice),
    // A private transaction that is only signed contains the hash of its payload.
    selector: kind === 'private' && method === 'eth_signTransaction' ? 'opaque' : selectorOf(body),
  };
}

/** The PSI as a node determines it: the header takes precedence over the URL. */
function psiOf({ path, headers }: Caller): string | undefined {
  for (let at = 0; at + 1 < headers.length; at += 2)
    if (/^(quorum|ledger)-psi$/i.test(headers[at]!) && headers[at + 1]) return headers[at + 1];
  const query = path.includes('PSI=') ? /[?&]PSI=([^&]*)/.exec(path)?.[1] : undefined;
  return query ? new URLSearchParams(`PSI=${query}`).get('PSI')! : undefined;
}

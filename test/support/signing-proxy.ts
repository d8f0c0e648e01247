/** A signing proxy without sockets: keys in memory, and a simulated node. */
import { toHex } from '../../src/core/base/hex.ts';
import { addressOfSecretKey, secp256k1, sign65 } from '../../src/core/base/secp256k1.ts';
import type { AccountSigner, SigningAccounts } from '../../src/core/signing/account-signer.ts';
import type { Guard, Identity } from '../../src/core/signing/guard.ts';
import { NonceManager } from '../../src/core/signing/nonce-manager.ts';
import { systemClock } from '../../src/io/host/clock.ts';
import { systemTimers } from '../../src/io/host/timers.ts';
import { GuardedSigning } from '../../src/services/signer/proxy/guarded-signing.ts';
import { FORGETFUL_JOURNAL } from '../../src/services/signer/proxy/journal.ts';
import { EVERYBODY, OPEN_GUARD } from '../../src/services/signer/proxy/open-guard.ts';
import { Pipeline } from '../../src/services/signer/proxy/pipeline.ts';
import type {
  HeaderList,
  Journal,
  PayloadStore,
  Upstream,
  UpstreamAnswer,
} from '../../src/services/signer/proxy/ports.ts';
import type { Reply } from '../../src/services/signer/proxy/reply.ts';
import { Sender } from '../../src/services/signer/proxy/sender.ts';
import { TransactionSigner } from '../../src/services/signer/proxy/transaction-signer.ts';
import { Transactions } from '../../src/services/signer/proxy/transactions.ts';

export function accountsOf(keys: readonly Uint8Array[]): SigningAccounts {
  const signers = keys.map(
    (key): AccountSigner => ({
      address: addressOfSecretKey(key),
      publicKey: () => Promise.resolve(secp256k1().publicKey(key)),
      sign: (digest) => sign65(digest, key),
    }),
  );
  const all = new Map(signers.map((signer) => [toHex(signer.address), signer]));
  return { addresses: () => [...all.keys()].sort(), find: (address) => all.get(address) };
}

/** One JSON-RPC call as the node receives it. */
export interface NodeCall {
  readonly method: string;
  readonly params: readonly unknown[];
  readonly id: unknown;
}

/** Answers calls; a thrown error is a connection failure. */
export function upstreamOf(
  play: (call: NodeCall, headers: HeaderList) => unknown | Promise<unknown>,
): Upstream & { readonly calls: NodeCall[] } {
  const calls: NodeCall[] = [];
  return {
    calls,
    async post({ body, headers }) {
      const call = JSON.parse(body) as NodeCall;
      calls.push(call);
      const answer = await play(call, headers);
      if (isAnswer(answer)) return answer;
      return nodeAnswer(200, { jsonrpc: '2.0', id: call.id, ...(answer as object) });
    },
  };
}

export function nodeAnswer(status: number, body: unknown): UpstreamAnswer {
  return { status, headers: [], body: typeof body === 'string' ? body : JSON.stringify(body) };
}

function isAnswer(answer: unknown): answer is UpstreamAnswer {
  return typeof answer === 'object' && answer !== null && 'status' in answer;
}

export interface MemoryProxy {
  readonly sender: Sender;
  send(
    body: unknown,
    identity?: Identity,
    request?: { readonly headers: HeaderList; readonly path: string },
  ): Promise<Reply>;
  /** The parsed response to one call. */
  call(method: string, ...params: unknown[]): Promise<any>;
  close(): void;
}

export function memoryProxy(options: {
  readonly keys: readonly Uint8Array[];
  readonly chainId: bigint;
  readonly upstream: Upstream;
  readonly guard?: Guard;
  readonly journal?: Journal;
  readonly payloads?: PayloadStore;
  readonly strictNonce?: boolean;
  readonly estimatesGas?: boolean;
  readonly fillsGaps?: boolean;
  readonly forwarded?: readonly string[];
}): MemoryProxy {
  const { upstream, chainId } = options;
  const signing = new GuardedSigning(accountsOf(options.keys), options.guard ?? OPEN_GUARD);
  const signer = new TransactionSigner(signing, chainId);
  const sender = new Sender({
    manager: new NonceManager({ fillsGaps: options.fillsGaps ?? false }),
    upstream,
    journal: options.journal ?? FORGETFUL_JOURNAL,
    clock: systemClock,
    timers: systemTimers,
    log: () => {},
    metrics: undefined,
    signFill: (nonceKey, nonce) => signer.fill(nonceKey, nonce, EVERYBODY),
  });
  const transactions = new Transactions({
    ...{ signing, signer, sender, upstream, chainId, payloads: options.payloads },
    strictNonce: options.strictNonce ?? false,
    estimatesGas: options.estimatesGas ?? false,
  });
  const forwarded = options.forwarded ?? [];
  const pipeline = new Pipeline({ signing, transactions, upstream, forwarded });
  const plain = { headers: [], path: '/' };
  const send: MemoryProxy['send'] = (body, identity = EVERYBODY, request = plain) => {
    const text = typeof body === 'string' ? body : JSON.stringify(body);
    return pipeline.handle(text, { identity, ...request });
  };
  return {
    sender,
    send,
    call: async (method, ...params) =>
      JSON.parse((await send({ jsonrpc: '2.0', id: 1, method, params })).body),
    close: () => sender.close(),
  };
}

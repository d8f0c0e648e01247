/**
 * Accounts of another process that signs for the node (`--signer`): clef (`account_*`, GoQuorum
 * accounts/external/backend.go), or a signing proxy (`eth_accounts`, `eth_sign…`). A signature is
 * accepted only if it is the account's, for exactly what was requested.
 */
import { type Address, concatBytes, equalBytes, type Hash32 } from '../../../core/base/bytes.ts';
import { checksumAddress } from '../../../core/base/checksum-address.ts';
import { fail, type QuorateError } from '../../../core/base/errors.ts';
import { fromHex, toHex, toQuantity } from '../../../core/base/hex.ts';
import type { Log, Timers } from '../../../core/base/ports.ts';
import { bigIntToFixed } from '../../../core/base/quantity.ts';
import { recoverAddress } from '../../../core/base/secp256k1.ts';
import { decodeTransaction, type TransactionBody } from '../../../core/chain/transaction.ts';
import type { Subject } from '../../../core/signing/subject.ts';
import { reasonOf } from '../../../io/host/reason.ts';
import type { RpcWire } from '../../../io/rpc-wire/wire.ts';

/** Time limit of a signature: a person may have to confirm it. */
const SIGN_MS = 120_000;
const ASK_MS = 30_000;
/** Maximum number of requests that wait for an answer. */
const WAITING_MAX = 100;
const ACCOUNTS_MAX = 10_000;
const REASON_CHARACTERS_MAX = 300;

export interface ExternalSignerParts {
  readonly endpoint: string;
  readonly wire: RpcWire;
  readonly timers: Timers;
  readonly log: Log;
}

type Kind = 'clef' | 'signing proxy';

/**
 * Fields that mark a transaction as private. Its payload is stored already, and no signature covers
 * the recipients: a proxy does not receive them.
 */
const PRIVATE: Readonly<Record<Kind, object>> = {
  clef: { isPrivate: true },
  'signing proxy': { privateFor: [] },
};

export class ExternalSigner {
  private readonly parts: ExternalSignerParts;
  private kind: Kind = 'clef';
  private accounts: readonly Address[] = [];
  private waiting = 0;
  private asked = 0;

  private constructor(parts: ExternalSignerParts) {
    this.parts = parts;
  }

  /** Throws SIGNER_UNAVAILABLE if neither clef nor a signing proxy answers there. */
  static async connect(parts: ExternalSignerParts): Promise<ExternalSigner> {
    const signer = new ExternalSigner(parts);
    const { endpoint, log } = parts;
    const version = await signer.version();
    log('info', 'Using external signer', { url: endpoint, kind: signer.kind, version });
    try {
      await signer.list();
    } catch (cause) {
      // The user of clef may refuse to list accounts: the node runs without any until they agree.
      log('warn', 'account listing failed', { url: endpoint, reason: reasonOf(cause) });
    }
    return signer;
  }

  /** The accounts of the last successful `list()`. */
  addresses(): readonly Address[] {
    return this.accounts;
  }

  /** Requests the accounts from the signer. Throws SIGNER_UNAVAILABLE and SIGNER_REFUSED. */
  async list(): Promise<readonly Address[]> {
    const answer = await this.ask(
      this.kind === 'clef' ? 'account_list' : 'eth_accounts',
      [],
      SIGN_MS,
    );
    const isList = Array.isArray(answer) && answer.length <= ACCOUNTS_MAX;
    if (!isList || answer.some((each) => !/^0x[0-9a-f]{40}$/i.test(String(each)))) {
      throw this.unavailable('its list of accounts is none');
    }
    this.accounts = answer.map((each) => fromHex(String(each).toLowerCase()));
    return this.accounts;
  }

  /**
   * r ‖ s ‖ v, v 0 or 1. Throws ACCOUNT_UNKNOWN, SIGNER_UNAVAILABLE, and SIGNER_REFUSED with the
   * signer's text.
   */
  async sign(account: Address, hash: Hash32, subject: Subject): Promise<Uint8Array> {
    if (!this.accounts.some((each) => equalBytes(each, account))) {
      throw fail('ACCOUNT_UNKNOWN', 'unknown account');
    }
    const signature = await this.signed(account, subject);
    const signer = signature && recoverAddress(hash, signature);
    if (signature && signer && equalBytes(signer, account)) return signature;
    const isPrivate = subject.kind === 'transaction' && subject.isPrivate;
    throw this.unavailable(
      isPrivate
        ? "it does not sign private transactions: GoQuorum's clef and quorate signer do"
        : 'it signed something else than was asked: do not change what it shows',
    );
  }

  private async version(): Promise<unknown> {
    try {
      return await this.ask('account_version', [], ASK_MS);
    } catch (error) {
      if (!(error instanceof Error && 'code' in error && error.code === 'SIGNER_REFUSED'))
        throw error;
    }
    this.kind = 'signing proxy';
    try {
      await this.ask('eth_accounts', [], ASK_MS);
    } catch (cause) {
      throw this.unavailable(`neither clef nor a signing proxy answers there: ${reasonOf(cause)}`);
    }
    return undefined;
  }

  private async signed(account: Address, subject: Subject): Promise<Uint8Array | undefined> {
    const isClef = this.kind === 'clef';
    const who = checksumAddress(account);
    if (subject.kind === 'digest') return undefined;
    if (subject.kind === 'message') {
      const message = toHex(subject.message);
      return isClef
        ? signatureOf(await this.ask('account_signData', ['text/plain', who, message], SIGN_MS))
        : signatureOf(await this.ask('eth_sign', [who, message], SIGN_MS));
    }
    if (subject.kind === 'typed data') {
      const method = isClef ? 'account_signTypedData' : 'eth_signTypedData_v4';
      return signatureOf(await this.ask(method, [who, subject.data], SIGN_MS));
    }
    const method = isClef ? 'account_signTransaction' : 'eth_signTransaction';
    const mark = subject.isPrivate ? PRIVATE[this.kind] : {};
    const request = { ...fieldsOf(who, subject.body), ...mark };
    const answer = await this.ask(method, [request], SIGN_MS);
    const raw = typeof answer === 'string' ? answer : (answer as { raw?: unknown } | null)?.raw;
    return signatureIn(raw);
  }

  private async ask(
    method: string,
    params: readonly unknown[],
    timeoutMs: number,
  ): Promise<unknown> {
    if (this.waiting >= WAITING_MAX) throw this.unavailable('too many requests wait for it');
    this.waiting++;
    const request = JSON.stringify({ jsonrpc: '2.0', id: ++this.asked, method, params });
    try {
      const text = await this.within(timeoutMs, this.parts.wire.ask(request));
      return this.resultOf(text);
    } finally {
      this.waiting--;
    }
  }

  private resultOf(text: string): unknown {
    let reply: { result?: unknown; error?: { message?: unknown } } | null;
    try {
      reply = JSON.parse(text);
    } catch {
      throw this.unavailable('its answer is not JSON');
    }
    if (reply?.error) {
      const said = String(reply.error.message).slice(0, REASON_CHARACTERS_MAX);
      throw fail('SIGNER_REFUSED', `external signer: ${said}`);
    }
    return reply?.result;
  }

  private within<T>(ms: number, work: Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      const late = () => reject(this.unavailable(`no answer within ${ms / 1000} s`));
      const timer = this.parts.timers.set(ms, late);
      work
        .then(resolve, (cause: unknown) => reject(this.unavailable(reasonOf(cause))))
        .finally(() => timer.cancel());
    });
  }

  private unavailable(why: string): QuorateError {
    return fail('SIGNER_UNAVAILABLE', `external signer at ${this.parts.endpoint}: ${why}`);
  }
}

/** The arguments of `account_signTransaction` and `eth_signTransaction`. */
function fieldsOf(from: string, body: TransactionBody): object {
  const { type, chainId, accessList } = body;
  return {
    from,
    ...(body.to ? { to: checksumAddress(body.to) } : {}),
    nonce: toQuantity(body.nonce),
    gas: toQuantity(body.gasLimit),
    value: toQuantity(body.value),
    data: toHex(body.data),
    ...(type === 2
      ? {
          maxFeePerGas: toQuantity(body.maxFeePerGas),
          maxPriorityFeePerGas: toQuantity(body.maxPriorityFeePerGas),
        }
      : { gasPrice: toQuantity(body.gasPrice) }),
    ...(chainId === undefined ? {} : { chainId: toQuantity(chainId) }),
    ...(type === 0
      ? {}
      : {
          accessList: accessList.map(({ address, slots }) => ({
            address: toHex(address),
            storageKeys: slots.map(toHex),
          })),
        }),
  };
}

/** A signature from r ‖ s ‖ v, where v is 0, 1, 27 or 28. */
function signatureOf(answer: unknown): Uint8Array | undefined {
  if (typeof answer !== 'string' || !/^0x[0-9a-f]{130}$/i.test(answer)) return undefined;
  const signature = fromHex(answer.toLowerCase());
  if (signature[64]! >= 27) signature[64] = signature[64]! - 27;
  return signature;
}

/** The signature in a signed transaction. */
function signatureIn(raw: unknown): Uint8Array | undefined {
  if (typeof raw !== 'string' || !/^0x(?:[0-9a-f]{2})+$/i.test(raw)) return undefined;
  try {
    const { v, r, s } = decodeTransaction(fromHex(raw.toLowerCase()));
    const parity = v >= 35n ? (v - 35n) & 1n : v >= 27n ? v - 27n : v;
    return concatBytes(bigIntToFixed(r, 32), bigIntToFixed(s, 32), Uint8Array.of(Number(parity)));
  } catch {
    return undefined;
  }
}

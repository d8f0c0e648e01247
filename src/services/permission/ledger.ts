/**
 * Access to a running ledger for the permission commands: calls, and transactions with receipts.
 */
import { setTimeout as pause } from 'node:timers/promises';
import type { Address } from '../../core/base/bytes.ts';
import { fail, hasCode } from '../../core/base/errors.ts';
import { fromHex, toHex, toQuantity } from '../../core/base/hex.ts';
import { AbiValues } from '../../core/permission/abi.ts';
import { NO_PERMISSION, NOT_FROM_THIS_NODE } from '../../core/permission/rules.ts';
import { RpcClient } from '../../io/ledger-client/rpc-client.ts';

const LOOK_MS = 200;
/** Added to a gas estimate, in percent, because the state may change before execution. */
const SPARE_PERCENT = 25n;
/** Length of the selector of `Error(string)`. */
const ERROR_BYTES = 4;
/** Advice for the operator, by a node's error. */
const WAY_OUT: Readonly<Record<string, (from: string) => string>> = {
  [NOT_FROM_THIS_NODE]: (from) =>
    `${from} may use approved nodes of its own organisation and its tree only: name one with --ledger.url`,
  [NO_PERMISSION]: (from) =>
    `quorate permission show has the status and the role of ${from}; it must be allowed to call contracts`,
  'unknown account': (from) =>
    `the node does not sign for ${from}: name one that does, or the signing proxy, with --ledger.url`,
};
const REVERTED = /^execution reverted(?:: )?/;

/** A transaction that is in a block and succeeded. */
export interface Outcome {
  readonly hash: string;
  readonly blockNumber: number;
  /** Address of the created contract, if any. */
  readonly contractAddress: Address | undefined;
}

/** The call's members in JSON-RPC. */
interface Call {
  readonly from: string;
  readonly to?: string;
  readonly data: string;
  readonly gasPrice: string;
}

interface Receipt {
  readonly blockNumber: string;
  readonly status: string;
  readonly contractAddress: string | null;
  readonly revertReason?: string;
}

export interface Sending {
  readonly from: Address;
  /** Undefined: creates a contract. */
  readonly to: Address | undefined;
  readonly data: Uint8Array;
}

export class PermissionLedger {
  private readonly rpc: RpcClient;
  private readonly patienceMs: number;

  /** `patienceMs`: how long to wait for a transaction to be in a block. */
  constructor(url: string, patienceMs: number) {
    this.rpc = new RpcClient(url);
    this.patienceMs = patienceMs;
  }

  /** Identifies the ledger. */
  identity(): Promise<string> {
    return this.rpc.identity();
  }

  async accounts(): Promise<Address[]> {
    return (await this.rpc.call<string[]>('eth_accounts', [])).map(fromHex);
  }

  async hasCode(address: Address): Promise<boolean> {
    return (await this.rpc.call<string>('eth_getCode', [toHex(address), 'latest'])) !== '0x';
  }

  /** Resolves once the account has no pending transaction. Throws PERMISSION_UNSEEN. */
  async settled(account: Address): Promise<void> {
    const count = (block: string) =>
      this.rpc.call<string>('eth_getTransactionCount', [toHex(account), block]);
    await this.until(
      async () => (await count('latest')) === (await count('pending')) || undefined,
      `transactions of ${toHex(account)} wait for a block`,
    );
  }

  /** Throws PERMISSION_REVERTED with the contract's reason. */
  async ask(to: Address, data: Uint8Array): Promise<AbiValues> {
    return new AbiValues(await this.answerTo(to, data));
  }

  /** Like `ask`, but returns the bytes. */
  async answerTo(to: Address, data: Uint8Array): Promise<Uint8Array> {
    const call = { to: toHex(to), data: toHex(data) };
    return fromHex(await this.simulated<string>('eth_call', [call, 'latest']));
  }

  /**
   * Sends a transaction and waits for its block. Throws PERMISSION_REVERTED with the contract's
   * reason, PERMISSION_UNSEEN.
   */
  async send(sending: Sending): Promise<Outcome> {
    const call = await this.callOf(sending);
    const estimate = BigInt(await this.simulated<string>('eth_estimateGas', [call]));
    const gas = estimate + (estimate * SPARE_PERCENT) / 100n;
    return this.outcomeOf(call, await this.submit(call, gas));
  }

  /**
   * Sends transactions in order, without waiting in between, so that they share blocks; each may
   * use `gas`. Resolves once all are in blocks; throws like `send` for the first one that failed.
   */
  async sendAll(list: readonly Sending[], gas: bigint): Promise<Outcome[]> {
    const sent: { call: Call; hash: string }[] = [];
    for (const sending of list) {
      const call = await this.callOf(sending);
      sent.push({ call, hash: await this.submit(call, gas) });
    }
    const outcomes: Outcome[] = [];
    for (const { call, hash } of sent) outcomes.push(await this.outcomeOf(call, hash));
    return outcomes;
  }

  close(): void {
    this.rpc.close();
  }

  private async callOf({ from, to, data }: Sending): Promise<Call> {
    return {
      from: toHex(from),
      ...(to ? { to: toHex(to) } : {}),
      data: toHex(data),
      gasPrice: await this.rpc.call<string>('eth_gasPrice', []),
    };
  }

  private async submit(call: Call, gas: bigint): Promise<string> {
    try {
      return await this.rpc.call('eth_sendTransaction', [{ ...call, gas: toQuantity(gas) }]);
    } catch (error) {
      throw explained(error, call.from);
    }
  }

  private async outcomeOf(call: Call, hash: string): Promise<Outcome> {
    const receipt = await this.receiptOf(hash);
    if (receipt.status !== '0x1') throw reverted(await this.reasonOf(receipt, call));
    return {
      hash,
      blockNumber: Number(receipt.blockNumber),
      contractAddress: receipt.contractAddress ? fromHex(receipt.contractAddress) : undefined,
    };
  }

  private receiptOf(hash: string): Promise<Receipt> {
    const look = () =>
      this.rpc.call<Receipt | null>('eth_getTransactionReceipt', [hash]).catch(nothingYet);
    return this.until(look, `transaction ${hash} is in no block`);
  }

  /** Polls until there is a result. */
  private async until<T>(look: () => Promise<T | null | undefined>, what: string): Promise<T> {
    const deadline = performance.now() + this.patienceMs;
    for (;;) {
      const found = await look();
      if (found) return found;
      if (performance.now() > deadline) {
        const seconds = this.patienceMs / 1_000;
        throw fail(
          'PERMISSION_UNSEEN',
          `${what} after ${seconds} s. It may still come: quorate permission show`,
        );
      }
      await pause(LOOK_MS);
    }
  }

  /**
   * The reason of a revert. Nodes with --revertreason have it in the receipt; otherwise the call is
   * repeated on the state before its block.
   */
  private async reasonOf({ revertReason, blockNumber }: Receipt, call: Call): Promise<string> {
    if (revertReason) return errorText(revertReason);
    const before = toQuantity(Number(blockNumber) - 1);
    try {
      await this.simulated('eth_call', [call, before]);
      return '';
    } catch (error) {
      if (!hasCode(error, 'PERMISSION_REVERTED')) throw error;
      return String(error.data);
    }
  }

  private async simulated<T>(method: string, params: readonly unknown[]): Promise<T> {
    try {
      return await this.rpc.call<T>(method, params);
    } catch (error) {
      const why = hasCode(error, 'LEDGER_REFUSED') ? String(error.data) : '';
      if (REVERTED.test(why)) throw reverted(why.replace(REVERTED, ''));
      throw error;
    }
  }
}

/** Some nodes return an error, not null, for an unknown transaction. */
function nothingYet(error: unknown): null {
  if (hasCode(error, 'LEDGER_REFUSED')) return null;
  throw error;
}

/** The error's `data` is the reason; empty: the contract gave none. */
function reverted(reason: string): Error {
  const text = reason === '' ? 'without a reason' : reason;
  return fail('PERMISSION_REVERTED', `reverted: ${text}`, { data: reason });
}

function explained(error: unknown, from: string): unknown {
  if (!hasCode(error, 'LEDGER_REFUSED')) return error;
  const wayOut = WAY_OUT[String(error.data)];
  return wayOut ? fail(error.code, `${error.message}; ${wayOut(from)}`, { cause: error }) : error;
}

function errorText(data: string): string {
  try {
    return new AbiValues(fromHex(data).subarray(ERROR_BYTES)).text(0);
  } catch {
    return data;
  }
}

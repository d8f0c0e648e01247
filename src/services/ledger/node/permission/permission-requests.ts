/**
 * Clients' queries and changes of the network's permissions: a change is checked, sent as a
 * transaction, and its block is awaited if requested.
 */
import { type Address, equalBytes, keyOf } from '../../../../core/base/bytes.ts';
import { fail, QuorateError } from '../../../../core/base/errors.ts';
import { toHex } from '../../../../core/base/hex.ts';
import type { Timers } from '../../../../core/base/ports.ts';
import type { Receipt } from '../../../../core/chain/receipt.ts';
import { revertReason } from '../../../../core/evm/tracers/revert-reason.ts';
import {
  type ActionContext,
  enodeOf,
  notExecuted,
  refused,
  TEXT,
} from '../../../../core/permission/actions/checks.ts';
import type { PermissionConfig } from '../../../../core/permission/config.ts';
import { mayConnect } from '../../../../core/permission/connections.ts';
import type { Events } from '../chain/events.ts';
import type { Accounts } from '../sending/accounts.ts';
import type { TransactionArgs } from '../sending/send-args.ts';
import type { TransactionSubmitter } from '../sending/submitter.ts';
import type { NetworkPermissions } from './network-permissions.ts';

/** GoQuorum's gas limit for an action without one. */
const ACTION_GAS = 4_712_384n;
const DONE = 'Action completed successfully';
const WAIT_MS = 60_000;
/** Maximum number of clients that wait for a block at the same time. */
const WAITERS_MAX = 1_000;

export interface PermissionRequestsParts {
  /** The permissions, or why this node does not have them. */
  readonly permissions: NetworkPermissions | string;
  readonly events: Events;
  readonly timers: Timers;
  readonly hasDns: boolean;
  /** IP address of a host; undefined: the name does not resolve. */
  resolve(host: string): Promise<string | undefined>;
}

/** The caller's accounts and submitter. */
export interface Actor {
  readonly wallet: Accounts;
  readonly submitter: TransactionSubmitter;
}

export interface Action {
  readonly args: TransactionArgs;
  readonly isWaiting: boolean;
  /** URL of the node concerned. */
  readonly url?: string | undefined;
  /** The contract call that carries out the action. Throws PERMISSION_REFUSED. */
  call(context: ActionContext): Uint8Array;
}

export class PermissionRequests {
  private readonly parts: PermissionRequestsParts;
  private waiting = 0;

  constructor(parts: PermissionRequestsParts) {
    this.parts = parts;
  }

  /** Throws PERMISSION_UNAVAILABLE if this node does not use permissions. */
  network(): NetworkPermissions {
    const { permissions } = this.parts;
    if (typeof permissions === 'string') throw unavailable(permissions);
    const { unreadiness } = permissions;
    if (unreadiness === undefined) return permissions;
    throw unavailable(`the permission contracts are not ready: ${unreadiness}`);
  }

  get config(): PermissionConfig {
    return this.network().settings.config;
  }

  /**
   * Resolves with GoQuorum's text once the transaction is in the pool, or in a block if the caller
   * waits. Throws PERMISSION_REFUSED.
   */
  async act({ wallet, submitter }: Actor, action: Action): Promise<string> {
    const network = this.network();
    const { from } = action.args;
    const isOwn = from && wallet.addresses().some((each) => equalBytes(each, from));
    if (!isOwn) throw refused(TEXT.invalidAccount);
    const addresses = await this.addressesIn(action.url ?? '');
    network.readPending();
    const context: ActionContext = {
      registry: network.registry,
      config: network.settings.config,
      isRaft: network.settings.isRaft,
      hasDns: this.parts.hasDns,
      addressOf: (host) => addresses.get(host),
      from,
    };
    const data = action.call(context);
    const to = network.settings.config.addresses.interface;
    const send = () => this.send(submitter, action.args, to, data);
    if (action.isWaiting) await this.included(to, send);
    else await send();
    return DONE;
  }

  /** Whether a node may connect, from the given address if addresses are compared. */
  mayConnect(nodeId: string, address: string): boolean {
    const permits = this.network().nodePermits(false);
    if (!permits) return true;
    const id = enodeOf(nodeId)?.id ?? '';
    return mayConnect(permits, { id, address }, () => false);
  }

  private async addressesIn(url: string): Promise<ReadonlyMap<string, string | undefined>> {
    const host = enodeOf(url)?.host;
    return new Map(host === undefined ? [] : [[host, await this.parts.resolve(host)]]);
  }

  private async send(
    submitter: TransactionSubmitter,
    { from, gas, gasPrice }: TransactionArgs,
    to: Address,
    data: Uint8Array,
  ): Promise<Uint8Array> {
    const terms = { from, to, data, gas: gas ?? ACTION_GAS, gasPrice: gasPrice ?? 0n, value: 0n };
    try {
      return await submitter.send(terms as TransactionArgs);
    } catch (error) {
      if (!(error instanceof QuorateError) || error.code === 'INVARIANT_BROKEN') throw error;
      throw notExecuted(error.message);
    }
  }

  /**
   * Waits until the transaction is in a block. Throws PERMISSION_REFUSED with the contract's
   * reason.
   */
  private async included(to: Address, send: () => Promise<Uint8Array>): Promise<void> {
    const { events, timers } = this.parts;
    if (this.waiting >= WAITERS_MAX) {
      throw fail('PERMISSION_BUSY', `${WAITERS_MAX} clients wait for a block already`);
    }
    this.waiting++;
    const seen = new Map<string, Receipt>();
    let look = () => {};
    const end = events.on('committed', ({ block, receipts }) => {
      for (const [index, transaction] of block.transactions.entries()) {
        if (!transaction.to || !equalBytes(transaction.to, to)) continue;
        seen.set(keyOf(transaction.hash), receipts[index]!);
      }
      look();
    });
    let timer: { cancel(): void } | undefined;
    try {
      const hash = await send();
      const receipt = await new Promise<Receipt>((resolve, reject) => {
        look = () => {
          const found = seen.get(keyOf(hash));
          if (found) resolve(found);
        };
        timer = timers.set(WAIT_MS, () => reject(notIncluded(hash)));
        look();
      });
      if (receipt.status === 0) throw notExecuted(reasonOf(receipt));
    } finally {
      timer?.cancel();
      end();
      this.waiting--;
    }
  }
}

function reasonOf({ revertReason: data }: Receipt): string {
  const reason = data && revertReason(data);
  return reason === undefined ? 'execution reverted' : `execution reverted: ${reason}`;
}

function notIncluded(hash: Uint8Array): Error {
  return fail(
    'PERMISSION_WAIT',
    `transaction ${toHex(hash)} is not in a block after ${WAIT_MS / 1000} s: it still waits in the pool, or left it`,
  );
}

function unavailable(why: string): Error {
  return fail('PERMISSION_UNAVAILABLE', why);
}

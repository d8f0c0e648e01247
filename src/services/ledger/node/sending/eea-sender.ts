/**
 * Sends an EEA private transaction to its group: checks it, passes it to the manager, and puts its
 * marker on the chain with an account of this node. Whatever can be refused is refused before a
 * payload is sent.
 */
import { toBase64 } from '../../../../core/base/base64.ts';
import type { Address, Hash32 } from '../../../../core/base/bytes.ts';
import { concatBytes, keyOf } from '../../../../core/base/bytes.ts';
import { fail, hasCode } from '../../../../core/base/errors.ts';
import { Lru } from '../../../../core/base/lru.ts';
import { bytesToBigInt } from '../../../../core/base/quantity.ts';
import { intrinsicGas } from '../../../../core/chain/intrinsic-gas.ts';
import { completeBody, withSignature } from '../../../../core/chain/signing.ts';
import { signingHashOf, type Transaction } from '../../../../core/chain/transaction.ts';
import { nextEeaNonce } from '../../../../core/execution/eea-registry.ts';
import { checkEea, type EeaTransaction, sealEea } from '../../../../core/privacy/eea.ts';
import { STANDARD_PRIVATE } from '../../../../core/privacy/flags.ts';
import type { Psi } from '../../../../core/privacy/inputs.ts';
import type { Manager, ManagerGroup } from '../../../../core/privacy/manager-port.ts';
import { type PayloadHash, PRIVACY_PRECOMPILE } from '../../../../core/privacy/marker.ts';
import type { TransactionPool } from '../../../../core/txpool/pool.ts';
import type { Chain } from '../chain/chain.ts';
import type { PrivateFollower } from '../private-state/private-follower.ts';
import { NonceLock } from './nonce-lock.ts';
import type { EeaSubmitter, NewPrivacyGroup } from './submitter.ts';
import type { TransactionIntake } from './transaction-intake.ts';

/** Maximum number of remembered pending transactions. */
const SENT_MAX = 4_096;

/** The account that signs the markers of EEA transactions. */
export interface MarkerSigner {
  address(): Address;
  /** r ‖ s ‖ v. Throws when the account is locked. */
  sign(hash: Hash32): Uint8Array;
}

export interface EeaSenderParts {
  readonly chain: Chain;
  readonly pool: TransactionPool;
  readonly intake: TransactionIntake;
  readonly manager: Manager;
  readonly follower: PrivateFollower | undefined;
  /** The private state in which transactions are sent. */
  readonly psi: Psi;
  /** Manager keys that may send; undefined: all of the manager's. */
  readonly members: readonly string[] | undefined;
  readonly marker: MarkerSigner;
  /** Shared by all parts that send from accounts of this node. */
  readonly nonces: NonceLock;
  readonly allowsUnprotected: boolean;
}

export class EeaSender implements EeaSubmitter {
  private readonly parts: EeaSenderParts;
  /** Transactions of one sender to one group are sent in order of arrival. */
  private readonly order = new NonceLock();
  /** Marker of each sent transaction. */
  private readonly sent = new Lru<string, Hash32>(SENT_MAX);
  /** The last marker of each sender, group and nonce. */
  private readonly markers = new Lru<string, Hash32>(SENT_MAX);

  constructor(parts: EeaSenderParts) {
    this.parts = parts;
  }

  async submit(tx: EeaTransaction): Promise<Hash32> {
    this.check(tx);
    const queue = concatBytes(tx.sender, tx.groupId);
    return this.order.run(queue, () => this.sendInOrder(tx));
  }

  private check(tx: EeaTransaction): void {
    const { chain, manager, members, allowsUnprotected } = this.parts;
    if (!manager.isInUse) throw fail('EEA_PRIVACY_OFF', 'Privacy is not enabled');
    if (!this.rules().isPrivacyPrecompile) {
      throw fail(
        'EEA_PRIVACY_OFF',
        'Privacy is not enabled: EEA transactions require privacyPrecompileBlock to be set in genesis.json',
      );
    }
    checkEea(tx, chain.config.chainId ?? 0n);
    if (tx.chainId === undefined && !allowsUnprotected) {
      throw fail(
        'SEND_UNPROTECTED',
        'only replay-protected (EIP-155) transactions allowed over RPC',
      );
    }
    if (members && !members.includes(toBase64(tx.privateFrom))) throw foreignKey();
  }

  private async sendInOrder(tx: EeaTransaction): Promise<Hash32> {
    this.checkNew(tx);
    const { follower, psi, nonces, marker, intake } = this.parts;
    if (follower) {
      const { reader } = await follower.headBase(psi);
      if (tx.nonce < nextEeaNonce(reader, tx.sender, tx.groupId)) {
        throw fail('EEA_NONCE_LOW', 'Private transaction nonce too low');
      }
    }
    // Checks, before anything is sent, that the account can sign and pays enough.
    this.nonceFor(tx, this.mark(tx, new Uint8Array(64), 0n));
    const hash = await this.distribute(tx);
    return nonces.run(marker.address(), async () => {
      const draft = this.mark(tx, hash, 0n);
      const marked = await intake.submit(this.mark(tx, hash, this.nonceFor(tx, draft)));
      this.sent.set(keyOf(tx.hash), marked);
      this.markers.set(placeOf(tx), marked);
      return marked;
    });
  }

  /**
   * Nonce of the marker: the next one of its account, or that of a marker in the pool for the same
   * private nonce, which this one replaces. Throws TXPOOL_REPLACE_UNDERPRICED.
   */
  private nonceFor(tx: EeaTransaction, draft: Transaction): bigint {
    const { pool, marker } = this.parts;
    const before = this.markers.get(placeOf(tx));
    const old = before && pool.get(before);
    if (!old) return pool.nonceOf(marker.address());
    if (pool.isBetter(draft, old)) return old.nonce;
    throw fail('TXPOOL_REPLACE_UNDERPRICED', 'replacement transaction underpriced');
  }

  /**
   * Refuses a transaction that is already sent, such as by a client that lost the answer; if its
   * marker was lost, it may be sent again.
   */
  private checkNew(tx: EeaTransaction): void {
    const { pool, chain } = this.parts;
    const marked = this.sent.get(keyOf(tx.hash));
    if (!marked) return;
    const isAlive = pool.has(marked) || chain.store.transactionByHash(marked) !== undefined;
    if (isAlive) throw fail('EEA_KNOWN', 'Known transaction');
  }

  private async distribute(tx: EeaTransaction): Promise<PayloadHash> {
    const { privateFrom, privateFor, groupId } = tx;
    try {
      const { hash } = await this.parts.manager.send({
        payload: sealEea(tx),
        from: toBase64(privateFrom),
        to: privateFor?.map(toBase64) ?? [],
        ...(privateFor ? {} : { privacyGroupId: toBase64(groupId) }),
        flag: STANDARD_PRIVATE,
        affected: [],
        execHash: undefined,
        mandatory: undefined,
      });
      return hash;
    } catch (error) {
      throw managerError(error);
    }
  }

  private mark(tx: EeaTransaction, data: PayloadHash, nonce: bigint): Transaction {
    const rules = this.rules();
    const to = PRIVACY_PRECOMPILE;
    const body = completeBody({
      nonce,
      to,
      data,
      // A network without gas prices accepts only 0.
      gasPrice: rules.isGasPriceEnabled ? tx.gasPrice : 0n,
      gasLimit: BigInt(intrinsicGas({ to, data: FULL_HASH, accessList: [] }, rules)),
      chainId: this.parts.chain.config.chainId,
    });
    const signature = this.parts.marker.sign(signingHashOf(body));
    return withSignature(body, {
      parity: signature[64] === 1 ? 1 : 0,
      r: bytesToBigInt(signature.subarray(0, 32)),
      s: bytesToBigInt(signature.subarray(32, 64)),
    });
  }

  private rules() {
    const { chain } = this.parts;
    const { header, number } = chain.head();
    return chain.rulesOf({ number: number + 1, timestamp: header.timestamp });
  }

  // --- groups -------------------------------------------------------------------------------------------------------

  /** Resolves with the group's id in base64. */
  async createGroup(group: NewPrivacyGroup): Promise<string> {
    const from = this.ownKey(group.members);
    try {
      return await this.groups().create({ ...group, from });
    } catch (error) {
      throw managerError(error, 'Error creating privacy group');
    }
  }

  /** Finds the groups with exactly these members, which include the caller. */
  async findGroups(members: readonly string[]): Promise<readonly ManagerGroup[]> {
    const { members: own } = this.parts;
    try {
      const found = await this.groups().find(members);
      return found.filter((group) => !own || group.members.some((key) => own.includes(key)));
    } catch (error) {
      throw managerError(error, 'Error finding privacy group');
    }
  }

  async deleteGroup(id: string): Promise<string> {
    const groups = this.groups();
    // Tries each key of the caller, because only a member may delete the group.
    let refusal: unknown = fail('EEA_GROUP_UNKNOWN', 'Offchain Privacy group does not exist.');
    for (const from of this.parts.members ?? [undefined]) {
      try {
        return await groups.delete(id, from);
      } catch (error) {
        refusal = managerError(error, 'Error deleting privacy group');
      }
    }
    throw refusal;
  }

  private groups() {
    const { manager } = this.parts;
    if (manager.privacyGroups) return manager.privacyGroups;
    throw fail('EEA_PRIVACY_OFF', 'Privacy is not enabled');
  }

  /** The caller's key among the members; undefined: the manager's default key. */
  private ownKey(members: readonly string[]): string | undefined {
    const { members: own } = this.parts;
    if (!own) return undefined;
    const key = members.find((each) => own.includes(each));
    if (key === undefined) throw fail('EEA_GROUP_SELF', 'CreatePrivacyGroupShouldIncludeSelf');
    return key;
  }
}

/** Identifies sender, group and nonce, which a replacement shares with the replaced transaction. */
function placeOf({ sender, groupId, nonce }: EeaTransaction): string {
  return `${keyOf(concatBytes(sender, groupId))}/${nonce}`;
}

/** The hash with the highest gas cost. */
const FULL_HASH: Uint8Array = new Uint8Array(64).fill(0xff);

function foreignKey(): Error {
  return fail('EEA_PRIVATE_FROM', 'Private from does not match enclave public key');
}

/** The manager's refusal with a text that EEA clients know, followed by its own text. */
function managerError(cause: unknown, otherwise = 'Error communicating with enclave'): unknown {
  const isManagers = ['PTM_REFUSED', 'PTM_UNREACHABLE', 'PTM_ANSWER_INVALID'].some((code) =>
    hasCode(cause, code),
  );
  if (!isManagers) return cause;
  const { message } = cause as Error;
  const options = { cause, data: message };
  if (/Recipient not found/.test(message))
    return fail('EEA_RECIPIENT', 'NodeMissingPeerUrl', options);
  if (/Privacy group .* not found/.test(message))
    return fail('EEA_GROUP_UNKNOWN', 'Offchain Privacy group does not exist.', options);
  if (/should include self/.test(message))
    return fail('EEA_GROUP_SELF', 'CreatePrivacyGroupShouldIncludeSelf', options);
  return fail('EEA_MANAGER', otherwise, options);
}

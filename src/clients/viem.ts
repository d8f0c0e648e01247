/** `quorate/client/viem`: actions for private transactions, for any client of viem 2. */
import type {
  Abi,
  Account,
  Address,
  Chain,
  Client,
  ContractFunctionArgs,
  ContractFunctionName,
  ContractFunctionParameters,
  EncodeDeployDataParameters,
  TransactionReceipt,
  Transport,
} from 'viem';
import {
  encodeDeployData,
  encodeFunctionData,
  formatTransactionReceipt,
  type RpcTransactionReceipt,
} from 'viem';
import { parseAccount } from 'viem/accounts';
import {
  estimateGas,
  getGasPrice,
  getTransactionCount,
  sendRawTransaction,
  waitForTransactionReceipt,
} from 'viem/actions';
import type { ManagerOptions } from './ledger/manager.ts';
import { PrivateManager } from './ledger/manager.ts';
import { markPrivate } from './ledger/mark-private.ts';
import { MARKER_BY_NODE, MARKER_GAS, needManager, termsOf } from './ledger/private-sending.ts';
import { type QuorumRpc, quorumRpc, withQuantities } from './ledger/rpc.ts';
import type { Hex, PrivateTerms } from './ledger/rpc-types.ts';

type AnyClient = Client<Transport, Chain | undefined, Account | undefined>;

/** How the actions reach the manager. */
export interface QuorateOptions extends ManagerOptions {
  /**
   * URL of the third-party API of the node's manager. Needed by accounts that sign here: it stores
   * their payloads.
   */
  readonly manager?: string;
}

/** How a private transaction is sent. */
export interface PrivateSending extends PrivateTerms {
  /** Absent: the client's account. An address means an account of the node. */
  readonly account?: Account | Address;
  /** Absent: the node's estimate. */
  readonly gas?: bigint;
  /** Absent: the node's price. */
  readonly gasPrice?: bigint;
  readonly nonce?: number;
  /** Sends it inside a privacy marker transaction, which the same account signs. */
  readonly marker?: boolean;
}

/** A call of a private contract, or its creation. */
export interface PrivateTransaction extends PrivateSending {
  /** Absent: creates a contract. */
  readonly to?: Address;
  readonly data: Hex;
}

/** Receipts of a private transaction and of its privacy marker. */
export interface PrivateReceipts {
  /**
   * Of the private transaction: status, logs and contract. Null: this node is not a party of it.
   */
  readonly receipt: TransactionReceipt | null;
  /** The receipt of the privacy marker that contained it; undefined: it was not in a marker. */
  readonly marker: TransactionReceipt | undefined;
}

/** A type, not an interface, because `extend` of viem accepts nothing else. */
export type QuorateActions = QuorumRpc & {
  /**
   * Stores the payload and signs; returns the raw transaction for `sendRawPrivateTransaction`.
   *
   * @example
   * const terms = { privateFor: [otherKey] };
   * const raw = await client.signPrivateTransaction({ data: bytecode, ...terms });
   * await client.privacy.sendRawPrivateTransaction(raw, terms);
   */
  signPrivateTransaction(transaction: PrivateTransaction): Promise<Hex>;
  /**
   * Sends data to a contract, or creates one; resolves with the hash.
   *
   * @example
   * const hash = await client.sendPrivateTransaction({ data: bytecode, privateFor: [otherKey] });
   * console.log(hash);
   */
  sendPrivateTransaction(transaction: PrivateTransaction): Promise<Hex>;
  /**
   * Creates a contract that only its parties have; resolves with the hash.
   *
   * @example
   * const hash = await client.deployPrivateContract({ abi: [], bytecode, privateFor: [otherKey] });
   * const { receipt } = await client.waitForPrivateReceipts({ hash });
   * console.log(receipt.contractAddress);
   */
  deployPrivateContract<const abi extends Abi | readonly unknown[]>(
    parameters: EncodeDeployDataParameters<abi> & PrivateSending,
  ): Promise<Hex>;
  /**
   * Calls a function that changes a private contract; resolves with the hash.
   *
   * @example
   * const abi = parseAbi(['function set(uint256)']);
   * const set = { abi, address: contract, functionName: 'set', args: [7n] };
   * await client.writePrivateContract({ ...set, privateFor: [otherKey] });
   */
  writePrivateContract<
    const abi extends Abi | readonly unknown[],
    name extends ContractFunctionName<abi, 'nonpayable' | 'payable'>,
    args extends ContractFunctionArgs<abi, 'nonpayable' | 'payable', name>,
  >(
    parameters: ContractFunctionParameters<abi, 'nonpayable' | 'payable', name, args> &
      PrivateSending,
  ): Promise<Hex>;
  /**
   * Waits until the transaction is in a block. Throws viem's WaitForTransactionReceiptTimeoutError.
   *
   * @example
   * const marker = { data: bytecode, privateFor: [otherKey], marker: true };
   * const hash = await client.sendPrivateTransaction(marker);
   * const { receipt } = await client.waitForPrivateReceipts({ hash, timeout: 60_000 });
   * console.log(receipt.status);
   */
  waitForPrivateReceipts(parameters: { hash: Hex; timeout?: number }): Promise<PrivateReceipts>;
  /**
   * The receipt of the transaction inside a privacy marker; null: this node is not a party of it.
   *
   * @example
   * const receipt = await client.getPrivateTransactionReceipt({ hash: markerHash });
   * console.log(receipt?.contractAddress);
   */
  getPrivateTransactionReceipt(parameters: { hash: Hex }): Promise<TransactionReceipt | null>;
};

/**
 * Adds private transactions, and the calls of `quorumRpc`, to a client of viem. Accounts that sign
 * here need `manager`; for accounts of the node, or of a signing proxy, the node or proxy stores
 * the payload.
 *
 * @example
 * import { createWalletClient, http, parseAbi } from 'viem';
 * import { privateKeyToAccount } from 'viem/accounts';
 * import { quorateActions } from 'quorate/client/viem';
 *
 * const account = privateKeyToAccount(privateKey);
 * const client = createWalletClient({ account, transport: http(nodeUrl), pollingInterval: 250 })
 *   .extend(quorateActions({ manager: managerUrl }));
 * const abi = parseAbi(['function set(uint256)']);
 * const hash = await client.deployPrivateContract({ abi, bytecode, privateFor: [otherKey] });
 * const { receipt } = await client.waitForPrivateReceipts({ hash });
 * const contract = { abi, address: receipt.contractAddress, privateFor: [otherKey] };
 * await client.writePrivateContract({ ...contract, functionName: 'set', args: [42n] });
 */
export function quorateActions(
  options: QuorateOptions = {},
): (client: AnyClient) => QuorateActions {
  const manager =
    options.manager === undefined ? undefined : new PrivateManager(options.manager, options);
  return (client) => {
    const rpc = quorumRpc(client as Parameters<typeof quorumRpc>[0]);
    const send = (transaction: PrivateTransaction) =>
      sendPrivate({ client, rpc, manager }, transaction);
    return {
      ...rpc,
      signPrivateTransaction: async (transaction) =>
        (await signPrivate({ client, rpc, manager }, transaction)).raw,
      sendPrivateTransaction: send,
      deployPrivateContract: (parameters) =>
        send({ ...parameters, data: encodeDeployData(parameters as EncodeDeployDataParameters) }),
      writePrivateContract: (parameters) => {
        const { address: to, ...others } = parameters;
        return send({
          ...(others as PrivateSending),
          to,
          data: encodeFunctionData(parameters as never),
        });
      },
      waitForPrivateReceipts: (parameters) => receiptsOf(client, rpc, parameters),
      getPrivateTransactionReceipt: ({ hash }) => privateReceipt(rpc, hash),
    };
  };
}

interface Parts {
  readonly client: AnyClient;
  readonly rpc: QuorumRpc;
  readonly manager: PrivateManager | undefined;
}

function accountOf(client: AnyClient, { account }: PrivateSending): Account {
  const found = account ?? client.account;
  if (found) return parseAccount(found);
  throw new TypeError('no account: give one to the client, or to the call');
}

async function sendPrivate(parts: Parts, transaction: PrivateTransaction): Promise<Hex> {
  const { client, rpc } = parts;
  const account = accountOf(client, transaction);
  if (account.type === 'json-rpc') return sendByNode(client, account.address, transaction);
  const { raw, nonce, gasPrice } = await signPrivate(parts, transaction);
  const terms = termsOf(transaction);
  if (!transaction.marker) return rpc.privacy.sendRawPrivateTransaction(raw, terms);
  const [to, data, chainId] = await Promise.all([
    rpc.privacy.getPrivacyPrecompileAddress(),
    rpc.privacy.distributePrivateTransaction(raw, terms),
    client.request({ method: 'eth_chainId' } as never) as Promise<Hex>,
  ]);
  const marker = { to, data, nonce, gasPrice, gas: MARKER_GAS, type: 'legacy' } as const;
  const serializedTransaction = await account.signTransaction!({
    ...marker,
    chainId: Number(chainId),
  });
  return sendRawTransaction(client, { serializedTransaction });
}

/** The node, or a signing proxy in front of it, stores the payload and signs. */
function sendByNode(
  client: AnyClient,
  from: Address,
  { to, data, gas, gasPrice, nonce, marker, ...terms }: PrivateTransaction,
): Promise<Hex> {
  if (marker) throw new TypeError(MARKER_BY_NODE);
  const count = nonce === undefined ? undefined : BigInt(nonce);
  const fields = { from, to, data, gas, gasPrice, nonce: count, ...termsOf(terms) };
  return client.request({
    method: 'eth_sendTransaction',
    params: [withQuantities(fields)],
  } as never);
}

async function signPrivate({ client, manager }: Parts, transaction: PrivateTransaction) {
  const account = accountOf(client, transaction);
  if (!('signTransaction' in account) || !account.signTransaction) {
    throw new TypeError('only an account that signs here can sign a private transaction');
  }
  const { to, data: payload, privateFrom } = transaction;
  const { address } = account;
  const [data, nonce, gasPrice, gas] = await Promise.all([
    needManager(manager).storeRaw(payload, privateFrom),
    transaction.nonce ?? getTransactionCount(client, { address, blockTag: 'pending' }),
    transaction.gasPrice ?? getGasPrice(client),
    transaction.gas ??
      estimateGas(client, { account: address, to, data: payload, value: 0n } as never),
  ]);
  const signed = await account.signTransaction({
    ...{ type: 'legacy', data, nonce, gasPrice, gas },
    ...(to === undefined ? {} : { to }),
  } as const);
  return { raw: markPrivate(signed), nonce, gasPrice };
}

async function receiptsOf(
  client: AnyClient,
  rpc: QuorumRpc,
  parameters: { hash: Hex; timeout?: number },
): Promise<PrivateReceipts> {
  const found = await waitForTransactionReceipt(client, parameters);
  const { isPrivacyMarkerTransaction: isMarker } = found as {
    isPrivacyMarkerTransaction?: boolean;
  };
  if (!isMarker) return { receipt: found, marker: undefined };
  return { receipt: await privateReceipt(rpc, parameters.hash), marker: found };
}

async function privateReceipt(rpc: QuorumRpc, hash: Hex): Promise<TransactionReceipt | null> {
  const found = await rpc.privacy.getPrivateTransactionReceipt(hash);
  return found && formatTransactionReceipt(found as unknown as RpcTransactionReceipt);
}

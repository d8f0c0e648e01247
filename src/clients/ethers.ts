/** `quorate/client/ethers`: a signer of private transactions, and a provider, for ethers 6. */
import {
  AbstractSigner,
  type JsonRpcApiProvider,
  JsonRpcProvider,
  JsonRpcSigner,
  type PerformActionRequest,
  type Provider,
  type Signer,
  type TransactionRequest,
  type TransactionResponse,
  type TypedDataDomain,
  type TypedDataField,
} from 'ethers';
import { type ManagerOptions, PrivateManager } from './ledger/manager.ts';
import { markPrivate } from './ledger/mark-private.ts';
import { MARKER_BY_NODE, MARKER_GAS, needManager, termsOf } from './ledger/private-sending.ts';
import { type QuorumRpc, quorumRpc } from './ledger/rpc.ts';
import type { Hex, PrivateTerms } from './ledger/rpc-types.ts';

const POLLING_MS = 250;
const SHOWN_WITHIN_MS = 30_000;

/** The recipients of a signer's transactions, and how it reaches the manager. */
export interface PrivateSignerOptions extends PrivateTerms, ManagerOptions {
  /**
   * URL of the third-party API of the node's manager. Needed by wallets that sign here: it stores
   * their payloads.
   */
  readonly manager?: string;
  /** Sends each transaction inside a privacy marker transaction, which the same wallet signs. */
  readonly marker?: boolean;
}

/**
 * The calls of `quorumRpc` over a provider of ethers.
 *
 * @example
 * import { JsonRpcProvider } from 'ethers';
 * import { quorumOf } from 'quorate/client/ethers';
 *
 * const { istanbul } = quorumOf(new JsonRpcProvider(nodeUrl));
 * const { author, committers } = await istanbul.getSignersFromBlock('latest');
 * console.log(author, committers.length);
 */
export function quorumOf(provider: JsonRpcApiProvider): QuorumRpc {
  return quorumRpc({
    request: ({ method, params }) => provider.send(method, params as unknown[]),
  });
}

/**
 * A JsonRpcProvider whose receipts are those of private transactions: for a privacy marker it gives
 * the receipt of the transaction inside, with its logs, where this node is a party.
 *
 * @example
 * import { QuorateProvider } from 'quorate/client/ethers';
 *
 * const provider = new QuorateProvider(nodeUrl);
 * console.log(await provider.getBlockNumber());
 */
export class QuorateProvider extends JsonRpcProvider {
  /**
   * Called by ethers for each request.
   *
   * @example
   * const blockNumber = await provider._perform({ method: 'getBlockNumber' });
   * console.log(blockNumber);
   */
  override async _perform(request: PerformActionRequest): Promise<unknown> {
    const found = await super._perform(request);
    if (request.method !== 'getTransactionReceipt' || !found?.isPrivacyMarkerTransaction) {
      return found;
    }
    return (await this.send('eth_getPrivateTransactionReceipt', [request.hash])) ?? found;
  }
}

/**
 * Sends every transaction privately, to `privateFor`: give it to a Contract or a ContractFactory. A
 * wallet that signs here needs `manager`; for a JsonRpcSigner the node, or the signing proxy in
 * front of it, stores the payload. Its methods throw what ethers throws, ManagerError and
 * TypeError.
 *
 * @example
 * import { ContractFactory, Wallet } from 'ethers';
 * import { PrivateSigner, QuorateProvider } from 'quorate/client/ethers';
 *
 * const provider = new QuorateProvider(nodeUrl, undefined, { pollingInterval: 250 });
 * const wallet = new Wallet(privateKey, provider);
 * const signer = new PrivateSigner(wallet, { manager: managerUrl, privateFor: [otherKey] });
 * const store = await new ContractFactory(['function set(uint256)'], bytecode, signer).deploy();
 * await store.waitForDeployment();
 * await (await store.set(42n)).wait();
 */
export class PrivateSigner extends AbstractSigner<JsonRpcApiProvider | null> {
  readonly #signer: Signer;
  readonly #options: PrivateSignerOptions;
  readonly #manager: PrivateManager | undefined;

  constructor(signer: Signer, options: PrivateSignerOptions) {
    super(signer.provider as JsonRpcApiProvider | null);
    this.#signer = signer;
    this.#options = options;
    const { manager } = options;
    this.#manager = manager === undefined ? undefined : new PrivateManager(manager, options);
  }

  /**
   * The same signer with other terms.
   *
   * @example
   * const { partyProtection: privacyFlag } = PrivacyFlag;
   * const guarded = signer.with({ privateFor: [otherKey], privacyFlag });
   */
  with(terms: PrivateTerms & { readonly marker?: boolean }): PrivateSigner {
    const { headers, fetch, manager } = this.#options;
    const kept = {
      ...(headers && { headers }),
      ...(fetch && { fetch }),
      ...(manager && { manager }),
    };
    return new PrivateSigner(this.#signer, { ...kept, ...terms });
  }

  /**
   * The same signer with another node.
   *
   * @example
   * const elsewhere = signer.connect(new QuorateProvider(nodeUrl));
   */
  override connect(provider: Provider | null): PrivateSigner {
    return new PrivateSigner(this.#signer.connect(provider), this.#options);
  }

  /**
   * The account that signs.
   *
   * @example
   * console.log(await signer.getAddress());
   */
  override getAddress(): Promise<string> {
    return this.#signer.getAddress();
  }

  /**
   * Stores the payload and signs: the raw transaction for `eth_sendRawPrivateTransaction`.
   *
   * @example
   * const raw = await signer.signTransaction({ data: bytecode });
   * const { privacy } = quorumOf(signer.provider);
   * await privacy.sendRawPrivateTransaction(raw, { privateFor: [otherKey] });
   */
  override async signTransaction(request: TransactionRequest): Promise<string> {
    return (await this.#sign(request)).raw;
  }

  /**
   * Sends a private transaction.
   *
   * @example
   * const response = await signer.sendTransaction({ data: bytecode });
   * const { contractAddress, status } = await response.wait();
   */
  override async sendTransaction(request: TransactionRequest): Promise<TransactionResponse> {
    if (this.#signer instanceof JsonRpcSigner) return this.#sendByNode(request, this.#signer);
    const { raw, nonce, gasPrice } = await this.#sign(request);
    const provider = this.#provider();
    const { privacy } = quorumOf(provider);
    const terms = termsOf(this.#options);
    if (!this.#options.marker) {
      return this.#shown(await privacy.sendRawPrivateTransaction(raw, terms));
    }
    const [to, data] = await Promise.all([
      privacy.getPrivacyPrecompileAddress(),
      privacy.distributePrivateTransaction(raw, terms),
    ]);
    const { chainId } = await provider.getNetwork();
    const marker = { type: 0, to, data, nonce, gasPrice, gasLimit: MARKER_GAS, chainId };
    return provider.broadcastTransaction(await this.#signer.signTransaction(marker));
  }

  /**
   * Signs with the wallet: messages are not private.
   *
   * @example
   * console.log(await signer.signMessage('hello'));
   */
  override signMessage(message: string | Uint8Array): Promise<string> {
    return this.#signer.signMessage(message);
  }

  /**
   * Signs with the wallet: typed data is not private.
   *
   * @example
   * const types = { Order: [{ name: 'amount', type: 'uint256' }] };
   * console.log(await signer.signTypedData({ name: 'Shop' }, types, { amount: 1n }));
   */
  override signTypedData(
    domain: TypedDataDomain,
    types: Record<string, TypedDataField[]>,
    value: Record<string, unknown>,
  ): Promise<string> {
    return this.#signer.signTypedData(domain, types, value);
  }

  async #sign(request: TransactionRequest) {
    const { to, data: payload = '0x', ...call } = await this.populateCall(request);
    const from = await this.getAddress();
    const provider = this.#provider();
    const manager = needManager(this.#manager);
    const [data, nonce, gasPrice, gasLimit] = await Promise.all([
      manager.storeRaw(payload as Hex, this.#options.privateFrom),
      call.nonce ?? this.getNonce('pending'),
      call.gasPrice ?? provider.send('eth_gasPrice', []).then(BigInt),
      call.gasLimit ?? provider.estimateGas({ from, to: to ?? null, data: payload, value: 0n }),
    ]);
    // Private transactions are signed without a chain id.
    const fields = { type: 0, to: to ?? null, data, nonce, gasPrice, gasLimit };
    const signed = await this.#signer.signTransaction(fields);
    return { raw: markPrivate(signed as Hex), nonce, gasPrice };
  }

  async #sendByNode(request: TransactionRequest, { address }: JsonRpcSigner) {
    if (this.#options.marker) throw new TypeError(MARKER_BY_NODE);
    const provider = this.#provider();
    const { to, data = '0x', gasPrice, nonce, gasLimit } = await this.populateCall(request);
    const gas =
      gasLimit ?? (await provider.estimateGas({ from: address, to: to ?? null, data, value: 0n }));
    const fields = { from: address, to, data, gasPrice, nonce, gasLimit: gas };
    const known = Object.fromEntries(Object.entries(fields).filter(([, each]) => each != null));
    const transaction = { ...provider.getRpcTransaction(known), ...termsOf(this.#options) };
    const hash = await provider.send('eth_sendTransaction', [transaction]);
    return this.#shown(hash);
  }

  /**
   * The transaction as the node returns it: ethers takes v 37 and 38 for a signature with chain id
   * 1, and would derive another sender. Another node behind the same address may need a moment.
   */
  async #shown(hash: string): Promise<TransactionResponse> {
    for (let left = SHOWN_WITHIN_MS / POLLING_MS; left > 0; left--) {
      const found = await this.#provider().getTransaction(hash);
      if (found) return found;
      await new Promise((resolve) => setTimeout(resolve, POLLING_MS));
    }
    throw new Error(`transaction ${hash} was sent, but the node does not show it`);
  }

  #provider(): JsonRpcApiProvider {
    if (this.provider) return this.provider;
    throw new TypeError('the signer has no provider: connect it to one');
  }
}

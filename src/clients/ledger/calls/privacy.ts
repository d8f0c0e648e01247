/** `eth_*` calls for private transactions and contracts (GoQuorum internal/ethapi/api.go). */
import type { BlockTag, Hex, NodeTransaction, PrivacyFlag, PrivateTerms } from '../rpc-types.ts';

/** Privacy settings with which a private contract was created. */
export interface ContractPrivacyMetadata {
  /** Base64, 64 bytes: the payload's hash. */
  readonly creationTxHash: string;
  readonly privacyFlag: PrivacyFlag;
  /** Managers' keys in base64; only with `PrivacyFlag.mandatoryRecipients`. */
  readonly mandatoryFor?: readonly string[];
}

/** A transaction for signing elsewhere. */
export interface FilledTransaction {
  /** Unsigned RLP. */
  readonly raw: Hex;
  readonly tx: Readonly<Record<string, unknown>> & { readonly input: Hex; readonly nonce: Hex };
}

/** Errors are those of the library that sends the calls. */
export interface Privacy {
  /**
   * Sends a private transaction that was signed elsewhere; resolves with its hash.
   *
   * @example
   * const hash = await rpc.privacy.sendRawPrivateTransaction(raw, { privateFor: [otherKey] });
   * console.log(hash);
   */
  sendRawPrivateTransaction(raw: Hex, terms: PrivateTerms): Promise<Hex>;
  /**
   * Gives the payload to its parties; returns the data of the marker to sign.
   *
   * @example
   * const to = await rpc.privacy.getPrivacyPrecompileAddress();
   * const data = await rpc.privacy.distributePrivateTransaction(raw, { privateFor: [otherKey] });
   * const marker = { to, data, gasLimit: 90_000 }; // to be signed by the sender of `raw`
   * console.log(marker);
   */
  distributePrivateTransaction(raw: Hex, terms: PrivateTerms): Promise<Hex>;
  /**
   * Stores a private payload, and fills in missing fields, for signing elsewhere.
   *
   * @example
   * const wanted = { from, data: bytecode, privateFor: [otherKey] };
   * const { tx } = await rpc.privacy.fillTransaction(wanted);
   * console.log(tx.nonce, tx.input); // the input is the payload's hash
   */
  fillTransaction(transaction: NodeTransaction): Promise<FilledTransaction>;
  /**
   * The payload of a 64-byte hash; `0x` if this node is not a party of it.
   *
   * @example
   * const hash = await manager.storeRaw('0x6001');
   * console.log(await rpc.privacy.getQuorumPayload(hash)); // 0x: nobody was sent it yet
   */
  getQuorumPayload(hash: Hex): Promise<Hex>;
  /**
   * How a private contract was created; an error for one without a privacy flag.
   *
   * @example
   * const { privacyFlag } = await rpc.privacy.getContractPrivacyMetadata(protectedContract);
   * console.log(privacyFlag === PrivacyFlag.partyProtection);
   */
  getContractPrivacyMetadata(contract: Hex): Promise<ContractPrivacyMetadata>;
  /**
   * The address that privacy markers are sent to.
   *
   * @example
   * console.log(await rpc.privacy.getPrivacyPrecompileAddress());
   */
  getPrivacyPrecompileAddress(): Promise<Hex>;
  /**
   * The transaction inside a privacy marker, in the form of JSON-RPC; null if this node is not a
   * party of it.
   *
   * @example
   * const inner = await rpc.privacy.getPrivateTransactionByHash(markerHash);
   * console.log(inner?.from);
   */
  getPrivateTransactionByHash(hash: Hex): Promise<Readonly<Record<string, unknown>> | null>;
  /**
   * The receipt of the transaction inside a privacy marker, in the form of JSON-RPC; null if this
   * node is not a party of it.
   *
   * @example
   * const receipt = await rpc.privacy.getPrivateTransactionReceipt(markerHash);
   * console.log(receipt?.contractAddress);
   */
  getPrivateTransactionReceipt(hash: Hex): Promise<Readonly<Record<string, unknown>> | null>;
  /**
   * Name of the caller's private state.
   *
   * @example
   * console.log(await rpc.privacy.getPSI()); // private
   */
  getPSI(): Promise<string>;
  /**
   * Root of a contract's storage, after `block` or the newest one.
   *
   * @example
   * console.log(await rpc.privacy.storageRoot(contract, 'latest'));
   */
  storageRoot(contract: Hex, block?: BlockTag): Promise<Hex>;
  /**
   * Sends in the background: resolves with 32 zero bytes, and POSTs the hash or the error to
   * `callbackUrl`.
   *
   * @example
   * await rpc.privacy.sendTransactionAsync({ from, data: bytecode, privateFor: [otherKey] });
   */
  sendTransactionAsync(transaction: NodeTransaction & { callbackUrl?: string }): Promise<Hex>;
}

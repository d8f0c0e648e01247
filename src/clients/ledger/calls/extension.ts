/** `quorumExtension_*`: new parties of private contracts (GoQuorum extension/api.go). */
import type { Hex, NodeTransaction } from '../rpc-types.ts';

/** An extension that is not finished. */
export interface ActiveExtension {
  readonly contractExtended: Hex;
  readonly initiator: Hex;
  readonly recipient: Hex;
  /** The contract that counts the votes; it identifies an extension in the other calls. */
  readonly managementContractAddress: Hex;
  /** Base64. */
  readonly recipientPtmKey: string;
  readonly creationData: string;
}

/** The transactions are private, for all voters. Errors are those of the sending library. */
export interface Extension {
  /**
   * Extensions in which this node takes part; null or an empty list: none.
   *
   * @example
   * for (const { contractExtended } of (await rpc.extension.activeExtensionContracts()) ?? []) {
   *   console.log(contractExtended);
   * }
   */
  activeExtensionContracts(): Promise<readonly ActiveExtension[] | null>;
  /**
   * Offers a contract to another party: `newParty` is its manager's key, `recipient` the account
   * that accepts there. Resolves with the transaction's hash.
   *
   * @example
   * const terms = { from, privateFor: [newParty] };
   * console.log(await rpc.extension.extendContract(contract, newParty, recipient, terms));
   */
  extendContract(
    contract: Hex,
    newParty: string,
    recipient: Hex,
    transaction: NodeTransaction,
  ): Promise<Hex>;
  /**
   * Whether all parties have voted.
   *
   * @example
   * console.log(await rpc.extension.getExtensionStatus(management)); // ACTIVE
   */
  getExtensionStatus(manager: Hex): Promise<'ACTIVE' | 'DONE'>;
  /**
   * The voter's proof, for a vote that is signed elsewhere.
   *
   * @example
   * // At the recipient's node.
   * const vote = { from: recipient, privateFor: [ownKey] };
   * const { extension } = recipientRpc;
   * console.log(await extension.generateExtensionApprovalUuid(management, recipient, vote));
   */
  generateExtensionApprovalUuid(
    manager: Hex,
    voter: Hex,
    transaction: NodeTransaction,
  ): Promise<Hex>;
  /**
   * Withdraws an extension that not all parties have accepted; for its initiator.
   *
   * @example
   * await rpc.extension.cancelExtension(management, { from, privateFor: [newParty] });
   */
  cancelExtension(manager: Hex, transaction: NodeTransaction): Promise<Hex>;
  /**
   * Votes for or against an extension; once all parties have accepted, the state is shared.
   *
   * @example
   * // At the recipient's node.
   * const vote = { from: recipient, privateFor: [ownKey] };
   * await recipientRpc.extension.approveExtension(management, true, vote);
   */
  approveExtension(manager: Hex, vote: boolean, transaction: NodeTransaction): Promise<Hex>;
}

/** Parameters and answers of GoQuorum's JSON-RPC methods. */

export type Hex = `0x${string}`;
/** A number or a tag. */
export type BlockTag = bigint | 'latest' | 'earliest' | 'pending';

/** Privacy flags (GoQuorum private/engine/privacyflag.go). */
export const PrivacyFlag = {
  standard: 0,
  /** Only parties may change the contract, and each knows that the others have it. */
  partyProtection: 1,
  /** Party protection; each of `mandatoryFor` must be a party of every transaction. */
  mandatoryRecipients: 2,
  /** All parties agree on the contract's state and on who the parties are. */
  privateStateValidation: 3,
} as const;
export type PrivacyFlag = (typeof PrivacyFlag)[keyof typeof PrivacyFlag];

/** Who gets a private transaction's payload. Keys are those of managers, in base64. */
export interface PrivateTerms {
  readonly privateFor: readonly string[];
  /** Absent: the manager's first key. */
  readonly privateFrom?: string;
  readonly privacyFlag?: PrivacyFlag;
  /** With `PrivacyFlag.mandatoryRecipients`. */
  readonly mandatoryFor?: readonly string[];
}

/** A transaction that the node signs. */
export interface NodeTransaction extends Partial<PrivateTerms> {
  readonly from: Hex;
  readonly to?: Hex;
  readonly data?: Hex;
  readonly gas?: bigint;
  readonly gasPrice?: bigint;
  readonly value?: bigint;
  readonly nonce?: bigint;
}

export interface ContractPrivacyMetadata {
  readonly creationTxHash: string;
  readonly privacyFlag: PrivacyFlag;
  readonly mandatoryFor?: readonly string[];
}

export interface FilledTransaction {
  readonly raw: Hex;
  readonly tx: Readonly<Record<string, unknown>> & { readonly input: Hex; readonly nonce: Hex };
}

export interface Privacy {
  sendRawPrivateTransaction(raw: Hex, terms: PrivateTerms): Promise<Hex>;
  /** Gives the payload to its parties; returns the data of the marker to sign. */
  distributePrivateTransaction(raw: Hex, terms: PrivateTerms): Promise<Hex>;
  /** Stores a private payload, and fills in what is missing, for signing elsewhere. */
  fillTransaction(transaction: NodeTransaction): Promise<FilledTransaction>;
  /** The payload of a 64-byte hash; `0x` for strangers. */
  getQuorumPayload(hash: Hex): Promise<Hex>;
  getContractPrivacyMetadata(contract: Hex): Promise<ContractPrivacyMetadata>;
  getPrivacyPrecompileAddress(): Promise<Hex>;
  /** The transaction inside a privacy marker, as JSON-RPC writes it; null for strangers. */
  getPrivateTransactionByHash(hash: Hex): Promise<Readonly<Record<string, unknown>> | null>;
  /** Its receipt, as JSON-RPC writes it; null for strangers. */
  getPrivateTransactionReceipt(hash: Hex): Promise<Readonly<Record<string, unknown>> | null>;
  /** Which private state the caller works on. */
  getPSI(): Promise<string>;
  storageRoot(contract: Hex, block?: BlockTag): Promise<Hex>;
  sendTransactionAsync(transaction: NodeTransaction & { callbackUrl?: string }): Promise<Hex>;
}

export interface ActiveExtension {
  readonly contractExtended: Hex;
  readonly initiator: Hex;
  readonly recipient: Hex;
  readonly managementContractAddress: Hex;
  readonly recipientPtmKey: string;
  readonly creationData: string;
}

export interface Extension {
  activeExtensionContracts(): Promise<readonly ActiveExtension[] | null>;
  extendContract(
    contract: Hex,
    newParty: string,
    recipient: Hex,
    transaction: NodeTransaction,
  ): Promise<Hex>;
  approveExtension(manager: Hex, vote: boolean, transaction: NodeTransaction): Promise<Hex>;
  cancelExtension(manager: Hex, transaction: NodeTransaction): Promise<Hex>;
  getExtensionStatus(manager: Hex): Promise<'ACTIVE' | 'DONE'>;
  /** The voter's proof, for a vote that is signed elsewhere. */
  generateExtensionApprovalUuid(
    manager: Hex,
    voter: Hex,
    transaction: NodeTransaction,
  ): Promise<Hex>;
}

export interface Organisation {
  readonly orgId: string;
  readonly fullOrgId: string;
  readonly parentOrgId: string;
  readonly ultimateParent: string;
  readonly level: number;
  readonly subOrgList: readonly string[] | null;
  readonly status: number;
}

export interface PermittedNode {
  readonly orgId: string;
  readonly url: string;
  readonly status: number;
}

export interface Role {
  readonly orgId: string;
  readonly roleId: string;
  readonly isVoter: boolean;
  readonly isAdmin: boolean;
  readonly access: number;
  readonly active: boolean;
}

export interface PermittedAccount {
  readonly orgId: string;
  readonly roleId: string;
  readonly acctId: Hex;
  readonly isOrgAdmin: boolean;
  readonly status: number;
}

export interface OrganisationDetails {
  readonly nodeList: readonly PermittedNode[] | null;
  readonly roleList: readonly Role[] | null;
  readonly acctList: readonly PermittedAccount[] | null;
  readonly subOrgList: readonly string[] | null;
}

/** The account that acts. */
export interface Acting extends Pick<NodeTransaction, 'from' | 'gas' | 'gasPrice' | 'nonce'> {
  /** Resolve when the transaction is in a block, with its outcome; GoQuorum ignores this. */
  readonly wait?: boolean;
}

/** What changes something resolves with a text once its transaction is sent. */
export interface Permission {
  orgList(): Promise<readonly Organisation[]>;
  nodeList(): Promise<readonly PermittedNode[]>;
  roleList(): Promise<readonly Role[]>;
  acctList(): Promise<readonly PermittedAccount[]>;
  getOrgDetails(org: string): Promise<OrganisationDetails>;
  addOrg(org: string, enode: string, account: Hex, by: Acting): Promise<string>;
  approveOrg(org: string, enode: string, account: Hex, by: Acting): Promise<string>;
  addSubOrg(parent: string, org: string, enode: string, by: Acting): Promise<string>;
  /** `status`: 1 suspends, 2 resumes. */
  updateOrgStatus(org: string, status: 1 | 2, by: Acting): Promise<string>;
  approveOrgStatus(org: string, status: 1 | 2, by: Acting): Promise<string>;
  addNode(org: string, enode: string, by: Acting): Promise<string>;
  /** `status`: 1 deactivates, 2 activates, 3 denylists. */
  updateNodeStatus(org: string, enode: string, status: 1 | 2 | 3, by: Acting): Promise<string>;
  recoverBlackListedNode(org: string, enode: string, by: Acting): Promise<string>;
  approveBlackListedNodeRecovery(org: string, enode: string, by: Acting): Promise<string>;
  addNewRole(
    org: string,
    role: string,
    access: number,
    isVoter: boolean,
    isAdmin: boolean,
    by: Acting,
  ): Promise<string>;
  removeRole(org: string, role: string, by: Acting): Promise<string>;
  addAccountToOrg(account: Hex, org: string, role: string, by: Acting): Promise<string>;
  changeAccountRole(account: Hex, org: string, role: string, by: Acting): Promise<string>;
  /** `status`: 1 suspends, 2 activates, 3 denylists. */
  updateAccountStatus(org: string, account: Hex, status: 1 | 2 | 3, by: Acting): Promise<string>;
  recoverBlackListedAccount(org: string, account: Hex, by: Acting): Promise<string>;
  approveBlackListedAccountRecovery(org: string, account: Hex, by: Acting): Promise<string>;
  assignAdminRole(org: string, account: Hex, role: string, by: Acting): Promise<string>;
  approveAdminRole(org: string, account: Hex, by: Acting): Promise<string>;
  transactionAllowed(transaction: NodeTransaction): Promise<boolean>;
  connectionAllowed(nodeId: string, ip: string, port: number, raftPort?: number): Promise<boolean>;
}

export interface Signers {
  readonly number: number;
  readonly hash: Hex;
  readonly author: Hex;
  readonly committers: readonly Hex[];
}

export interface Istanbul {
  nodeAddress(): Promise<Hex>;
  getValidators(block?: BlockTag): Promise<readonly Hex[]>;
  getValidatorsAtHash(block: Hex): Promise<readonly Hex[]>;
  isValidator(block?: BlockTag): Promise<boolean>;
  getSignersFromBlock(block?: BlockTag): Promise<Signers>;
  getSignersFromBlockByHash(block: Hex): Promise<Signers>;
  getSnapshot(block?: BlockTag): Promise<Readonly<Record<string, unknown>>>;
  getSnapshotAtHash(block: Hex): Promise<Readonly<Record<string, unknown>>>;
  candidates(): Promise<Readonly<Record<Hex, boolean>>>;
  /** Votes an account in, or out. */
  propose(account: Hex, isIn: boolean): Promise<null>;
  discard(account: Hex): Promise<null>;
  status(from?: BlockTag, to?: BlockTag): Promise<Readonly<Record<string, unknown>>>;
}

export interface RaftMember {
  readonly raftId: number;
  readonly nodeId: string;
  readonly p2pPort: number;
  readonly raftPort: number;
  readonly hostname: string;
  readonly role: string;
  readonly nodeActive: boolean;
}

export interface Raft {
  role(): Promise<string>;
  leader(): Promise<string>;
  cluster(): Promise<readonly RaftMember[]>;
  addPeer(enode: string): Promise<number>;
  addLearner(enode: string): Promise<number>;
  promoteToPeer(raftId: number): Promise<boolean>;
  removePeer(raftId: number): Promise<null>;
  getRaftId(enode: string): Promise<number>;
}

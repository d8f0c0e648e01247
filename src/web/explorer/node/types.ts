/** Answers of a node, as far as the pages use them. Quantities are hex, as in JSON-RPC. */

export interface Block {
  readonly number: string;
  readonly hash: string;
  readonly parentHash: string;
  readonly miner: string;
  readonly timestamp: string;
  readonly gasUsed: string;
  readonly gasLimit: string;
  readonly size: string;
  readonly extraData: string;
  readonly stateRoot: string;
  readonly transactionsRoot: string;
  readonly receiptsRoot: string;
  readonly baseFeePerGas?: string;
  /** The transaction hashes. */
  readonly transactions: readonly string[];
}

export interface Transaction {
  readonly hash: string;
  readonly blockNumber: string | null;
  readonly blockHash: string | null;
  readonly transactionIndex: string | null;
  readonly from: string;
  readonly to: string | null;
  readonly nonce: string;
  readonly value: string;
  readonly gas: string;
  readonly gasPrice?: string;
  readonly input: string;
  readonly type?: string;
  readonly v: string;
}

export interface Receipt {
  readonly transactionHash: string;
  readonly blockNumber: string;
  readonly status: string;
  readonly gasUsed: string;
  readonly contractAddress: string | null;
  readonly logs: readonly Log[];
  readonly revertReason?: string;
  readonly isPrivacyMarkerTransaction?: boolean;
}

export interface Log {
  readonly address: string;
  readonly topics: readonly string[];
  readonly data: string;
  readonly logIndex: string;
  readonly blockNumber: string;
  readonly transactionHash: string;
}

/** `eth_subscribe` of newHeads. */
export interface Head {
  readonly number: string;
  readonly hash: string;
}

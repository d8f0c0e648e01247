/** Made from the schemas of the staking API by `npm run docs`; a test compares the two. */

/** What a client asks for: new validators. */
export interface StakeRequest {
  /** Who may withdraw: an address (0x01 credentials), or a BLS public key (0x00). */
  readonly withdrawal_pubkey: string;
  /** Gwei. */
  readonly amount: string;
  readonly vault_name?: string;
  readonly fee_recipient?: string;
  readonly builder_relays?: readonly string[];
  readonly cloud_providers?: readonly ('azure' | 'aws')[];
  readonly regions?: readonly string[];
  readonly client_types?: readonly ('teku' | 'lighthouse')[];
}

/** The validators, with their signed deposits. */
export interface StakeAnswer {
  readonly chain_deposit_configuration: {
    readonly deposit_contract_address: string;
    readonly genesis_fork_version: string;
  };
  readonly eth1_contract_address: string;
  readonly stakes: readonly {
    readonly id: string;
    readonly pubkey: string;
    readonly withdrawal_credentials: string;
    readonly amount: string;
    readonly signature: string;
    readonly deposit_root: string;
    readonly status?: 'QUEUED' | 'SUBMITTED' | 'DEPOSITED' | 'FAILED';
    readonly fee_recipient?: string;
  }[];
}

/** A validator and what has become of its deposit. */
export interface Stake {
  readonly id: string;
  readonly pubkey: string;
  readonly withdrawal_credentials: string;
  readonly amount: string;
  readonly signature: string;
  readonly deposit_root: string;
  readonly number: number;
  readonly options: Readonly<Record<string, unknown>>;
  readonly status: 'QUEUED' | 'SUBMITTED' | 'DEPOSITED' | 'FAILED';
  readonly transaction_hash: string | null;
  readonly block_number: number | null;
  readonly failure: string | null;
  readonly created_at: string;
  readonly updated_at: string;
}

/** What the operator has recorded for a validator. */
export interface Reward {
  readonly number: number;
  readonly pubkey: string;
  /** Gwei. */
  readonly amount: string;
  readonly at: string;
  readonly note: string;
}

/** Authentication and authorisation: decided before anything is signed. */

/** The caller's credentials. `accounts`: 0x, lower case. */
export interface Identity {
  readonly name: string;
  readonly mayUse: (account: string) => boolean;
  readonly mayCall: (method: string) => boolean;
  /** Whether the caller is the node to which this key belongs; absent: it is no node. */
  readonly mayUseNodeKey?: (address: string, method: string) => boolean;
}

/** What is about to be signed, decoded. */
export interface Intent {
  readonly method: string;
  /** 0x, lower case. */
  readonly account: string;
  readonly kind: 'transaction' | 'privateTransaction' | 'message' | 'typedData' | 'digest';
  /** 0x, lower case; undefined for a creation, or if there is no recipient. */
  readonly to?: string | undefined;
  readonly value?: bigint | undefined;
  readonly gas?: bigint | undefined;
  /** Highest possible cost of the gas, in wei. */
  readonly fee?: bigint | undefined;
  /** First four bytes of the data, 0x hex; `opaque` when the data is the hash of the call. */
  readonly selector?: string | undefined;
  /** The signed content or its hash; for the audit log. */
  readonly digest?: string | undefined;
  /** For typed data; only members that the domain's hash covers are set. */
  readonly domainName?: string | undefined;
  /** 0x, lower case. */
  readonly verifyingContract?: string | undefined;
  readonly primaryType?: string | undefined;
}

export interface Refusal {
  /** In order: no valid credentials; they do not allow it; a policy or limit forbids it. */
  readonly kind: 'unauthenticated' | 'forbidden' | 'refused';
  readonly code: number;
  readonly message: string;
}

export function isRefusal(found: Identity | Refusal): found is Refusal {
  return 'kind' in found;
}

export interface Guard {
  /**
   * Never rejects. `authorization`: the header's value; `certificate`: common name in a TLS
   * client's certificate.
   */
  identify(shown: {
    authorization: string | undefined;
    certificate: string | undefined;
    remote: string;
  }): Promise<Identity | Refusal>;
  /** A permitted request counts towards rate limits. */
  check(identity: Identity, intent: Intent): Refusal | undefined;
  /**
   * Appends to the audit log; when the log is on, the entry is durable before the signature is
   * sent. Outcome: the transaction's hash, 'signed', or the refusal's message. Never a secret.
   */
  record(identity: Identity, intent: Intent, outcome: string): void | Promise<void>;
  /**
   * Counts a use of a node key; the audit log contains the counts. Throws SIGNER_UNAVAILABLE while
   * the log cannot be written: then nothing is answered.
   */
  usedNodeKey?(identity: Identity, address: string, method: string): void;
}

/** Who asks, and whether they may: decided before anything is signed. */

/** What a caller has shown. `accounts`: 0x, lower case. */
export interface Identity {
  readonly name: string;
  readonly mayUse: (account: string) => boolean;
  readonly mayCall: (method: string) => boolean;
}

/** What is about to be signed, decoded. */
export interface Intent {
  readonly method: string;
  /** 0x, lower case. */
  readonly account: string;
  readonly kind: 'transaction' | 'privateTransaction' | 'message' | 'typedData' | 'digest';
  /** 0x, lower case; undefined for a creation or where there is none. */
  readonly to?: string | undefined;
  readonly value?: bigint | undefined;
  readonly gas?: bigint | undefined;
  /** What the gas may cost at most, in wei. */
  readonly fee?: bigint | undefined;
  /** First four bytes of the data, 0x hex; `opaque` where the data are the hash of what is called. */
  readonly selector?: string | undefined;
  /** What is signed or its hash; for the audit log. */
  readonly digest?: string | undefined;
  /** Of typed data, as far as the domain's hash covers them. */
  readonly domainName?: string | undefined;
  /** 0x, lower case. */
  readonly verifyingContract?: string | undefined;
  readonly primaryType?: string | undefined;
}

export interface Refusal {
  readonly httpStatus: number;
  readonly code: number;
  readonly message: string;
}

export function isRefusal(found: Identity | Refusal): found is Refusal {
  return 'httpStatus' in found;
}

export interface Guard {
  /** Never rejects. `authorization`: the header's value; `certificate`: subject's common name of a TLS client. */
  identify(shown: {
    authorization: string | undefined;
    certificate: string | undefined;
    remote: string;
  }): Promise<Identity | Refusal>;
  /** Counts towards rates when it lets pass. */
  check(identity: Identity, intent: Intent): Refusal | undefined;
  /** Appended to the audit log, durable before the signature leaves where the log is on. Outcome: the transaction's hash, 'signed', or the refusal's message. Never a secret. */
  record(identity: Identity, intent: Intent, outcome: string): void | Promise<void>;
}

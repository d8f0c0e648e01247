/**
 * The permissions of a bearer token: which methods (`rpc://<namespace>_<method>`), and which
 * accounts in which private states (`psi://<PSI>?node.eoa=<address>&self.eoa=<address>`). Scopes
 * have the same meaning as in GoQuorum (GoQuorum multitenancy).
 */
import type { Address } from '../base/bytes.ts';
import { fail, type QuorateError } from '../base/errors.ts';
import { toHex } from '../base/hex.ts';

/**
 * An account in whose name a call acts: one whose key the node holds, or one that signs elsewhere.
 */
export interface Actor {
  readonly kind: 'node' | 'self';
  readonly address: Address;
}

interface MethodGrant {
  readonly namespace: string;
  readonly method: string;
}

interface StateGrant {
  /** The private state, as spelled in the token. */
  readonly psi: string;
  readonly accounts: Readonly<Record<Actor['kind'], readonly string[]>>;
}

const ANY = '*';
const ANY_ACCOUNT = '0x0';
/** Further entries are ignored: no token needs such long lists. */
const SCOPES_MAX = 10_000;

export class AccessToken {
  /** Unix time at which the token expires. */
  readonly expiresMs: number;
  /** The holder of the token; undefined: the token does not name one. */
  readonly subject: string | undefined;
  private readonly methods: readonly MethodGrant[];
  private readonly states: readonly StateGrant[];

  constructor(expiresMs: number, scopes: readonly string[], subject?: string) {
    this.expiresMs = expiresMs;
    this.subject = subject;
    const given = scopes.slice(0, SCOPES_MAX);
    this.methods = given.map(methodGrant).filter((each) => each !== undefined);
    this.states = given.map(stateGrant).filter((each) => each !== undefined);
  }

  isExpired(nowMs: number): boolean {
    return nowMs >= this.expiresMs;
  }

  mayCall(namespace: string, method: string): boolean {
    return this.methods.some(
      (grant) =>
        (grant.namespace === ANY || grant.namespace === namespace) &&
        (grant.method === ANY || grant.method === method),
    );
  }

  /** The private state that a caller uses. Throws ACCESS_DENIED in GoQuorum's words. */
  stateFor(asked: string | undefined): string {
    if (asked !== undefined) {
      if (this.states.some(({ psi }) => isSame(psi, asked))) return asked;
      throw notAuthorized();
    }
    const granted = new Set(this.states.map(({ psi }) => psi));
    const [only] = granted;
    if (only === undefined) throw fail('ACCESS_DENIED', 'no private state identifiers found');
    if (granted.size === 1) return only;
    throw fail('ACCESS_DENIED', 'found multiple authorized private state identifiers');
  }

  mayAct(psi: string, { kind, address }: Actor): boolean {
    const account = toHex(address);
    return this.states.some(
      (grant) =>
        isSame(grant.psi, psi) &&
        grant.accounts[kind].some((each) => each === ANY_ACCOUNT || each === account),
    );
  }
}

export function notAuthorized(): QuorateError {
  return fail('ACCESS_DENIED', 'not authorized');
}

function isSame(one: string, other: string): boolean {
  return one.toLowerCase() === other.toLowerCase();
}

/**
 * Parses `rpc://eth_call`, `rpc://eth.call`, `rpc://eth_` or `rpc://eth_*`, `rpc://_call` or
 * `rpc://*_call`.
 */
function methodGrant(scope: string): MethodGrant | undefined {
  const match = /^rpc:\/\/([^/?#]*)/i.exec(scope);
  const text = match?.[1];
  const split = text?.search(/[_.]/) ?? -1;
  if (text === undefined || split < 0) return undefined;
  return { namespace: text.slice(0, split) || ANY, method: text.slice(split + 1) || ANY };
}

function stateGrant(scope: string): StateGrant | undefined {
  const match = /^psi:\/\/([^/?#]*)[^?#]*(?:\?([^#]*))?/i.exec(scope);
  if (!match) return undefined;
  const node: string[] = [];
  const self: string[] = [];
  for (const pair of (match[2] ?? '').split('&')) {
    const [name, value = ''] = pair.split('=');
    if (name === 'node.eoa') node.push(decoded(value).toLowerCase());
    if (name === 'self.eoa') self.push(decoded(value).toLowerCase());
  }
  return { psi: decoded(match[1]!), accounts: { node, self } };
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

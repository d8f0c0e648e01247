/** The REST interface of Web3Signer's eth1 mode (Web3Signer Eth1Runner). */
import { fromHex, toHex } from '../../../core/base/hex.ts';
import { keccak256 } from '../../../core/base/keccak.ts';
import type { Clock, Log, Metrics } from '../../../core/base/ports.ts';
import { addressOfPublicKey } from '../../../core/base/secp256k1.ts';
import type { AccountSigner } from '../../../core/signing/account-signer.ts';
import {
  type Guard,
  type Identity,
  type Intent,
  isRefusal,
  type Refusal,
} from '../../../core/signing/guard.ts';
import {
  type HttpReply,
  type HttpRequest,
  json,
  type Route,
  text,
} from '../../../io/http/server.ts';
import type { OpenAccounts } from '../keys/accounts.ts';
import { healthReply } from './health.ts';
import { PublicKeys } from './public-keys.ts';
import { ReloadControl } from './reload-control.ts';

const TEXT = 'text/plain; charset=utf-8';
const JSON_UTF8 = 'application/json; charset=utf-8';
const PUBLIC_KEY = /^(?:0[xX])?([0-9a-fA-F]{128})$/;
/** Header with the number of accounts whose public key is not in the answer. */
const MISSING_HEADER = 'X-Quorate-Missing-Keys';

/** Names of the REST requests' intents in a policy. */
const REST_METHODS = {
  sign: 'eth1_sign',
  publicKeys: 'eth1_publicKeys',
  reload: 'reload',
} as const;

export interface RestParts {
  readonly opened: OpenAccounts;
  readonly guard: Guard;
  readonly clock: Clock;
  readonly log: Log;
  readonly metrics?: Metrics | undefined;
}

export interface RestRoutes {
  readonly routes: readonly Route[];
  /** For other triggers of a reload, such as a signal: one reload runs at a time. */
  readonly reloading: ReloadControl;
}

export function restRoutes(parts: RestParts): RestRoutes {
  const rest = new Rest(parts);
  const { reloading } = rest;
  return {
    reloading,
    routes: [
      {
        method: 'GET',
        path: '/upcheck',
        about: 'Whether the proxy runs',
        handle: () => reply(200, TEXT, 'OK'),
      },
      {
        method: 'GET',
        path: '/healthcheck',
        about: 'Whether every key source was loaded',
        handle: () => healthReply(parts.opened.health()),
      },
      {
        method: 'GET',
        path: '/api/v1/eth1/publicKeys',
        about: 'The public keys of all accounts',
        handle: (request) => rest.publicKeys(request),
      },
      {
        method: 'POST',
        path: '/api/v1/eth1/sign/:identifier',
        about: 'Signs the Keccak-256 of the data',
        handle: (request) => rest.sign(request),
      },
      {
        method: 'GET',
        path: '/reload',
        about: 'The result of the last reload',
        handle: (request) => rest.reloadState(request),
      },
      {
        method: 'POST',
        path: '/reload',
        about: 'Loads the keys again',
        handle: (request) => rest.reload(request),
      },
    ],
  };
}

function reply(status: number, type: string, body: string): HttpReply {
  return { status, type, body };
}

/** The error follows Web3Signer's reason phrase. */
function badRequest(reason: string): HttpReply {
  return text(400, `Bad Request: ${reason}`);
}

class Rest {
  readonly reloading: ReloadControl;
  private readonly parts: RestParts;
  private readonly keys: PublicKeys;

  constructor(parts: RestParts) {
    this.parts = parts;
    this.keys = new PublicKeys(() => parts.opened.signers());
    this.reloading = new ReloadControl({
      reload: () => parts.opened.reload(),
      clock: parts.clock,
      log: parts.log,
    });
  }

  publicKeys(request: HttpRequest): Promise<HttpReply> {
    return this.asked(request, REST_METHODS.publicKeys, async ({ mayUse }) => {
      const { publicKeys, missing } = await this.keys.list(mayUse);
      const answer = reply(200, JSON_UTF8, JSON.stringify(publicKeys));
      return missing === 0 ? answer : { ...answer, headers: { [MISSING_HEADER]: String(missing) } };
    });
  }

  sign(request: HttpRequest): Promise<HttpReply> {
    return this.asked(request, REST_METHODS.sign, async (identity) => {
      const started = this.parts.clock.nowMs();
      const answer = await this.signAs(identity, request);
      const { metrics } = this.parts;
      if (answer.status === 400) metrics?.count('http_secp256k1_malformed_request_count_total');
      if (answer.status === 404) {
        metrics?.count('signing_secp256k1_missing_identifier_count_total');
      }
      if (answer.status === 200) {
        const seconds = (this.parts.clock.nowMs() - started) / 1000;
        metrics?.observe('signing_secp256k1_signing_duration', seconds);
      }
      return answer;
    });
  }

  reloadState(request: HttpRequest): Promise<HttpReply> {
    return this.asked(request, REST_METHODS.reload, async () => json(200, this.reloading.state));
  }

  reload(request: HttpRequest): Promise<HttpReply> {
    return this.asked(request, REST_METHODS.reload, async () => {
      if (this.reloading.start()) {
        return json(202, {
          status: 'accepted',
          message:
            'Reload operation accepted and is running in the background. Use GET /reload to check status.',
        });
      }
      return json(409, {
        status: 'error',
        message: 'A reload operation is already in progress. Please try again later.',
      });
    });
  }

  private async asked(
    request: HttpRequest,
    method: string,
    answer: (identity: Identity) => Promise<HttpReply>,
  ): Promise<HttpReply> {
    const identity = await this.parts.guard.identify({
      authorization: request.header('authorization'),
      certificate: request.certificate,
      remote: request.remote ?? '',
    });
    if (isRefusal(identity)) return refused(identity);
    if (!identity.mayCall(method)) return text(403, 'Forbidden');
    return answer(identity);
  }

  private async signAs(identity: Identity, request: HttpRequest): Promise<HttpReply> {
    const data = dataOf(request.body);
    if (typeof data === 'string') return badRequest(data);
    const digits = PUBLIC_KEY.exec(request.params.identifier ?? '')?.[1];
    if (digits === undefined) return text(404, 'Not Found');
    const account = toHex(addressOfPublicKey(fromHex(digits)));
    const signer = this.parts.opened.accounts.find(account);
    if (!signer || !identity.mayUse(account)) return text(404, 'Not Found');
    const digest = keccak256(data);
    const intent: Intent = {
      method: REST_METHODS.sign,
      account,
      kind: 'digest',
      digest: toHex(digest),
    };
    return this.signIntent(identity, signer, digest, intent);
  }

  private async signIntent(
    identity: Identity,
    signer: AccountSigner,
    digest: Uint8Array,
    intent: Intent,
  ): Promise<HttpReply> {
    const { guard } = this.parts;
    const refusal = guard.check(identity, intent);
    if (refusal) {
      await guard.record(identity, intent, refusal.message);
      return refused(refusal);
    }
    let signature: Uint8Array;
    try {
      signature = Uint8Array.from(await signer.sign(digest));
    } catch {
      // The answer omits the reason, which may name files and hosts: it is in the log.
      await guard.record(identity, intent, 'Signer is not available');
      return text(500, 'Internal Server Error');
    }
    await guard.record(identity, intent, 'signed');
    signature[64]! += 27;
    return reply(200, TEXT, toHex(signature));
  }
}

/** Never 200 as for JSON-RPC: here the body of a 200 is a signature. */
function refused({ kind, message }: Refusal): HttpReply {
  return text(kind === 'unauthenticated' ? 401 : 403, message);
}

/** The bytes of `{"data":"0x…"}`, or the error. */
function dataOf(body: Uint8Array): Uint8Array | string {
  let fields: unknown;
  try {
    fields = JSON.parse(Buffer.from(body).toString('utf8'));
  } catch {
    return 'the body is not JSON';
  }
  if (typeof fields !== 'object' || fields === null || Array.isArray(fields)) {
    return 'the body is not a JSON object';
  }
  const { data } = fields as { readonly data?: unknown };
  if (typeof data !== 'string' || data.trim() === '') return '"data" is missing';
  try {
    return fromHex(data);
  } catch {
    return '"data" is not hex';
  }
}

/**
 * Reads requests to the token, revocation and introspection endpoints: parameters in a form (RFC
 * 6749) or in JSON (as the staking API's clients send them), and the client's credentials, by HTTP
 * Basic or in the body, never both.
 */
import { readJsonObject } from '../../../core/base/json-object.ts';
import { OAuthRefusal } from './oauth-error.ts';

const PARAMETERS_MAX = 64;
const NAME_CHARACTERS_SHOWN_MAX = 50;
const FORM_TYPE = 'application/x-www-form-urlencoded';
const JSON_TYPE = 'application/json';
/** The parameter that the standards allow several times (RFC 8707 §2). */
const RESOURCE = 'resource';

export interface RawRequest {
  readonly contentType: string | undefined;
  readonly authorization: string | undefined;
  /** Whether the Authorization header occurs several times. */
  readonly isAuthorizedTwice?: boolean | undefined;
  readonly query: Readonly<Record<string, unknown>>;
  readonly body: Uint8Array;
}

export interface ClientClaim {
  readonly id: string;
  readonly secret: string;
  readonly usedHeader: boolean;
}

export interface OAuthRequest {
  /** Empty values are ignored, as if not sent (RFC 6749 §3.1). */
  readonly parameters: ReadonlyMap<string, string>;
  readonly client: ClientClaim;
}

/** Throws OAuthRefusal. */
export function readRequest(raw: RawRequest): OAuthRequest {
  if (['client_secret', 'client_id', 'token', 'grant_type'].some((name) => name in raw.query)) {
    throw invalid('parameters belong in the body, not in the URL');
  }
  if (raw.isAuthorizedTwice) throw invalid('there are several Authorization headers');
  const parameters = readParameters(raw);
  return { parameters, client: clientClaim(raw.authorization, parameters) };
}

function readParameters({ contentType, body }: RawRequest): ReadonlyMap<string, string> {
  const type = (contentType ?? '').split(';')[0]!.trim().toLowerCase();
  if (type !== FORM_TYPE && type !== JSON_TYPE) {
    throw invalid(`the content type must be ${JSON_TYPE} or ${FORM_TYPE}`);
  }
  const text = textOf(body);
  const found = type === JSON_TYPE ? fromJson(text) : fromForm(text);
  if (found.length > PARAMETERS_MAX) throw invalid('too many parameters');
  const parameters = new Map<string, string>();
  for (const [name, value] of found) {
    if (value === '') continue;
    if (parameters.has(name)) {
      if (name === RESOURCE) throw new OAuthRefusal({ kind: 'several_resources' });
      throw givenTwice(name);
    }
    parameters.set(name, value);
  }
  return parameters;
}

function textOf(body: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(body);
  } catch {
    throw invalid('the body must be UTF-8');
  }
}

function fromForm(text: string): (readonly [string, string])[] {
  const parts = text.split('&').filter((part) => part !== '');
  if (parts.length > PARAMETERS_MAX) throw invalid('too many parameters');
  return parts.map((part) => {
    const at = part.indexOf('=');
    const [name, value] = at < 0 ? [part, ''] : [part.slice(0, at), part.slice(at + 1)];
    return [formDecoded(name), formDecoded(value)] as const;
  });
}

function formDecoded(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    throw invalid('the body is not a URL-encoded form');
  }
}

function fromJson(text: string): (readonly [string, string])[] {
  const none = () => invalid('the body must be a JSON object');
  const value = readJsonObject(text, { none, twice: givenTwice });
  return Object.entries(value).flatMap(([name, member]) => {
    if (member === null) return [];
    if (name === RESOURCE && Array.isArray(member)) {
      return member.map((each) => [name, textMember(name, each)] as const);
    }
    return [[name, textMember(name, member)] as const];
  });
}

function textMember(name: string, value: unknown): string {
  if (typeof value !== 'string') throw invalid(`parameter ${shortened(name)} must be a string`);
  return value;
}

function clientClaim(
  authorization: string | undefined,
  parameters: ReadonlyMap<string, string>,
): ClientClaim {
  const id = parameters.get('client_id');
  const secret = parameters.get('client_secret');
  if (authorization !== undefined && authorization !== '') {
    const basic = basicClaim(authorization);
    if (secret !== undefined) throw invalid('the client gives its secret twice: choose one way');
    if (id !== undefined && id !== basic.id) throw invalid('client_id names a different client');
    return basic;
  }
  if (id === undefined || secret === undefined) {
    throw new OAuthRefusal({ kind: 'invalid_client', usedHeader: false });
  }
  return { id, secret, usedHeader: false };
}

/** RFC 6749 §2.3.1: id and secret are form-encoded before they are joined. */
function basicClaim(authorization: string): ClientClaim {
  const failed = new OAuthRefusal({ kind: 'invalid_client', usedHeader: true });
  const encoded = /^Basic +([A-Za-z0-9+/]+={0,2}) *$/i.exec(authorization)?.[1];
  if (encoded === undefined) throw failed;
  const pair = Buffer.from(encoded, 'base64').toString('utf8');
  const at = pair.indexOf(':');
  if (at <= 0) throw failed;
  try {
    return {
      id: formDecoded(pair.slice(0, at)),
      secret: formDecoded(pair.slice(at + 1)),
      usedHeader: true,
    };
  } catch {
    throw failed;
  }
}

function givenTwice(name: string): OAuthRefusal {
  return invalid(`parameter ${shortened(name)} is given twice`);
}

function shortened(name: string): string {
  return name.slice(0, NAME_CHARACTERS_SHOWN_MAX);
}

function invalid(why: string): OAuthRefusal {
  return new OAuthRefusal({ kind: 'invalid_request', why });
}

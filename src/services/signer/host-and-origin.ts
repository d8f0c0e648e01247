/**
 * Admits requests by their host name, and by the origin of the browser page (Web3Signer
 * HostAllowListHandler, Runner).
 */
import type { IncomingMessage, ServerResponse } from 'node:http';

export interface HostAndOriginSettings {
  /** Lower case; `*` for any. */
  readonly hosts: readonly string[];
  /** `*` for any. */
  readonly corsOrigins: readonly string[];
}

interface HostRefusal {
  readonly status: number;
  readonly reason?: string;
  readonly type?: string;
  readonly body?: string;
}

type Asked = Pick<IncomingMessage, 'method' | 'headers'>;

const METHODS = 'GET, POST, DELETE, OPTIONS';
/** In this header, `*` does not include `authorization`. */
const HEADERS = '*, authorization, content-type';
const PREFLIGHT_SECONDS = '600';
const WEB_ORIGIN = /^(null|(https?|ftp):\/\/[^\s/?#@]+|(chrome|moz)-extension:\/\/[\w-]+)$/i;
const HOST_NOT_AUTHORIZED: HostRefusal = {
  status: 403,
  type: 'application/json; charset=utf-8',
  body: '{"message":"Host not authorized."}',
};
const INVALID_ORIGIN: HostRefusal = { status: 403, reason: 'CORS Rejected - Invalid origin' };

export class HostAndOriginCheck {
  private readonly settings: HostAndOriginSettings;

  constructor(settings: HostAndOriginSettings) {
    this.settings = settings;
  }

  /** Sets the response's headers; returns true if it has already answered. */
  readonly admit = (request: IncomingMessage, response: ServerResponse): boolean => {
    const { origin } = request.headers;
    const refusal = this.refusal(request);
    if (refusal) {
      answer(response, refusal);
      return true;
    }
    if (origin === undefined) return false;
    const isAny = this.settings.corsOrigins.includes('*');
    response.setHeader('access-control-allow-origin', isAny ? '*' : origin);
    if (!isAny) response.setHeader('vary', 'origin');
    if (request.method !== 'OPTIONS' || !request.headers['access-control-request-method'])
      return false;
    response.setHeader('access-control-allow-methods', METHODS);
    response.setHeader('access-control-allow-headers', HEADERS);
    response.setHeader('access-control-max-age', PREFLIGHT_SECONDS);
    response.writeHead(204).end();
    return true;
  };

  /** Also used for a WebSocket's upgrade. undefined: admitted. */
  refusal({ headers }: Asked): HostRefusal | undefined {
    if (headers.origin !== undefined && !this.allowsOrigin(headers.origin)) return INVALID_ORIGIN;
    if (headers.host === undefined) return { status: 400 };
    return this.allowsHost(headers.host) ? undefined : HOST_NOT_AUTHORIZED;
  }

  private allowsHost(host: string): boolean {
    const { hosts } = this.settings;
    const name = hostName(host);
    if (name === '') return false;
    return hosts.includes('*') || hosts.includes(name);
  }

  /** Compares exact origins from a list, where Web3Signer uses one large regular expression. */
  private allowsOrigin(origin: string): boolean {
    const { corsOrigins } = this.settings;
    if (corsOrigins.includes('*')) return WEB_ORIGIN.test(origin);
    const wanted = origin.toLowerCase();
    return corsOrigins.some((one) => one.toLowerCase() === wanted);
  }
}

/** The host name without its port, in lower case. */
function hostName(host: string): string {
  const bracket = /^\[([^\]]*)\](:\d+)?$/.exec(host);
  if (bracket) return bracket[1]!.toLowerCase();
  return host.replace(/:\d*$/, '').toLowerCase();
}

function answer(response: ServerResponse, { status, reason, type, body = '' }: HostRefusal): void {
  if (reason !== undefined) response.statusMessage = reason;
  response.writeHead(status, {
    ...(type === undefined ? {} : { 'content-type': type }),
    'content-length': Buffer.byteLength(body),
    connection: 'close',
  });
  response.end(body);
}

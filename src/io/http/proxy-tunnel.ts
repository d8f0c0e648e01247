/** Connects through an HTTP proxy (RFC 9110 §9.3.6). */
import { Agent, type ClientRequestArgs, request } from 'node:http';
import type { Duplex } from 'node:stream';

const CONNECT_MS = 10_000;

export interface HttpProxy {
  readonly host: string;
  readonly port: number;
  readonly username: string | undefined;
  readonly password: string | undefined;
}

/** Name and value of the header; empty when no login is needed. */
export function proxyAuthorization({ username, password = '' }: HttpProxy): string[] {
  if (username === undefined) return [];
  const credentials = Buffer.from(`${username}:${password}`).toString('base64');
  return ['Proxy-Authorization', `Basic ${credentials}`];
}

/** Opens a connection to a server through the proxy. Rejects when the proxy cannot connect. */
export function tunnelThrough(
  proxy: HttpProxy,
): (server: { readonly host: string; readonly port: number }) => Promise<Duplex> {
  return ({ host, port }) =>
    new Promise((resolve, reject) => {
      const target = `${host.includes(':') ? `[${host}]` : host}:${port}`;
      const [name, value] = proxyAuthorization(proxy);
      const asked = request({
        ...{ host: proxy.host, port: proxy.port, method: 'CONNECT', path: target, agent: false },
        headers: { host: target, ...(name && value ? { [name]: value } : {}) },
      });
      asked.setTimeout(CONNECT_MS, () => asked.destroy(new Error('the proxy does not answer')));
      asked.once('error', reject);
      asked.once('connect', ({ statusCode }, socket) => {
        socket.setTimeout(0);
        if (statusCode === 200) return resolve(socket);
        socket.destroy();
        return reject(new Error(`the proxy answers ${statusCode}`));
      });
      asked.end();
    });
}

/** Plain connections through a proxy, for protocols other than simple requests: WebSockets. */
export class TunnelAgent extends Agent {
  private readonly dial: ReturnType<typeof tunnelThrough>;

  constructor(proxy: HttpProxy) {
    super();
    this.dial = tunnelThrough(proxy);
  }

  createConnection(
    { host, port }: ClientRequestArgs,
    callback?: (error: Error | null, stream: Duplex) => void,
  ): undefined {
    this.dial({ host: host ?? 'localhost', port: Number(port) }).then(
      (socket) => callback?.(null, socket),
      (error: Error) => callback?.(error, undefined as unknown as Duplex),
    );
  }
}

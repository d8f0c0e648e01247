/**
 * HTTP side of callbacks: sends one JSON document to a client's server, if the operator allows the
 * host.
 */
import { isIP } from 'node:net';
import { fail } from '../../core/base/errors.ts';
import { DialList, isPlace, LOOPBACK } from '../../io/http/dial-list.ts';
import { HttpClient } from '../../io/http/http-client.ts';
import type { CallbackAsker, CallbackPost } from './node/sending/async-sends.ts';

const TIMEOUT_MS = 10_000;
/** Only the status of the answer is read. */
const ANSWER_BYTES_MAX = 64 * 1024;
const THIS_MACHINE = new DialList(LOOPBACK);

export class Callbacks implements CallbackPost {
  private readonly hosts: DialList;
  private readonly hostsOfStrangers: DialList;
  private readonly open = new Set<HttpClient>();

  /**
   * `hosts`: allowed in addition to loopback and the caller's own address. Only callers on this
   * machine can reach loopback. Throws OPTION_VALUE_INVALID.
   */
  constructor(hosts: readonly string[]) {
    const wrong = hosts.find((host) => !isPlace(host));
    if (wrong !== undefined)
      throw fail(
        'OPTION_VALUE_INVALID',
        `--rpc.callback-hosts: "${wrong}" is not a host: name hosts (client.example), addresses (10.1.2.3), blocks of them (10.1.0.0/16), or * for everywhere`,
      );
    this.hosts = new DialList([...LOOPBACK, ...hosts]);
    this.hostsOfStrangers = new DialList(hosts);
  }

  /** Throws CALLBACK_HOST_REFUSED for an address that `asker` may not name. */
  check(url: URL, asker: CallbackAsker): void {
    if (this.hostsFor(asker).allowsHost(url.hostname, asker.address)) return;
    throw fail(
      'CALLBACK_HOST_REFUSED',
      `callbackUrl: ${url.hostname} is neither this machine nor the caller's: the operator may allow it with --rpc.callback-hosts`,
    );
  }

  /**
   * Resolves with the HTTP status; rejects without an answer, or when the URL's host is not
   * allowed.
   */
  async post(url: URL, text: string, asker: CallbackAsker): Promise<number> {
    const client = new HttpClient({
      dialTimeoutMs: TIMEOUT_MS,
      timeoutMs: TIMEOUT_MS,
      idleTimeoutMs: TIMEOUT_MS,
      responseBytesMax: ANSWER_BYTES_MAX,
      lookup: this.hostsFor(asker).lookupFor(asker.address),
    });
    this.open.add(client);
    try {
      this.check(url, asker);
      const body = Buffer.from(text);
      const headers = [
        ['Content-Type', 'application/json'],
        ['Content-Length', String(body.length)],
      ] as const;
      return (await client.request({ method: 'POST', url, headers, body })).status;
    } finally {
      client.close();
      this.open.delete(client);
    }
  }

  close(): void {
    for (const client of this.open) client.close();
  }

  private hostsFor({ address, isKnown }: CallbackAsker): DialList {
    const isHere =
      address === 'ipc' || (isIP(address) !== 0 && THIS_MACHINE.allowsHost(address, ''));
    return isKnown || isHere ? this.hosts : this.hostsOfStrangers;
  }
}

/**
 * Which addresses may connect to a server: those in a list of hosts, whose names are resolved
 * periodically (Tessera IPWhitelistFilter).
 */
import { lookup } from 'node:dns/promises';
import { isIP } from 'node:net';

const RESOLVED_MS = 60_000;
const LOCAL: readonly string[] = ['localhost', '127.0.0.1', '::1'];

export class AllowList {
  private readonly names: readonly string[];
  private readonly literals: ReadonlySet<string>;
  private resolved: Promise<ReadonlySet<string>> | undefined;
  private resolvedMs = 0;

  /** `hosts` are names or IP addresses; any name or address of localhost stands for all of them. */
  constructor(hosts: readonly string[]) {
    const plain = hosts.map((host) => host.replace(/^\[|\]$/g, '').toLowerCase());
    const all = plain.some((host) => LOCAL.includes(host)) ? [...plain, ...LOCAL] : plain;
    this.literals = new Set(all.filter((host) => isIP(host) !== 0));
    this.names = all.filter((host) => isIP(host) === 0 && host !== 'localhost');
  }

  async allows(address: string): Promise<boolean> {
    const plain = address.toLowerCase().replace(/^::ffff:(?=\d+\.)/, '');
    if (this.literals.has(plain)) return true;
    if (this.names.length === 0) return false;
    return (await this.addresses()).has(plain);
  }

  private addresses(): Promise<ReadonlySet<string>> {
    const nowMs = performance.now();
    if (!this.resolved || nowMs - this.resolvedMs > RESOLVED_MS) {
      this.resolvedMs = nowMs;
      this.resolved = resolveAll(this.names);
    }
    return this.resolved;
  }
}

/** A name that does not resolve allows no address. */
async function resolveAll(names: readonly string[]): Promise<ReadonlySet<string>> {
  const found = await Promise.allSettled(names.map((name) => lookup(name, { all: true })));
  return new Set(
    found.flatMap((one) =>
      one.status === 'fulfilled' ? one.value.map((each) => each.address) : [],
    ),
  );
}

/** Name and version of this software, and its platform. */
import { createRequire } from 'node:module';
import { arch, platform } from 'node:os';

export const VERSION: string = (
  createRequire(import.meta.url)('../../../package.json') as { version: string }
).version;

/**
 * In geth's form, which clients and explorers parse:
 * `Quorate/[identity/]v1.2.3/linux-amd64/node20.1.0`.
 */
export function clientVersion(identity: string | undefined): string {
  const system = `${platform()}-${arch() === 'x64' ? 'amd64' : arch()}`;
  const parts = ['Quorate', identity, `v${VERSION}`, system, `node${process.versions.node}`];
  return parts.filter((part) => part !== undefined && part !== '').join('/');
}

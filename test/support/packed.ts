/** The package as npm would publish it. */
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { PROJECT } from './devnet.ts';

/** Packs the build into `folder`; resolves with the path of the archive. */
export async function packed(folder: string): Promise<string> {
  const args = ['pack', '--ignore-scripts', '--silent', '--pack-destination', folder];
  const { stdout } = await promisify(execFile)('npm', args, { cwd: PROJECT });
  return join(folder, stdout.trim());
}

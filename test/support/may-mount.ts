/** Whether a test can mount file systems: in a user namespace, on Linux. */
import { execFileSync } from 'node:child_process';

export function mayMount(): boolean {
  const mount = ['mount', '-t', 'tmpfs', '-o', 'size=1m', 'tmpfs', '/mnt'];
  try {
    execFileSync('unshare', ['-rm', ...mount], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

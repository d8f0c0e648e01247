/**
 * `npm run faults -- --stores node,accounts,manager,signer,staking --pages 0,1,2,...`: fills the
 * disk, a small file system of its own, when so many pages are left; exits with 1 when something
 * acknowledged is lost, or when an error does not name the cause. Needs Linux with user namespaces.
 */
import { spawnSync } from 'node:child_process';
import { parseArgs } from 'node:util';
import { runFullDisk } from './full-disk.ts';
import { WORKLOADS } from './workloads.ts';

const { values } = parseArgs({
  options: {
    stores: { type: 'string', default: WORKLOADS.map(({ name }) => name).join() },
    pages: { type: 'string', default: Array.from({ length: 24 }, (_, at) => at * 3).join() },
    inside: { type: 'boolean', default: false },
  },
});
if (!values.inside) {
  const argv = ['-rm', process.execPath, ...process.execArgv, ...process.argv.slice(1), '--inside'];
  process.exit(spawnSync('unshare', argv, { stdio: 'inherit' }).status ?? 1);
}
const report = await runFullDisk(
  values.stores.split(','),
  values.pages.split(',').map(Number),
  console.log,
);
console.log(
  `${report.runs} full disks: ${report.failed} reported before the work was done, ${report.faults.length} faults`,
);
for (const fault of report.faults) console.log(fault);
process.exit(report.faults.length === 0 ? 0 : 1);

/**
 * Sets up permission contracts with the command while the members run, and restarts all with them.
 */
import { copyFileSync } from 'node:fs';
import { join } from 'node:path';
import { Wallet } from 'ethers';
import { until } from '../../support/conditions.ts';
import { headOf } from '../../support/devnet.ts';
import { testSecretKey } from '../../support/genesis-file.ts';
import { reach } from '../mixed/progress.ts';
import { IN_FORCE_AT, type Network } from './members.ts';

const CONFIG = 'permission-config.json';
/** Accounts that send the public transactions. */
const SENDERS = [0x11, 0x12, 0x13, 0x14].map((number) => new Wallet(testSecretKey(number)).address);

export async function setUpPermissions(
  network: Network,
  say: (line: string) => void,
): Promise<void> {
  const first = network.member(1);
  const { rpc, url } = first.running!;
  const file = join(network.folder, CONFIG);
  const accounts = [...network.members.map(({ account }) => account), ...SENDERS];
  await network.quorate(
    ...['permission', 'init', '--ledger.url', url, '--permission-config', file],
    ...['--from', first.account, '--accounts', accounts.join(',')],
    ...['--static-nodes', join(first.folder, 'static-nodes.json')],
  );
  const at = await headOf(rpc);
  for (const { running } of network.members) await running!.stop();
  for (const { folder } of network.members) copyFileSync(file, join(folder, CONFIG));
  await Promise.all(network.members.map((member) => network.startOld(member)));
  // GoQuorum panics when it is asked earlier.
  await until('all members know the contracts', async () =>
    network.logs().every((node) => node.log().includes('permission service: is now ready')),
  );
  await reach(
    network.members.map(({ running }) => running!),
    IN_FORCE_AT,
  );
  say(`  permission contracts were set up at block ${at}, and are in force`);
}

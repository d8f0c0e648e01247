/**
 * The permissions of `quorate devnet --permissioned`: one organisation with all nodes, and all
 * accounts except the last.
 */
import { join } from 'node:path';
import type { Address } from '../../core/base/bytes.ts';
import { fromHex, toHex } from '../../core/base/hex.ts';
import { addressOfSecretKey } from '../../core/base/secp256k1.ts';
import {
  formatPermissionConfig,
  PERMISSION_CONFIG_FILE,
  type PermissionConfig,
} from '../../core/permission/config.ts';
import type { SetUpPermissions } from '../../services/devnet/permissions.ts';
import { Actions } from '../../services/permission/actions.ts';
import { PermissionLedger } from '../../services/permission/ledger.ts';
import { nodeIn } from '../../services/permission/node-calls.ts';
import { ProgressFile } from '../../services/permission/progress-file.ts';
import { setUp } from '../../services/permission/setup.ts';
import { readSnapshot } from '../../services/permission/snapshot.ts';

const PATIENCE_MS = 60_000;
const CALL_GAS = 2_000_000n;
const MEMBER = 'MEMBER';
const FULL_ACCESS = 3;

export const setUpDevnetPermissions: SetUpPermissions = async ({
  description,
  topology,
  progress,
}) => {
  const ledger = new PermissionLedger(description.nodes[0]!.rpc, PATIENCE_MS);
  try {
    const [admin, ...others] = description.accounts.map(({ address }) => fromHex(address));
    const identity = { ledger: await ledger.identity(), model: 'v2', guardian: toHex(admin!) };
    const file = join(topology.folder, `${PERMISSION_CONFIG_FILE}.unfinished`);
    const kept = new ProgressFile(file, identity);
    const plan = {
      model: 'v2',
      networkAdminOrg: 'ADMINORG',
      networkAdminRole: 'ADMIN',
      orgAdminRole: 'ORGADMIN',
      accounts: [admin!],
      subOrgBreadth: 4,
      subOrgDepth: 4,
      nodes: description.nodes.map(({ enode }) => nodeIn(enode, 'v2')),
    } as const;
    progress('permissions are being set up');
    const config = await setUp(plan, {
      ledger,
      guardian: admin!,
      deployed: kept.read(),
      keep: (deployed) => kept.keep(deployed),
      progress: () => {},
    });
    const members = [
      ...others.slice(0, -1),
      ...description.nodes.flatMap(({ accounts }) => accounts.map((each) => fromHex(each.address))),
      ...topology.nodes.map(({ markerKey }) => addressOfSecretKey(markerKey)),
    ];
    await addMembers(ledger, config, admin!, members);
    kept.remove();
    return formatPermissionConfig(config);
  } finally {
    ledger.close();
  }
};

/** Adds the accounts that are not members yet. */
async function addMembers(
  ledger: PermissionLedger,
  config: PermissionConfig,
  from: Address,
  members: readonly Address[],
): Promise<void> {
  const { roles, accounts, nodes } = await readSnapshot(ledger, config);
  const actions = new Actions(config, nodes);
  const org = config.networkAdminOrg;
  const known = new Set(accounts.map(({ account }) => toHex(account)));
  const terms = { access: FULL_ACCESS, isVoter: false, isAdmin: false };
  const wanted = [
    ...(roles.some(({ roleId }) => roleId === MEMBER) ? [] : [actions.addRole(org, MEMBER, terms)]),
    ...members
      .map(toHex)
      .filter((member) => !known.has(member))
      .map((member) => actions.assignRole(org, member, MEMBER)),
  ];
  const { interface: to } = config.addresses;
  await ledger.sendAll(
    wanted.map(({ data }) => ({ from, to, data })),
    CALL_GAS,
  );
}

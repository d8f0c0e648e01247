/** All commands, in the order of the help. */
import {
  accountImportCommand,
  accountListCommand,
  accountNewCommand,
  accountUpdateCommand,
} from './account.ts';
import { attachCommand } from './attach.ts';
import { backupCommand } from './backup.ts';
import type { Command } from './command.ts';
import { consoleCommand } from './console.ts';
import { dbCommand } from './db.ts';
import { dbVerifyCommand } from './db-verify.ts';
import { devnetCommand } from './devnet.ts';
import { dumpConfigCommand } from './dumpconfig.ts';
import { dumpGenesisCommand } from './dumpgenesis.ts';
import { explorerCommand } from './explorer.ts';
import { exportCommand } from './export.ts';
import { genesisCommand, genesisValidateCommand } from './genesis.ts';
import { importCommand } from './import.ts';
import { initCommand } from './init.ts';
import { keygenCommand } from './keygen.ts';
import { licenseCommand } from './license.ts';
import { migrateCompareCommand } from './migrate-compare.ts';
import { migrateDatadirCommand } from './migrate-datadir.ts';
import { migrateManagerCommand } from './migrate-manager.ts';
import { migratePlanCommand } from './migrate-plan.ts';
import { migrateSignerCommand } from './migrate-signer.ts';
import { mpsUpgradeCommand } from './mps-upgrade.ts';
import { nodeCommand } from './node.ts';
import {
  permissionAccountCommand,
  permissionApproveCommand,
  permissionNodeCommand,
  permissionOrgCommand,
  permissionRejectCommand,
  permissionRoleCommand,
  permissionShowCommand,
} from './permission.ts';
import { permissionInitCommand } from './permission-init.ts';
import { ptmCommand } from './ptm.ts';
import { ptmCheckCommand } from './ptm-check.ts';
import { ptmRecoverCommand } from './ptm-recover.ts';
import { ptmRepairCommand } from './ptm-repair.ts';
import { rampCommand } from './ramp.ts';
import { rampConformanceCommand } from './ramp-conformance.ts';
import { rampReconcileCommand } from './ramp-reconcile.ts';
import { restoreCommand } from './restore.ts';
import { auditVerifyCommand, signerCommand } from './signer.ts';
import { stakingCommand } from './staking.ts';
import { stakingClientCommand } from './staking-client.ts';
import { stakingAuditCommand, stakingKeyCommand } from './staking-key.ts';
import { stakingRewardCommand } from './staking-reward.ts';
import { statusCommand } from './status.ts';
import { versionCommand } from './version.ts';

export const COMMANDS: readonly Command[] = [
  devnetCommand,
  statusCommand,
  nodeCommand,
  genesisCommand,
  genesisValidateCommand,
  initCommand,
  importCommand,
  exportCommand,
  dumpGenesisCommand,
  dumpConfigCommand,
  accountNewCommand,
  accountListCommand,
  accountImportCommand,
  accountUpdateCommand,
  attachCommand,
  consoleCommand,
  ptmCommand,
  ptmRecoverCommand,
  ptmCheckCommand,
  ptmRepairCommand,
  signerCommand,
  auditVerifyCommand,
  stakingCommand,
  stakingClientCommand,
  stakingRewardCommand,
  stakingKeyCommand,
  stakingAuditCommand,
  rampCommand,
  rampReconcileCommand,
  rampConformanceCommand,
  explorerCommand,
  permissionInitCommand,
  permissionShowCommand,
  permissionOrgCommand,
  permissionNodeCommand,
  permissionAccountCommand,
  permissionRoleCommand,
  permissionApproveCommand,
  permissionRejectCommand,
  backupCommand,
  restoreCommand,
  keygenCommand,
  dbCommand,
  dbVerifyCommand,
  migratePlanCommand,
  migrateDatadirCommand,
  migrateCompareCommand,
  migrateManagerCommand,
  migrateSignerCommand,
  mpsUpgradeCommand,
  versionCommand,
  licenseCommand,
];

/** The command that `argv` begins with, by one word or two, and what follows it. */
export function commandOf(
  argv: readonly string[],
): { readonly command: Command; readonly rest: readonly string[] } | undefined {
  for (const words of [2, 1]) {
    const command = COMMANDS.find(({ name }) => name === argv.slice(0, words).join(' '));
    if (command) return { command, rest: argv.slice(words) };
  }
  return undefined;
}

/**
 * Commands that do something and end. They are loaded together: with a bundle chunk for each of
 * them, a service would have to load twice as many chunks.
 */
export {
  accountImportCommand,
  accountListCommand,
  accountNewCommand,
  accountUpdateCommand,
} from './account/account.ts';
export {
  accountPluginImportCommand,
  accountPluginListCommand,
  accountPluginNewCommand,
} from './account/plugin.ts';
export { backupCommand } from './backup/backup.ts';
export { restoreCommand } from './backup/restore.ts';
export { attachCommand } from './console/attach.ts';
export { consoleCommand, jsCommand } from './console/console.ts';
export { dbCommand } from './db/db.ts';
export { dbVerifyCommand } from './db/verify.ts';
export { dumpConfigCommand } from './dumpconfig.ts';
export { dumpGenesisCommand } from './dumpgenesis.ts';
export { explorerCommand } from './explorer.ts';
export { exportCommand } from './export.ts';
export { genesisCommand, genesisValidateCommand } from './genesis.ts';
export { importCommand } from './import.ts';
export { initCommand } from './init.ts';
export { licenseCommand } from './license.ts';
export { migrateCompareCommand } from './migrate/compare.ts';
export { migrateDatadirCommand } from './migrate/datadir.ts';
export { migrateManagerCommand } from './migrate/manager.ts';
export { migratePlanCommand } from './migrate/plan.ts';
export { migrateSignerCommand } from './migrate/signer.ts';
export { mpsUpgradeCommand } from './mps-upgrade.ts';
export { permissionInitCommand } from './permission/init.ts';
export {
  permissionAccountCommand,
  permissionApproveCommand,
  permissionNodeCommand,
  permissionOrgCommand,
  permissionRejectCommand,
  permissionRoleCommand,
  permissionShowCommand,
} from './permission/permission.ts';
export { ptmCheckCommand } from './ptm/check.ts';
export { keygenCommand } from './ptm/keygen.ts';
export { ptmRecoverCommand } from './ptm/recover.ts';
export { ptmRepairCommand } from './ptm/repair.ts';
export { rampConformanceCommand } from './ramp/conformance.ts';
export { rampReconcileCommand } from './ramp/reconcile.ts';
export { auditVerifyCommand } from './signer.ts';
export { stakingClientCommand } from './staking/client.ts';
export { stakingAuditCommand, stakingKeyCommand } from './staking/key.ts';
export { stakingRewardCommand } from './staking/reward.ts';

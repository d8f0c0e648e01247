/**
 * All commands, in the order of the help. Each is loaded on demand: a process loads only the code
 * of its command.
 */
import { compileSparingly } from '../io/host/compilation.ts';
import type { Command } from './command.ts';

type Tool = keyof typeof import('./tools.ts');

/**
 * For long-running commands under load. Before their code is loaded: V8 takes up what was compiled
 * under the same flags only.
 */
const sparingly = (load: () => Promise<Command>) => () => {
  compileSparingly();
  return load();
};
const tool = (name: Tool) => async () => (await import('./tools.ts'))[name];

const LOADERS: readonly (readonly [name: string, load: () => Promise<Command>])[] = [
  ['devnet', async () => (await import('./devnet/devnet.ts')).devnetCommand],
  ['status', async () => (await import('./status.ts')).statusCommand],
  ['node', sparingly(async () => (await import('./node.ts')).nodeCommand)],
  ['genesis', tool('genesisCommand')],
  ['genesis validate', tool('genesisValidateCommand')],
  ['init', tool('initCommand')],
  ['import', tool('importCommand')],
  ['export', tool('exportCommand')],
  ['dumpgenesis', tool('dumpGenesisCommand')],
  ['dumpconfig', tool('dumpConfigCommand')],
  ['account new', tool('accountNewCommand')],
  ['account list', tool('accountListCommand')],
  ['account import', tool('accountImportCommand')],
  ['account update', tool('accountUpdateCommand')],
  ['account plugin list', tool('accountPluginListCommand')],
  ['account plugin new', tool('accountPluginNewCommand')],
  ['account plugin import', tool('accountPluginImportCommand')],
  ['attach', tool('attachCommand')],
  ['console', tool('consoleCommand')],
  ['js', tool('jsCommand')],
  ['ptm', sparingly(async () => (await import('./ptm/ptm.ts')).ptmCommand)],
  ['ptm recover', tool('ptmRecoverCommand')],
  ['ptm check', tool('ptmCheckCommand')],
  ['ptm repair', tool('ptmRepairCommand')],
  ['signer', async () => (await import('./signer.ts')).signerCommand],
  ['signer audit-verify', tool('auditVerifyCommand')],
  ['staking', async () => (await import('./staking/staking.ts')).stakingCommand],
  ['staking client', tool('stakingClientCommand')],
  ['staking reward', tool('stakingRewardCommand')],
  ['staking key', tool('stakingKeyCommand')],
  ['staking audit', tool('stakingAuditCommand')],
  ['ramp', async () => (await import('./ramp/ramp.ts')).rampCommand],
  ['ramp reconcile', tool('rampReconcileCommand')],
  ['ramp conformance', tool('rampConformanceCommand')],
  ['explorer', tool('explorerCommand')],
  ['permission init', tool('permissionInitCommand')],
  ['permission show', tool('permissionShowCommand')],
  ['permission org', tool('permissionOrgCommand')],
  ['permission node', tool('permissionNodeCommand')],
  ['permission account', tool('permissionAccountCommand')],
  ['permission role', tool('permissionRoleCommand')],
  ['permission approve', tool('permissionApproveCommand')],
  ['permission reject', tool('permissionRejectCommand')],
  ['backup', tool('backupCommand')],
  ['restore', tool('restoreCommand')],
  ['ptm keygen', tool('keygenCommand')],
  ['db', tool('dbCommand')],
  ['db verify', tool('dbVerifyCommand')],
  ['migrate plan', tool('migratePlanCommand')],
  ['migrate datadir', tool('migrateDatadirCommand')],
  ['migrate compare', tool('migrateCompareCommand')],
  ['migrate manager', tool('migrateManagerCommand')],
  ['migrate signer', tool('migrateSignerCommand')],
  ['mpsdbupgrade', tool('mpsUpgradeCommand')],
  ['version', async () => (await import('./version.ts')).versionCommand],
  ['license', tool('licenseCommand')],
];

export const COMMAND_NAMES: readonly string[] = LOADERS.map(([name]) => name);

export function allCommands(): Promise<readonly Command[]> {
  return Promise.all(LOADERS.map(([, load]) => load()));
}

/** The command that `argv` begins with, by one to three words, and what follows it. */
export async function commandOf(
  argv: readonly string[],
): Promise<{ readonly command: Command; readonly rest: readonly string[] } | undefined> {
  for (const words of [3, 2, 1]) {
    const found = LOADERS.find(([name]) => name === argv.slice(0, words).join(' '));
    if (found) return { command: await found[1](), rest: argv.slice(words) };
  }
  return undefined;
}

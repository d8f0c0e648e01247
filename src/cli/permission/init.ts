/** `quorate permission init`. */
import { resolve } from 'node:path';
import { type Address, equalBytes } from '../../core/base/bytes.ts';
import { fail } from '../../core/base/errors.ts';
import { toHex } from '../../core/base/hex.ts';
import { formatPermissionConfig, type PermissionModel } from '../../core/permission/config.ts';
import { isThere, readJson } from '../../io/host/files.ts';
import { writeWhole } from '../../io/host/whole-file.ts';
import type { ParsedOptions } from '../../io/options/options.ts';
import { addressIn } from '../../services/permission/actions.ts';
import type { PermissionLedger } from '../../services/permission/ledger.ts';
import { nodeIn } from '../../services/permission/node-calls.ts';
import { ProgressFile } from '../../services/permission/progress-file.ts';
import { type SetupPlan, setUp } from '../../services/permission/setup.ts';
import type { Command } from '../command.ts';
import { ACTION_ROWS, withLedger } from './permission-command.ts';

const GROUP = 'Network';

export const permissionInitCommand: Command = {
  name: 'permission init',
  about:
    'Sets permissions by contracts up while the network runs: deploys the contracts, names the first organisation, its administrators and nodes, and writes permission-config.json. After an interruption the same command continues.',
  examples: [
    {
      does: 'through a node, which signs for the account',
      line: 'quorate permission init --ledger.url http://127.0.0.1:22000 --from 0x… --static-nodes data/static-nodes.json',
    },
  ],
  rows: [
    ...ACTION_ROWS,
    {
      flag: 'model',
      type: 'string',
      default: 'v2',
      choices: ['v1', 'v2'],
      about: 'Version of the rules: v2 decides on each kind of transaction, and in every block',
      group: GROUP,
    },
    {
      flag: 'admin-org',
      type: 'string',
      default: 'ADMINORG',
      about: "The network administrators' organisation",
      group: GROUP,
    },
    {
      flag: 'admin-role',
      type: 'string',
      default: 'ADMIN',
      about: 'Role of network administrators',
      group: GROUP,
    },
    {
      flag: 'org-admin-role',
      type: 'string',
      default: 'ORGADMIN',
      about: "Role of each organisation's administrator",
      group: GROUP,
    },
    {
      flag: 'accounts',
      type: 'list',
      unit: 'accounts',
      about: 'The network administrators; default: --from',
      group: GROUP,
    },
    {
      flag: 'static-nodes',
      type: 'string',
      unit: 'file',
      about: 'Nodes of that organisation: a JSON list of node URLs',
      group: GROUP,
    },
    { flag: 'nodes', type: 'list', unit: 'enodes', about: 'More of its nodes', group: GROUP },
    {
      flag: 'breadth',
      type: 'integer',
      default: 4,
      about: 'Most sub-organisations of one organisation',
      group: GROUP,
    },
    {
      flag: 'depth',
      type: 'integer',
      default: 4,
      about: 'Deepest level of sub-organisations; that of a master is 1',
      group: GROUP,
    },
  ],
  async run(options) {
    const file = resolve(options.string('permission-config')!);
    if (isThere(file)) {
      throw fail('OPTION_CONFLICT', `${file} exists: permissions are set up with it already`);
    }
    return withLedger(options, options.number('patience')!, async (ledger) => {
      await setUpWith(options, ledger, file);
      console.log(`Wrote ${file}. To activate the rules, on each node:`);
      console.log(
        '  copy it into the data folder, list all nodes in permissioned-nodes.json there,',
      );
      console.log('  and start the node with --permissioned. See docs/permissioning.md.');
      return 0;
    });
  },
};

async function setUpWith(
  options: ParsedOptions,
  ledger: PermissionLedger,
  file: string,
): Promise<void> {
  const guardian = await guardianOf(options, ledger);
  const plan = planOf(options, guardian);
  const identity = {
    ledger: await ledger.identity(),
    model: plan.model,
    guardian: toHex(guardian),
  };
  const progress = new ProgressFile(`${file}.unfinished`, identity);
  console.log(`Setting up permissions, version ${plan.model.slice(1)}, by ${identity.guardian}`);
  const config = await setUp(plan, {
    ledger,
    guardian,
    deployed: progress.read(),
    keep: (deployed) => progress.keep(deployed),
    progress: (line) => console.log(`  ${line}`),
  });
  writeWhole(file, formatPermissionConfig(config));
  progress.remove();
  if (config.accounts.some((each) => equalBytes(each, guardian))) return;
  console.log(
    `  ${identity.guardian} holds no permission now: give it a role that may call and deploy, or it cannot replace the rules later`,
  );
}

/** The account of --from, or else the first one that the node or the proxy signs for. */
async function guardianOf(options: ParsedOptions, ledger: PermissionLedger): Promise<Address> {
  const text = options.string('from');
  if (text !== undefined) return addressIn(text);
  const [first] = await ledger.accounts();
  if (first) return first;
  throw fail('OPTION_VALUE_MISSING', '--from is missing, and the ledger signs for no account');
}

function planOf(options: ParsedOptions, guardian: Address): SetupPlan {
  const model = options.string('model') as PermissionModel;
  const listed = options.string('static-nodes');
  const urls = [...(listed === undefined ? [] : urlsIn(listed)), ...options.list('nodes')];
  if (urls.length === 0) {
    throw fail(
      'OPTION_VALUE_MISSING',
      'name the nodes of the first organisation by --static-nodes or --nodes: without one, nobody could send anything',
    );
  }
  const accounts = options.list('accounts').map(addressIn);
  return {
    model,
    networkAdminOrg: options.string('admin-org')!,
    networkAdminRole: options.string('admin-role')!,
    orgAdminRole: options.string('org-admin-role')!,
    accounts: accounts.length > 0 ? accounts : [guardian],
    subOrgBreadth: positive(options, 'breadth'),
    subOrgDepth: positive(options, 'depth'),
    nodes: urls.map((url) => nodeIn(url, model)),
  };
}

function urlsIn(file: string): string[] {
  const list = readJson(resolve(file));
  if (Array.isArray(list) && list.every((each) => typeof each === 'string')) return list;
  throw fail('OPTION_VALUE_INVALID', `--static-nodes ${file}: not a JSON list of node URLs`);
}

function positive(options: ParsedOptions, flag: string): number {
  const value = options.number(flag)!;
  if (value >= 1) return value;
  throw fail('OPTION_VALUE_INVALID', `--${flag} ${value}: at least 1`);
}

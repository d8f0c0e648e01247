/**
 * `quorate permission org|node|account|role|approve|reject|show`: commands for operators of a
 * permissioned network.
 */
import { approve, reject } from '../../services/permission/act.ts';
import { showJson, showText } from '../../services/permission/show.ts';
import { readSnapshot } from '../../services/permission/snapshot.ts';
import type { Command } from '../command.ts';
import {
  ACTION_ROWS,
  actAs,
  configOf,
  LEDGER_ROWS,
  runVerb,
  type Verb,
  withLedger,
} from './permission-command.ts';

const SHOW_PATIENCE_SECONDS = 20;
const GROUP = 'Role';

export const permissionShowCommand: Command = {
  name: 'permission show',
  about:
    'Prints the organisations of a permissioned network as a tree, with their roles, accounts and nodes, and the pending item with the missing votes.',
  examples: [
    {
      does: 'the devnet',
      line: 'quorate permission show --permission-config .quorate/node1/permission-config.json',
    },
  ],
  rows: [
    ...LEDGER_ROWS,
    { flag: 'json', type: 'boolean', default: false, about: 'For programs', group: 'Output' },
  ],
  async run(options) {
    const config = configOf(options);
    const snapshot = await withLedger(options, SHOW_PATIENCE_SECONDS, (ledger) =>
      readSnapshot(ledger, config),
    );
    const isJson = options.boolean('json');
    console.log(
      isJson ? JSON.stringify(showJson(snapshot, config), null, 2) : showText(snapshot, config),
    );
    return 0;
  },
};

const ORG_VERBS: Readonly<Record<string, Verb>> = {
  add: {
    operands: ['org', 'enode', 'account'],
    choose:
      ([org, enode, account]) =>
      (actions) =>
        actions.addOrg(org!, enode!, account!),
  },
  'add-sub': {
    operands: ['parent', 'org'],
    optional: 'enode',
    choose:
      ([parent, org, enode]) =>
      (actions) =>
        actions.addSubOrg(parent!, org!, enode),
  },
  suspend: {
    operands: ['org'],
    choose:
      ([org]) =>
      (actions) =>
        actions.suspendOrg(org!),
  },
  activate: {
    operands: ['org'],
    choose:
      ([org]) =>
      (actions) =>
        actions.activateOrg(org!),
  },
};

export const permissionOrgCommand: Command = {
  name: 'permission org',
  about:
    'Proposes an organisation, its suspension or activation to the network administrators; adds a sub-organisation at once.',
  operands:
    'add <org> <enode> <account> | add-sub <parent> <org> [enode] | suspend <org> | activate <org>',
  operandsMax: 4,
  examples: [
    {
      does: 'propose an organisation, with its first node and administrator',
      line: 'quorate permission org add ORG1 enode://…@10.0.0.5:30303 0x… --from 0x…',
    },
  ],
  rows: ACTION_ROWS,
  run: (options) => runVerb('permission org', ORG_VERBS, options),
};

const nodeUpdate = (action: 1 | 2 | 3): Verb => ({
  operands: ['org', 'enode'],
  choose:
    ([org, enode]) =>
    (actions) =>
      actions.updateNode(org!, enode!, action),
});

const NODE_VERBS: Readonly<Record<string, Verb>> = {
  add: {
    operands: ['org', 'enode'],
    choose:
      ([org, enode]) =>
      (actions) =>
        actions.addNode(org!, enode!),
  },
  deactivate: nodeUpdate(1),
  activate: nodeUpdate(2),
  denylist: nodeUpdate(3),
  recover: {
    operands: ['org', 'enode'],
    choose:
      ([org, enode]) =>
      (actions) =>
        actions.recoverNode(org!, enode!),
  },
};

export const permissionNodeCommand: Command = {
  name: 'permission node',
  about:
    'Adds a node to an organisation, deactivates, activates or denylists it; proposes the recovery of a denylisted one.',
  operands: 'add|deactivate|activate|denylist|recover <org> <enode or key>',
  operandsMax: 3,
  examples: [
    {
      does: 'add a node',
      line: 'quorate permission node add ORG1 enode://…@10.0.0.6:30303 --from 0x…',
    },
  ],
  rows: ACTION_ROWS,
  run: (options) => runVerb('permission node', NODE_VERBS, options),
};

const ACCOUNT_VERBS: Readonly<Record<string, Verb>> = {
  assign: {
    operands: ['org', 'account', 'role'],
    choose:
      ([org, account, role]) =>
      (actions) =>
        actions.assignRole(org!, account!, role!),
  },
  suspend: {
    operands: ['org', 'account'],
    choose:
      ([org, account]) =>
      (actions) =>
        actions.suspendAccount(org!, account!),
  },
  activate: {
    operands: ['org', 'account'],
    choose:
      ([org, account]) =>
      (actions) =>
        actions.activateAccount(org!, account!),
  },
  denylist: {
    operands: ['org', 'account'],
    choose:
      ([org, account]) =>
      (actions) =>
        actions.denyAccount(org!, account!),
  },
  recover: {
    operands: ['org', 'account'],
    choose:
      ([org, account]) =>
      (actions) =>
        actions.recoverAccount(org!, account!),
  },
};

export const permissionAccountCommand: Command = {
  name: 'permission account',
  about:
    'Gives an account a role (of an administrator: by votes), suspends, activates or denylists it; proposes the recovery of a denylisted one.',
  operands: 'assign <org> <account> <role> | suspend|activate|denylist|recover <org> <account>',
  operandsMax: 4,
  examples: [
    {
      does: 'give an account a role',
      line: 'quorate permission account assign ORG1 0x… CLERK --from 0x…',
    },
  ],
  rows: ACTION_ROWS,
  run: (options) => runVerb('permission account', ACCOUNT_VERBS, options),
};

const ROLE_VERBS: Readonly<Record<string, Verb>> = {
  add: {
    operands: ['org', 'role'],
    choose: ([org, role], options) => {
      const terms = {
        access: options.number('access')!,
        isVoter: options.boolean('voter'),
        isAdmin: options.boolean('admin'),
      };
      return (actions) => actions.addRole(org!, role!, terms);
    },
  },
  remove: {
    operands: ['org', 'role'],
    choose:
      ([org, role]) =>
      (actions, snapshot) =>
        actions.removeRole(org!, role!, snapshot),
  },
};

export const permissionRoleCommand: Command = {
  name: 'permission role',
  about: 'Adds a role to an organisation, or removes one permanently.',
  operands: 'add|remove <org> <role>',
  operandsMax: 3,
  examples: [
    {
      does: 'version 2: transfers and calls, no deployments',
      line: 'quorate permission role add ORG1 CLERK --access 5 --from 0x…',
    },
  ],
  rows: [
    ...ACTION_ROWS,
    {
      flag: 'access',
      type: 'integer',
      default: 0,
      about:
        'Version 2: 0 read only, 1 transfer, 2 deploy, 3 all, 4 call, 5 transfer and call, 6 transfer and deploy, 7 call and deploy. Version 1: 0 read only, 1 transact, 2 and 3 deploy too',
      group: GROUP,
    },
    {
      flag: 'admin',
      type: 'boolean',
      default: false,
      about: 'Administers the organisation; has all rights under version 2',
      group: GROUP,
    },
    {
      flag: 'voter',
      type: 'boolean',
      default: false,
      about: 'Recorded, without effect',
      group: GROUP,
    },
  ],
  run: (options) => runVerb('permission role', ROLE_VERBS, options),
};

export const permissionApproveCommand: Command = {
  name: 'permission approve',
  about: 'Votes for the item that waits for the network administrators.',
  examples: [{ does: 'vote', line: 'quorate permission approve --from 0x…' }],
  rows: ACTION_ROWS,
  run: (options) => actAs(options, approve),
};

export const permissionRejectCommand: Command = {
  name: 'permission reject',
  about:
    'Votes against the pending item. As soon as a majority is impossible, the item is dropped without effect.',
  examples: [{ does: 'vote', line: 'quorate permission reject --from 0x…' }],
  rows: ACTION_ROWS,
  run: (options) => actAs(options, reject),
};

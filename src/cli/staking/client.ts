/** `quorate staking client`: administers clients, whether or not the service runs. */

import { fail, hasCode } from '../../core/base/errors.ts';
import { reasonOf } from '../../io/host/reason.ts';
import type { ParsedOptions } from '../../io/options/options.ts';
import {
  type Admin,
  type NewClient,
  SCOPES_DEFAULT,
  type ShownSecret,
} from '../../services/staking/admin.ts';
import { STAKING_ROWS, STORE_ROWS } from '../../services/staking/options.ts';
import type { Command } from '../command.ts';
import { jsonRow } from '../json-row.ts';
import { missing, ofActions, unknown, type Work, withAdmin } from './admin.ts';

const GROUP = 'Client';
const DAY_MS = 24 * 60 * 60 * 1000;
const NEEDS = [
  ofActions(['name', 'id', 'audience', 'scope', 'introspect'], 'add'),
  ofActions(['overlap'], 'rotate'),
  ofActions(['json'], 'add', 'rotate', 'list'),
];

export const stakingClientCommand: Command = {
  name: 'staking client',
  about: 'Adds a client of the staking API, gives it a new secret, disables it, or lists all.',
  operands: 'add|rotate|disable|list [ID]',
  operandsMax: 2,
  examples: [
    {
      does: 'add a client; its secret is shown only once',
      line: 'quorate staking client add --name treasury --audience https://staking.example/',
    },
    {
      does: 'a new secret; the old one remains valid for a day',
      line: 'quorate staking client rotate ID --overlap 24h',
    },
  ],
  fileRows: STAKING_ROWS,
  rows: [
    ...STORE_ROWS,
    { flag: 'name', type: 'string', about: 'Display name', group: GROUP },
    { flag: 'id', type: 'string', about: 'Its client_id; default: random', group: GROUP },
    {
      flag: 'audience',
      type: 'list',
      whole: true,
      about: 'Audience for which it may have tokens, exactly as it will request it; repeatable',
      group: GROUP,
    },
    {
      flag: 'scope',
      type: 'list',
      default: SCOPES_DEFAULT,
      about: 'Allowed scopes',
      group: GROUP,
    },
    {
      flag: 'introspect',
      type: 'boolean',
      default: false,
      about: "Allow introspection of its audiences' tokens, for a resource server",
      group: GROUP,
    },
    {
      flag: 'overlap',
      type: 'duration',
      default: DAY_MS,
      about: 'How long the previous secret remains valid',
      group: GROUP,
    },
    jsonRow(GROUP),
  ],
  run(options) {
    const [action, id] = options.positional;
    return withAdmin(
      { options, needs: NEEDS, mayMakeStore: action === 'add' },
      workOf(options, action, id),
    );
  },
};

/** Reads all arguments before the store is opened. */
function workOf(options: ParsedOptions, action: string | undefined, id: string | undefined): Work {
  switch (action) {
    case 'add': {
      if (id !== undefined) throw unknown(`give the id of a new client by --id ${id}`);
      const client = newClient(options);
      return async (admin) => showSecret(options, await add(admin, client));
    }
    case 'rotate': {
      const who = named(id);
      const overlapMs = Math.round(options.number('overlap')!);
      return async (admin) => showSecret(options, await admin.rotateSecret(who, overlapMs));
    }
    case 'disable': {
      const who = named(id);
      return async (admin) => {
        await admin.disableClient(who);
        console.log(`client ${who} is disabled`);
      };
    }
    case 'list':
      return (admin) => list(admin, options.boolean('json'));
    default:
      throw unknown('quorate staking client add, rotate, disable or list');
  }
}

async function add(admin: Admin, client: NewClient): Promise<ShownSecret> {
  try {
    return await admin.addClient(client);
  } catch (error) {
    // This error is about the typed arguments.
    if (!hasCode(error, 'STAKING_CLIENT_INVALID')) throw error;
    throw fail('OPTION_VALUE_INVALID', reasonOf(error), { cause: error });
  }
}

function newClient(options: ParsedOptions): NewClient {
  const id = options.string('id');
  const name = options.string('name') ?? id;
  const audiences = options.list('audience');
  if (name === undefined) throw missing("--name is missing: the client's display name");
  if (audiences.length === 0) throw missing('--audience is missing: the address of the API');
  return {
    id,
    name,
    audiences,
    scopes: options.list('scope'),
    mayIntrospect: options.boolean('introspect'),
  };
}

function named(id: string | undefined): string {
  if (id !== undefined) return id;
  throw missing('name the client: its client_id');
}

function showSecret(options: ParsedOptions, { clientId, clientSecret }: ShownSecret): void {
  if (options.boolean('json')) {
    console.log(JSON.stringify({ client_id: clientId, client_secret: clientSecret }));
    return;
  }
  console.log(`client_id      ${clientId}`);
  console.log(`client_secret  ${clientSecret}`);
  console.log('The secret is kept as a hash: it is not shown again.');
}

function secretText({ number, expires_at: end }: { number: number; expires_at?: string }): string {
  return end === undefined ? `secret ${number}` : `secret ${number} until ${end}`;
}

async function list(admin: Admin, isJson: boolean): Promise<void> {
  for (const client of await admin.clients()) {
    const { id, name, audiences, scopes, disabledAt } = client;
    const secrets = client.secrets.map(({ number, createdAt, expiresAt }) => ({
      number,
      created_at: new Date(createdAt).toISOString(),
      ...(expiresAt === undefined ? {} : { expires_at: new Date(expiresAt).toISOString() }),
    }));
    const isDisabled = disabledAt !== undefined;
    if (isJson) {
      console.log(
        JSON.stringify({ client_id: id, name, audiences, scopes, disabled: isDisabled, secrets }),
      );
      continue;
    }
    console.log(
      [
        ...[id, name, audiences.join(' '), scopes.join(' ')],
        ...[secrets.map(secretText).join(', '), isDisabled ? 'disabled' : ''],
      ]
        .join('  ')
        .trimEnd(),
    );
  }
}

/**
 * Privacy groups over Q2T: Besu's four calls, resident groups, and peers' pushes (Tessera's
 * tessera-jaxrs/transaction-jaxrs).
 */
import { fail } from '../../../core/base/errors.ts';
import type { PrivacyGroup } from '../../../core/payload/payload-group.ts';
import { type HttpReply, type HttpRequest, json, type Route } from '../../../io/http/server.ts';
import { describeGroups } from '../manager/groups.ts';
import type { PrivateTransactionManager } from '../manager/manager.ts';
import type { PrivacyGroups } from '../manager/privacy-groups.ts';
import { base64 } from './replies.ts';
import { bad, bytesField, type Fields, jsonBody, keyField, keysField } from './requests.ts';

export interface GroupParts {
  readonly manager: PrivateTransactionManager;
  readonly groups: PrivacyGroups;
  readonly multiplePrivateStates: boolean;
}

export function groupRoutes(parts: GroupParts): Route[] {
  const { groups } = parts;
  const post = (path: string, about: string, handle: (fields: Fields) => unknown): Route => ({
    method: 'POST',
    path,
    about,
    handle: async (request) => json(200, await handle(jsonBody(request))),
  });
  return [
    post('/createPrivacyGroup', 'Makes a privacy group', async (fields) =>
      describe(
        await groups.create({
          name: textField(fields, 'name'),
          description: textField(fields, 'description'),
          from: keyField(fields, 'from'),
          members: keysField(fields, 'addresses'),
          seed: fields.seed === undefined ? undefined : bytesField(fields, 'seed'),
        }),
      ),
    ),
    post('/findPrivacyGroup', 'Privacy groups of exactly these members', async (fields) =>
      (await groups.find(keysField(fields, 'addresses'))).map(describe),
    ),
    post('/retrievePrivacyGroup', 'A privacy group by id', async (fields) =>
      describe(await groups.retrieve(bytesField(fields, 'privacyGroupId'))),
    ),
    // Besu reads a JSON string here.
    post('/deletePrivacyGroup', 'Deletes a privacy group', async (fields) => {
      const id = bytesField(fields, 'privacyGroupId');
      return base64((await groups.delete(keyField(fields, 'from'), id)).id);
    }),
    {
      method: 'GET',
      path: '/groups/:type',
      about: 'Groups of a type',
      handle: (request) => ofType(parts, request),
    },
    {
      method: 'GET',
      path: '/groups/resident/:id',
      about: 'One group of residents',
      handle: (request) => resident(parts, request),
    },
  ];
}

async function ofType(parts: GroupParts, request: HttpRequest): Promise<HttpReply> {
  const type = (request.params.type ?? '').toUpperCase();
  switch (type) {
    case 'RESIDENT':
      checkResident(parts);
      return json(200, describeGroups(parts.manager.groups));
    case 'PANTHEON':
    case 'LEGACY':
      return json(200, (await parts.groups.ofType(type)).map(describe));
    default:
      throw bad('the type of a privacy group is RESIDENT, LEGACY or PANTHEON');
  }
}

/** Finds a resident group by its identifier or its name. */
function resident(parts: GroupParts, request: HttpRequest): HttpReply {
  checkResident(parts);
  const id = request.params.id ?? '';
  const found = describeGroups(parts.manager.groups).find(
    (group) => group.privacyGroupId === id || group.name === id,
  );
  if (!found) throw fail('PTM_NOT_FOUND', `Privacy group ${id} not found`);
  return json(200, found);
}

function checkResident({ multiplePrivateStates }: GroupParts): void {
  if (multiplePrivateStates) return;
  throw fail(
    'PTM_FEATURE_OFF',
    'Multiple private state feature is not available on this privacy manager',
  );
}

function describe(group: PrivacyGroup) {
  return {
    privacyGroupId: base64(group.id),
    name: group.name,
    description: group.description,
    type: group.type,
    members: group.members.map(base64),
  };
}

function textField(fields: Fields, name: string): string {
  const value = fields[name] ?? '';
  if (typeof value !== 'string' || value.length > 1024) {
    throw bad(`"${name}" is not a text of at most 1024 characters`);
  }
  return value;
}

/** The most privacy groups that a manager keeps. */
import { expect, it } from 'vitest';
import { encodeGroup, groupId, type PrivacyGroup } from '../../../core/payload/payload-group.ts';
import { PrivacyGroups, type PrivacyGroupsOptions } from './privacy-groups.ts';
import { SourceBudget } from './source-budget.ts';

const OWN = new Uint8Array(32).fill(1);
const PLENTY = { burst: 1_000, perSecond: 0 };

function groupOf(salt: number): PrivacyGroup {
  const seed = new Uint8Array(20).fill(salt);
  const id = groupId([OWN], seed);
  const texts = { name: 'g', description: '', type: 'PANTHEON', state: 'ACTIVE' } as const;
  return { id, members: [OWN], seed, ...texts };
}

/** Privacy groups over a store that already has `held` of them; `added` collects the new ones. */
function groupsOf(held: number) {
  const added: Uint8Array[] = [];
  const groups = new PrivacyGroups({
    enclave: { owns: () => true, defaultKey: () => OWN },
    store: {
      getGroup: async () => undefined,
      groups: async () => Array<Uint8Array>(held + added.length).fill(OWN),
      putGroup: async (_id: Uint8Array, _lookup: Uint8Array, group: Uint8Array) => {
        added.push(group);
      },
    },
    search: async () => undefined,
    strangers: new SourceBudget(PLENTY, PLENTY, { nowMs: () => 0 }),
  } as unknown as PrivacyGroupsOptions);
  return { groups, added };
}

it('keeps so many groups, of its own clients and of peers', async () => {
  const { groups, added } = groupsOf(9_998);
  const create = (salt: number) => {
    const { name, description, members, seed } = groupOf(salt);
    return groups.create({ name, description, from: OWN, members, seed });
  };
  const receive = (salt: number) => groups.receive(encodeGroup(groupOf(salt)), 'a', OWN);
  await create(1);
  await receive(2);
  expect(added).toHaveLength(2);
  const refusal = { code: 'PTM_BUSY', message: 'more than 10000 privacy groups' };
  await expect(create(3)).rejects.toMatchObject(refusal);
  await expect(receive(4)).rejects.toMatchObject(refusal);
  expect(added).toHaveLength(2);
});

import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import type { PermissionContract } from './code.ts';

interface Parameter {
  readonly name: string;
  readonly type: string;
  readonly indexed?: boolean;
}
interface Entry {
  readonly type: string;
  readonly name?: string;
  readonly stateMutability?: string;
  readonly inputs: readonly Parameter[];
  readonly outputs?: readonly Parameter[];
}
type Abis = Readonly<Record<PermissionContract, readonly Entry[]>>;

const ROOT = new URL('../../../', import.meta.url);

function recorded(model: string): Abis {
  const file = new URL(`test/vectors/data/goquorum/permission/${model}/abi.json.gz`, ROOT);
  return JSON.parse(gunzipSync(readFileSync(file)).toString());
}

function ours(model: string): Abis {
  return JSON.parse(readFileSync(new URL(`contracts/permission/abi-${model}.json`, ROOT), 'utf8'));
}

/** Everything of a function or event that clients depend on. */
function textOf({ type, name = '', stateMutability = '', inputs, outputs = [] }: Entry): string {
  const list = (parameters: readonly Parameter[]) =>
    parameters.map((each) => `${each.type}${each.indexed ? ' indexed' : ''} ${each.name}`).join();
  return `${type} ${name}(${list(inputs)}) ${stateMutability} (${list(outputs)})`;
}

/** Functions that GoQuorum's contracts lack. */
const MORE: Readonly<Record<string, readonly string[]>> = {
  VoterManager: ['getVotes', 'rejectVote'],
  NodeManager: ['getNumberOfApprovedNodes'],
  PermissionsImplementation: ['rejectPendingOp'],
};

describe.each(['v1', 'v2'] as const)('contracts of %s', (model) => {
  const [theirs, own] = [recorded(model), ours(model)];
  const names = Object.keys(theirs) as PermissionContract[];

  it('are the eight that GoQuorum has', () => {
    expect(Object.keys(own).sort()).toEqual([...names].sort());
  });

  it.each(names)('%s has every function and event of GoQuorum', (name) => {
    const mine = own[name].map(textOf);
    for (const entry of theirs[name]) expect(mine).toContain(textOf(entry));
  });

  it.each(names)('%s has nothing more than is documented', (name) => {
    const known = new Set(theirs[name].map((each) => `${each.type} ${each.name ?? ''}`));
    const more = own[name].filter((each) => !known.has(`${each.type} ${each.name ?? ''}`));
    const shared = ['getAccountOrgRole', 'getAccountStatus', 'checkOrgActive'];
    const allowed = [...(MORE[name] ?? []), ...(model === 'v1' ? shared : [])];
    for (const each of more) expect(allowed).toContain(each.name);
  });
});

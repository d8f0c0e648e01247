/**
 * A mixed QBFT network under version 2 of permissions: set up while it runs, changed in every way
 * under load, and compared. The accounts that send keep their rights: a GoQuorum member refuses
 * blocks with senders that its own pending state forbids.
 */
import type { BftNode, BftProcesses } from '../../support/bft-processes.ts';
import { headOf } from '../../support/devnet.ts';
import { type Agreement, compareAll } from './agreement.ts';
import { Comparer, complaints, type Json } from './comparer.ts';
import { PermissionChanges } from './permission-changes.ts';
import {
  addressOf,
  admins,
  IN_FORCE_AT,
  type Members,
  onPermissionedNetwork,
  type Say,
} from './permissioned-network.ts';
import { commonHead, reach } from './progress.ts';
import { Traffic } from './traffic.ts';

/** Accounts that send transactions. */
const SENDERS = [0x11, 0x12, 0x13, 0x14].map((number) => addressOf(number));
/** Accounts whose rights change. */
const IDLE = [0x31, 0x32, 0x33, 0x34].map((number) => addressOf(number));
const LISTS = ['orgList', 'nodeList', 'roleList', 'acctList'] as const;

export interface PermissionsResult extends Agreement {
  readonly sent: number;
  readonly head: number;
  readonly changes: number;
}

export function playPermissions(
  blocks: number,
  members: Members,
  say: Say,
): Promise<PermissionsResult> {
  say(`permissions: ${blocks} blocks`);
  return onPermissionedNetwork(members, [], say, (network) => play(network, blocks, say));
}

async function play(network: BftProcesses, blocks: number, say: Say): Promise<PermissionsResult> {
  const changes = new PermissionChanges(network.nodes, admins(network));
  await changes.permit([...SENDERS, ...IDLE]);
  await reach(network.nodes, IN_FORCE_AT + 2);
  const traffic = new Traffic(network.nodes);
  traffic.start();
  while ((await headOf(network.node(1).rpc)) < blocks) await changes.next(IDLE);
  await changes.settle();
  const sent = await traffic.settle();
  say(`  ${changes.count} changes of permissions under load`);
  const head = await commonHead(network.nodes);
  const result = await compareAll(network.nodes, head);
  const others = await comparePermissions(network.nodes);
  // A GoQuorum member checks its own pending state, and reports blocks as bad for a while.
  const ours = complaints(network.nodes.filter(({ kind }) => kind === 'q'));
  const findings = [...result.findings, ...others.findings, ...ours];
  const comparisons = result.comparisons + others.comparisons;
  return { ...result, comparisons, findings, sent, head, changes: changes.count };
}

/** Compares the lists, the details of every organisation, and what each account may do. */
async function comparePermissions(nodes: readonly BftNode[]): Promise<Comparer> {
  const comparer = new Comparer(nodes);
  const [orgs, , , accounts] = (await comparer.everywhere(
    LISTS.map((list) => [`quorumPermission_${list}`]),
    sorted,
  )) as Json[][];
  await comparer.everywhere(
    orgs!.map(({ fullOrgId }) => ['quorumPermission_getOrgDetails', fullOrgId]),
    sorted,
  );
  const to = `0x${'f1'.repeat(20)}`;
  const kinds = [{ to, value: '0x1' }, { to, data: '0x01' }, { data: '0x01' }];
  await comparer.everywhere(
    accounts!.flatMap(({ acctId }) =>
      kinds.map(
        (kind) => ['quorumPermission_transactionAllowed', { from: acctId, ...kind }] as const,
      ),
    ),
  );
  return comparer;
}

/** GoQuorum's lists have no order, and it drops the children of an organisation that changes. */
function sorted(answer: unknown): unknown {
  if (Array.isArray(answer)) {
    const texts = answer.map((each) => [JSON.stringify(sorted(each)), sorted(each)] as const);
    return texts.sort(([a], [b]) => (a < b ? -1 : 1)).map(([, each]) => each);
  }
  if (answer === null || typeof answer !== 'object') return answer;
  const fields = Object.entries(answer).filter(([name]) => name !== 'subOrgList');
  return Object.fromEntries(
    fields.sort(([a], [b]) => (a < b ? -1 : 1)).map(([n, v]) => [n, sorted(v)]),
  );
}

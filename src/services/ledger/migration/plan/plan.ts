/**
 * The order in which the members of a network migrate, who still votes at each step, and the
 * obstacles.
 */

import { consensusAt } from '../../../../core/chain/consensus-rules.ts';
import { chainConfigFromJson } from '../../../../core/chain/genesis.ts';
import { quorumOf } from '../../../../core/consensus/bft/quorum.ts';
import type { NodeAnswers } from './ask-node.ts';

/** Number of transactions copied per second (docs/migration.md). */
const COPIED_A_SECOND = 10_000;
/** Members whose heights differ by less are in sync. */
const BEHIND_MAX = 20;
const SOON_BLOCKS = 100_000;

export type Role = 'observer' | 'validator' | 'learner' | 'verifier' | 'minter';

export interface PlanStep {
  readonly node: NodeAnswers;
  readonly role: Role;
  /** Members that still vote while this one is down; undefined if it does not vote. */
  readonly left: { readonly voting: number; readonly needed: number } | undefined;
  /** Estimated duration of copying, in seconds. */
  readonly seconds: number;
}

export interface MigrationPlan {
  readonly engine: string;
  readonly head: number;
  readonly steps: readonly PlanStep[];
  /** Problems that must be solved before the migration. */
  readonly blockers: readonly string[];
  readonly warnings: readonly string[];
}

export function planMigration(nodes: readonly NodeAnswers[]): MigrationPlan {
  const blockers: string[] = [];
  const warnings: string[] = [];
  const there = nodes.filter((node) => node.away === undefined);
  for (const { url, away } of nodes) if (away !== undefined) blockers.push(`${url}: ${away}`);
  const head = Math.max(0, ...there.map((node) => node.head));
  for (const node of there) {
    blockers.push(...blockersOf(node, there[0]!, head));
    warnings.push(...warningsOf(node));
  }
  const config = there.find((node) => node.config !== undefined)?.config;
  if (there.length > 0 && !config) {
    warnings.push(
      'no node reports its configuration: start them with "admin" in --http.api, or engine, transitions and forks are not checked',
    );
  }
  const other = there.find(({ consensus }) => isOther(consensus))?.consensus;
  if (other !== undefined) return { engine: other, head, steps: [], blockers, warnings };
  const engine = config ? checkConfig(config, head, blockers, warnings) : undefined;
  const isRaft = there.some(
    (node) => (node.raftMembers?.length ?? 0) > 0 || node.consensus === 'raft',
  );
  const steps = isRaft
    ? raftSteps(there, blockers, warnings)
    : bftSteps(there, config, head, blockers, warnings);
  return {
    engine: isRaft ? 'raft' : (engine ?? 'unknown'),
    ...{ head, steps, blockers: [...new Set(blockers)], warnings: [...new Set(warnings)] },
  };
}

/** Whether Quorate does not have this engine. */
function isOther(consensus: string | undefined): boolean {
  return consensus === 'clique' || consensus === 'ethash';
}

function blockersOf(node: NodeAnswers, first: NodeAnswers, head: number): string[] {
  const { url, consensus, plugins, protocols } = node;
  const found: string[] = [];
  if (node.genesisHash !== first.genesisHash) {
    found.push(`${url} is on another chain than ${first.url}: their first blocks differ`);
  }
  if (isOther(consensus)) {
    found.push(
      `${url} runs ${consensus}, which Quorate does not have: start a new chain with QBFT, and take the accounts and contracts over`,
    );
  }
  if (protocols.includes('qlight')) {
    found.push(
      `${url} uses qlight, which Quorate does not have: make it a full node with its own manager first`,
    );
  } else if (node.isQlightServer) {
    found.push(
      `${url} serves clients of qlight, which Quorate does not have: make them full nodes with their own managers, then start it without --qlight.server`,
    );
  }
  if (plugins.length > 0) {
    found.push(
      `${url} has plugins (${plugins.join(', ')}): GoQuorum's are Go programs and cannot be loaded here. docs/access-control.md and docs/accounts.md say which security and account plugins are built in`,
    );
  }
  if (node.isSyncing || head - node.head > BEHIND_MAX) {
    found.push(`${url} is at block ${node.head} of ${head}: wait until it has caught up`);
  }
  return found;
}

function warningsOf({ url, peers, version, nodeId }: NodeAnswers): string[] {
  const found: string[] = [];
  if (peers === 0) found.push(`${url} has no peers`);
  if (nodeId === undefined) {
    found.push(`${url} does not report its identity: start it with "admin" in --http.api`);
  }
  const minor = /\/v?(\d+)\.\d+\.\d+(?:.*?)\(quorum-v?(\d+)\.(\d+)/.exec(version);
  if (minor && Number(minor[2]) < 20) {
    found.push(
      `${url} runs ${version}: data of GoQuorum before 20 was not tried; use 24.4.1 first`,
    );
  }
  return found;
}

/** Returns the name of the engine at the head. */
function checkConfig(
  config: NonNullable<NodeAnswers['config']>,
  head: number,
  blockers: string[],
  warnings: string[],
): string | undefined {
  try {
    const read = chainConfigFromJson(config);
    const engineAt = (block: number) => consensusAt(read, block).engine;
    const now = engineAt(head);
    const transitions = Array.isArray(config.transitions) ? config.transitions : [];
    for (const transition of transitions as { readonly block?: unknown }[]) {
      const block = Number(transition.block);
      if (block <= head) continue;
      const isEngineChange = engineAt(block - 1) === 'ibft' && engineAt(block) !== 'ibft';
      if (isEngineChange && block <= head + SOON_BLOCKS) {
        blockers.push(
          `the chain will change from IBFT to QBFT (transition at block ${block}, head ${head}): wait until it is past, so that members of both kinds never change engine together`,
        );
      } else {
        warnings.push(
          `there is a transition at block ${block}: all members should be running then`,
        );
      }
    }
    return now;
  } catch (error) {
    blockers.push(`the configuration of the chain is refused: ${(error as Error).message}`);
    return undefined;
  }
}

function bftSteps(
  nodes: readonly NodeAnswers[],
  config: NodeAnswers['config'],
  head: number,
  blockers: string[],
  warnings: string[],
): PlanStep[] {
  const validators = nodes.find((node) => node.validators !== undefined)?.validators;
  if (!validators) {
    if (nodes.length > 0) {
      blockers.push(
        'no node reports the validators: start one with "istanbul" in --http.api (or "raft" for a cluster)',
      );
    }
    return [];
  }
  const isCeil = config === undefined || isCeil2Nby3(config, head);
  const needed = quorumOf(validators.length, isCeil);
  const silent = silentOf(validators, nodes);
  for (const address of silent) {
    warnings.push(`validator ${address} proposed none of the latest blocks: it seems to be down`);
  }
  const voting = validators.length - silent.length;
  if (voting - 1 < needed) {
    blockers.push(
      `${voting} of ${validators.length} validators vote and ${needed} must: while one is replaced the chain would stall. Vote in more validators first (4 can lose one), or accept the pause`,
    );
  }
  const unnamed = validators.filter((address) => !nodes.some((node) => node.address === address));
  if (unnamed.length > 0) {
    warnings.push(
      `no endpoint was named for the validators ${unnamed.join(', ')}: their steps are not in this plan`,
    );
  }
  const isValidator = (node: NodeAnswers) =>
    node.address !== undefined && validators.includes(node.address);
  const observers = nodes.filter((node) => !isValidator(node));
  return [
    ...observers.map((node) => step(node, 'observer', undefined)),
    ...nodes.filter(isValidator).map((node) => {
      const isSilent = silent.includes(node.address!);
      return step(node, 'validator', { voting: voting - (isSilent ? 0 : 1), needed });
    }),
  ];
}

function isCeil2Nby3(config: NonNullable<NodeAnswers['config']>, head: number): boolean {
  try {
    return consensusAt(chainConfigFromJson(config), head).isCeil2Nby3;
  } catch {
    return true;
  }
}

/** Validators that proposed nothing, although each had several turns in these blocks. */
function silentOf(validators: readonly string[], nodes: readonly NodeAnswers[]): string[] {
  const proposals = nodes.find((node) => node.proposals !== undefined)?.proposals;
  if (!proposals) return [];
  const blocks = Object.values(proposals).reduce((sum, count) => sum + count, 0);
  if (blocks < 3 * validators.length) return [];
  return validators.filter((address) => (proposals[address] ?? 0) === 0);
}

function raftSteps(
  nodes: readonly NodeAnswers[],
  blockers: string[],
  warnings: string[],
): PlanStep[] {
  const members = nodes.find((node) => (node.raftMembers?.length ?? 0) > 0)?.raftMembers;
  if (!members) {
    blockers.push('no node reports its cluster: start one with "raft" in --http.api');
    return [];
  }
  const peers = members.filter(({ role }) => role !== 'learner');
  const needed = Math.floor(peers.length / 2) + 1;
  const active = peers.filter(({ nodeActive }) => nodeActive).length;
  for (const { raftId, nodeActive } of members) {
    if (!nodeActive) warnings.push(`member ${raftId} of the cluster is down`);
  }
  if (active - 1 < needed) {
    blockers.push(
      `${active} of ${peers.length} peers of the cluster are running and ${needed} must: while one is replaced no block would be minted. Add a peer first (3 can lose one), or accept the pause`,
    );
  }
  const known = nodes.map((node) => node.nodeId);
  const unnamed = members.filter(({ nodeId }) => !known.includes(nodeId));
  if (unnamed.length > 0) {
    const ids = unnamed.map(({ raftId }) => raftId).join(', ');
    warnings.push(`no endpoint was named for the members ${ids}: their steps are not in this plan`);
  }
  const order: Readonly<Record<string, number>> = {
    observer: 0,
    learner: 1,
    verifier: 2,
    minter: 3,
  };
  return nodes
    .map((node) => {
      const role = roleOf(node);
      const isVoting = role === 'verifier' || role === 'minter';
      return step(node, role, isVoting ? { voting: active - 1, needed } : undefined);
    })
    .sort((a, b) => order[a.role]! - order[b.role]!);
}

function roleOf({ raftRole }: NodeAnswers): Role {
  return raftRole === 'minter' || raftRole === 'verifier' || raftRole === 'learner'
    ? raftRole
    : 'observer';
}

function step(node: NodeAnswers, role: Role, left: PlanStep['left']): PlanStep {
  return { node, role, left, seconds: Math.ceil(node.transactions / COPIED_A_SECOND) };
}

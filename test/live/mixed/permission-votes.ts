/**
 * The effect of `permissionVotes` in the genesis file on mixed networks. In one network, GoQuorum
 * members check permissions in their own pending state: they allow a right to be used in the block
 * that grants it, which the parent's state forbids. In the other, GoQuorum members have lost the
 * permission contracts, and propose blocks with forbidden transactions.
 */
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Interface, Wallet } from 'ethers';
import { fromHex } from '../../../src/core/base/hex.ts';
import { readBftExtra } from '../../../src/core/chain/extra-data.ts';
import type { BftNode, BftProcesses } from '../../support/bft-processes.ts';
import { until } from '../../support/conditions.ts';
import { headOf } from '../../support/devnet.ts';
import { CHAIN_ID, testSecretKey } from '../../support/genesis-file.ts';
import { compareAll } from './agreement.ts';
import { complaints, hex, type Json } from './comparer.ts';
import { PermissionChanges } from './permission-changes.ts';
import {
  admins,
  CONFIG,
  IN_FORCE_AT,
  type Members,
  onPermissionedNetwork,
  type Say,
  unlock,
} from './permissioned-network.ts';
import { commonHead, reach } from './progress.ts';

/**
 * GoQuorum rebuilds its block every 3 s with the transactions received meanwhile: first with
 * the grant, then with the transaction that the grant allows.
 */
const SLOWER = { blockperiodseconds: 7, requesttimeoutseconds: 10, maxRequestTimeoutSeconds: 10 };
const SLOWER_FROM = 60;
const PATIENCE_MS = 180_000;
/** Tries per wanted result: one in the turn of each member. */
const TRIES = 4;
const FORBIDDEN_COUNT = 3;
const REFUSAL = /could not apply tx \d+ \[0x[0-9a-f]{64}\]: account does not have permission/g;
const INTERFACE = new Interface([
  'function transactionAllowed(address, address, uint256, uint256, uint256, bytes) view returns (bool)',
]);
const FRIEND = `0x${'f1'.repeat(20)}`;
const NOBODY = new Wallet(testSecretKey(0x35));
const USER = new Wallet(testSecretKey(0x36));

interface Mined {
  readonly round: number;
  readonly isByOurs: boolean;
  /** Mined although the state before the block forbids it. */
  readonly isEarly: boolean;
}

export interface VotesResult {
  readonly summary: string;
  readonly findings: readonly string[];
}

const isEarly = (mined: Mined) => mined.isEarly;

/** Rights used in the block that grants them, without `permissionVotes` and with it. */
export function playGrants(grants: number, members: Members, say: Say): Promise<VotesResult> {
  say(`votes on permissions: ${grants} grants without them, as many with them`);
  const changes = [{ block: SLOWER_FROM, ...SLOWER }];
  return onPermissionedNetwork(members, changes, say, async (network) => {
    const changes = new PermissionChanges(network.nodes, admins(network));
    await changes.permit([USER.address]);
    await reach(network.nodes, SLOWER_FROM + 1);
    const votes = new Votes(network);
    const off = await votes.grantAndUse(grants, changes, isEarly);
    const refusedOff = votes.refusals();
    say(`  off: ${told(off)}; ${refusedOff} votes of ours against proposals`);
    await votes.vote(true);
    let refused = refusedOff;
    const on = await votes.grantAndUse(grants, changes, () => {
      const before = refused;
      refused = votes.refusals();
      return refused > before;
    });
    const refusedOn = votes.refusals() - refusedOff;
    say(`  on: ${told(on)}; ${refusedOn} votes of ours against proposals`);
    return votes.end('grants', [
      ...(refusedOff > 0
        ? [`${refusedOff} votes of ours against proposals, without the switch`]
        : []),
      ...(off.some(isEarly) ? [] : ['no right was used in the block that granted it: not shown']),
      ...(on.some(isEarly) ? ['a block was decided that ours should have refused'] : []),
      ...(refusedOn === 0 ? ['no vote of ours against a proposal, with the switch'] : []),
    ]);
  });
}

/** GoQuorum members that have lost the contracts, with `permissionVotes` and without it. */
export function playForgotten(blocks: number, members: Members, say: Say): Promise<VotesResult> {
  say(`votes on permissions: GoQuorum without contracts, ${blocks} blocks with votes`);
  return onPermissionedNetwork(members, [], say, async (network) => {
    await reach(network.nodes, IN_FORCE_AT + 1);
    const votes = new Votes(network);
    await votes.vote(true);
    await votes.forgetContracts();
    const hashes = await votes.sendForbidden();
    const before = await headOf(network.node(1).rpc);
    await reach(network.nodes, before + blocks);
    const early = await votes.minedOf(hashes);
    const refused = votes.refusals();
    say(
      `  on: ${early.length} of ${hashes.length} mined; ${refused} votes of ours against proposals`,
    );
    await votes.vote(false);
    const late = await until(
      'what is forbidden is mined',
      async () => {
        const mined = await votes.minedOf(hashes);
        return mined.length === hashes.length && mined;
      },
      PATIENCE_MS,
    );
    say(`  off: ${told(late)}`);
    return votes.end('GoQuorum without contracts', [
      ...(early.length > 0 ? [`${early.length} forbidden transactions were mined`] : []),
      ...(refused === 0 ? ['no vote of ours against a proposal, with the switch'] : []),
      ...(late.some(({ isByOurs }) => isByOurs) ? ['ours proposed what is forbidden'] : []),
    ]);
  });
}

function told(mined: readonly Mined[]): string {
  const early = mined.filter(({ isEarly }) => isEarly);
  const ours = early.filter(({ isByOurs }) => isByOurs);
  const later = mined.filter(({ round }) => round > 0);
  return (
    `${mined.length} mined, ${early.length} of them against the parent's state ` +
    `(${ours.length} in blocks of ours), ${later.length} in a later round`
  );
}

class Votes {
  readonly ours: readonly BftNode[];
  private readonly network: BftProcesses;
  /** A GoQuorum member, and its administrator. */
  private readonly other: BftNode;
  private readonly contract: string;

  constructor(network: BftProcesses) {
    this.network = network;
    this.ours = network.nodes.filter(({ kind }) => kind === 'q');
    this.other = network.nodes.at(-1)!;
    const file = readFileSync(join(this.other.folder, CONFIG), 'utf8');
    this.contract = JSON.parse(file).interfaceAddress;
  }

  /** How often our nodes have refused a proposal because of its content, over all restarts. */
  refusals(): number {
    return this.ours.reduce((sum, node) => sum + (node.log().match(REFUSAL) ?? []).length, 0);
  }

  /** Restarts our nodes with `permissionVotes` in their genesis file. */
  async vote(isOn: boolean): Promise<void> {
    const genesis = JSON.parse(readFileSync(this.network.genesisFile, 'utf8'));
    if (isOn) genesis.config.quorate = { permissionVotes: true };
    const file = join(this.network.node(1).folder, '..', 'voting.json');
    writeFileSync(file, JSON.stringify(genesis));
    for (const node of this.ours) {
      await node.stop();
      await node.start(['--genesis', file]);
      await reach(this.network.nodes, (await headOf(this.other.rpc)) + 1);
    }
    await unlock(this.network);
  }

  /**
   * Through a GoQuorum member: grants a right, and uses it as soon as that member allows it.
   * `wanted`: the number of GoQuorum's blocks with both; each try comes in the turn of another
   * proposer.
   */
  async grantAndUse(
    wanted: number,
    changes: PermissionChanges,
    isShown: (mined: Mined) => boolean,
  ): Promise<Mined[]> {
    const mined: Mined[] = [];
    for (let shown = 0; shown < wanted && mined.length < TRIES * wanted; ) {
      await this.untilBlockOf(this.network.nodes[mined.length % TRIES]!);
      await changes.revoke(USER.address);
      await changes.ask(USER.address, 1);
      const raw = await this.transfer(USER, await this.nonceOf(USER));
      const hash = await until('it is taken', () => this.send(raw), PATIENCE_MS);
      const found = await until('it is mined', () => this.mined(hash), PATIENCE_MS);
      mined.push(found);
      if (isShown(found)) shown++;
    }
    return mined;
  }

  private untilBlockOf({ name, address }: BftNode): Promise<boolean> {
    const { rpc } = this.network.node(1);
    return until(
      `${name} has made the last block`,
      async () =>
        (await rpc.call<Json>('istanbul_getSignersFromBlock', 'latest')).author === address,
      PATIENCE_MS,
    );
  }

  async forgetContracts(): Promise<void> {
    for (const node of this.network.nodes.filter(({ kind }) => kind === 'r')) {
      await node.stop();
      rmSync(join(node.folder, CONFIG));
      await node.start();
      await reach(this.network.nodes, (await headOf(this.network.node(1).rpc)) + 1);
    }
  }

  async sendForbidden(): Promise<string[]> {
    const hashes: string[] = [];
    for (let nonce = 0; nonce < FORBIDDEN_COUNT; nonce++)
      hashes.push(await this.send(await this.transfer(NOBODY, nonce)));
    return hashes;
  }

  /** Compares all members. */
  async end(what: string, findings: readonly string[]): Promise<VotesResult> {
    const { nodes } = this.network;
    const head = await commonHead(nodes);
    const agreement = await compareAll(nodes, head);
    const summary = `votes on permissions, ${what}: ${head} blocks, ${agreement.laterRounds} in a later round; ${agreement.comparisons} comparisons`;
    return { summary, findings: [...agreement.findings, ...complaints(this.ours), ...findings] };
  }

  async minedOf(hashes: readonly string[]): Promise<Mined[]> {
    const all = await Promise.all(hashes.map((hash) => this.mined(hash)));
    return all.filter((each) => each !== undefined);
  }

  private transfer(wallet: Wallet, nonce: number): Promise<string> {
    const fields = { chainId: CHAIN_ID, type: 0, gasLimit: 21_000, gasPrice: 0, value: 0 };
    return wallet.signTransaction({ ...fields, nonce, to: FRIEND });
  }

  private async nonceOf({ address }: Wallet): Promise<number> {
    return Number(await this.other.rpc.call('eth_getTransactionCount', address, 'latest'));
  }

  private send(raw: string): Promise<string> {
    return this.other.rpc.call('eth_sendRawTransaction', raw);
  }

  private async mined(hash: string): Promise<Mined | undefined> {
    const { rpc } = this.network.node(1);
    const receipt = await rpc.call<Json | null>('eth_getTransactionReceipt', hash);
    if (!receipt) return undefined;
    const number = Number(receipt.blockNumber);
    const block = await rpc.call<Json>('eth_getBlockByNumber', hex(number), false);
    const { author } = await rpc.call<Json>('istanbul_getSignersFromBlock', hex(number));
    const extra = readBftExtra(fromHex(block.extraData));
    return {
      round: extra?.kind === 'qbft' ? extra.round : 0,
      isByOurs: this.ours.some(({ address }) => address === author),
      isEarly: !(await this.isAllowed(receipt.from, number - 1)),
    };
  }

  /** Asks the contract itself. */
  private async isAllowed(from: string, at: number): Promise<boolean> {
    const data = INTERFACE.encodeFunctionData('transactionAllowed', [
      ...[from, FRIEND, 0, 0, 21_000, '0x'],
    ]);
    const { rpc } = this.network.node(1);
    const answer = await rpc.call<string>('eth_call', { to: this.contract, data }, hex(at));
    return INTERFACE.decodeFunctionResult('transactionAllowed', answer)[0];
  }
}

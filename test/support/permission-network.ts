/**
 * The permission contracts of one model, deployed in an EVM in memory, without a node. viem encodes
 * the ABI.
 */
import { readFileSync } from 'node:fs';
import {
  type Abi,
  decodeErrorResult,
  decodeFunctionResult,
  encodeDeployData,
  encodeFunctionData,
  type Hex,
} from 'viem';
import type { Address } from '../../src/core/base/bytes.ts';
import { fromHex, toHex } from '../../src/core/base/hex.ts';
import { keccak256 } from '../../src/core/base/keccak.ts';
import { execute } from '../../src/core/evm/interpreter.ts';
import type { PermissionModel } from '../../src/core/permission/config.ts';
import type { PublicWorld } from '../../src/core/state/public-world.ts';
import {
  MANAGERS,
  type PermissionContract,
  permissionCode,
} from '../../src/services/permission/code.ts';
import { environmentOf, worldOf } from './evm.ts';
import { rulesOfFork } from './rules-of-fork.ts';

const GAS = 1_000_000_000n;
/** The oldest fork that they are compiled for; it limits code to 24,576 bytes. */
const RULES = rulesOfFork('byzantium');

export const GUARDIAN = personOf('guardian');
export const POLICY = { org: 'ADMINORG', role: 'ADMIN', orgRole: 'ORGADMIN' } as const;
export const LIMITS = { breadth: 3, depth: 4 } as const;

/** A made-up account. */
export function personOf(name: string): Hex {
  return toHex(keccak256(new TextEncoder().encode(name)).subarray(12)) as Hex;
}

export interface NetworkNode {
  readonly id: string;
  readonly ip: string;
  readonly port: number;
  readonly raftPort: number;
}

export function nodeOf(number: number): NetworkNode {
  const half = toHex(keccak256(new TextEncoder().encode(`node ${number}`))).slice(2);
  return { id: half + half, ip: '127.0.0.1', port: 21_000 + number, raftPort: 0 };
}

function urlOf({ id, ip, port }: NetworkNode): string {
  return `enode://${id}@${ip}:${port}?discport=0`;
}

/** By model: the ABI of each contract. */
const ABI: Readonly<Record<PermissionModel, Readonly<Record<string, Abi>>>> = {
  v1: abiOf('v1'),
  v2: abiOf('v2'),
};

function abiOf(model: PermissionModel): Record<string, Abi> {
  const file = new URL(`../../contracts/permission/abi-${model}.json`, import.meta.url);
  return JSON.parse(readFileSync(file, 'utf8'));
}

export class PermissionNetwork {
  readonly model: PermissionModel;
  private readonly world: PublicWorld = worldOf([]);
  private readonly addresses = new Map<PermissionContract, Hex>();

  constructor(model: PermissionModel) {
    this.model = model;
    this.deploy('PermissionsUpgradable', [GUARDIAN]);
    const upgradable = this.at('PermissionsUpgradable');
    for (const name of [...MANAGERS, 'PermissionsInterface'] as const) {
      this.deploy(name, [upgradable]);
    }
    this.deploy('PermissionsImplementation', [
      upgradable,
      ...MANAGERS.map((name) => this.at(name)),
    ]);
    const parts = [this.at('PermissionsInterface'), this.at('PermissionsImplementation')];
    this.must(GUARDIAN, 'init', parts, 'PermissionsUpgradable');
  }

  at(name: PermissionContract): Hex {
    return this.addresses.get(name)!;
  }

  /** Deploys one more contract, which replaces the one of this name. */
  deploy(name: PermissionContract, args: readonly unknown[]): Hex {
    const bytecode = permissionCode(this.model, name) as Hex;
    const data = encodeDeployData({ abi: ABI[this.model][name]!, bytecode, args });
    const { kind, createdAddress, error } = this.run(GUARDIAN, undefined, data);
    if (kind !== 'success') throw new Error(`${name} was not deployed: ${error}`);
    const address = toHex(createdAddress!) as Hex;
    this.addresses.set(name, address);
    return address;
  }

  /** Initialises the network: `admins` and `nodes` are those of the network's own organisation. */
  boot(admins: readonly Hex[], nodes: readonly NetworkNode[]): this {
    this.must(GUARDIAN, 'setPolicy', [POLICY.org, POLICY.role, POLICY.orgRole]);
    this.must(GUARDIAN, 'init', [LIMITS.breadth, LIMITS.depth]);
    for (const node of nodes) this.must(GUARDIAN, 'addAdminNode', this.nodeArgs(node));
    for (const admin of admins) this.must(GUARDIAN, 'addAdminAccount', [admin]);
    this.must(GUARDIAN, 'updateNetworkBootStatus', []);
    return this;
  }

  /** The arguments for a node in this model; undefined: no node. */
  nodeArgs(node: NetworkNode | undefined): unknown[] {
    if (this.model === 'v1') return [node ? urlOf(node) : ''];
    return node ? [node.id, node.ip, node.port, node.raftPort] : ['', '', 0, 0];
  }

  /**
   * Sends a transaction to a contract: undefined when it succeeded, the reason when it reverted.
   */
  send(
    from: Hex,
    functionName: string,
    args: readonly unknown[],
    to: PermissionContract = 'PermissionsInterface',
  ): string | undefined {
    const data = encodeFunctionData({ abi: ABI[this.model][to]!, functionName, args });
    const { kind, output, error } = this.run(from, this.at(to), data);
    if (kind === 'success') return undefined;
    if (kind === 'error') return `error: ${error}`;
    if (output.length === 0) return 'reverted without a reason';
    const reason = decodeErrorResult({ data: toHex(output) as Hex });
    return reason.errorName === 'Error' ? String(reason.args?.[0]) : `panic ${reason.args?.[0]}`;
  }

  must(from: Hex, functionName: string, args: readonly unknown[], to?: PermissionContract): void {
    const reason = this.send(from, functionName, args, to);
    if (reason !== undefined) throw new Error(`${functionName}: ${reason}`);
  }

  /** Calls a view function. `from` matters where only one contract may call it. */
  ask<T = unknown>(
    to: PermissionContract,
    functionName: string,
    args: readonly unknown[] = [],
    from: Hex = GUARDIAN,
  ): T {
    const abi = ABI[this.model][to]!;
    const data = encodeFunctionData({ abi, functionName, args });
    const { kind, output, error } = this.run(from, this.at(to), data, true);
    if (kind !== 'success') throw new Error(`${functionName}: ${error}`);
    return decodeFunctionResult({ abi, functionName, data: toHex(output) as Hex }) as T;
  }

  private run(from: Hex, to: Hex | undefined, data: Hex, isStatic = false) {
    const address = (hex: Hex): Address => fromHex(hex);
    const environment = environmentOf(this.world, RULES, { origin: address(from) });
    const result = execute(
      {
        caller: address(from),
        to: to && address(to),
        value: 0n,
        data: fromHex(data),
        gas: GAS,
        isStatic,
      },
      environment,
    );
    this.world.beginTransaction();
    return result;
  }
}

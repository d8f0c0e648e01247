/** Settings of a chain for development (`--dev`). */
import { fail } from '../../../core/base/errors.ts';
import { EMPTY_PSI, type Psi } from '../../../core/privacy/inputs.ts';
import type { PrivateStates } from '../../../core/privacy/private-states.ts';
import type { OptionValue } from '../../../io/options/option-row.ts';
import type { ParsedOptions } from '../../../io/options/options.ts';

export interface DevelopmentConfig {
  /** Milliseconds between blocks; 0: a block for every transaction. */
  readonly periodMs: number;
  /** Empty: the chain has one private state. */
  readonly members: readonly DevelopmentMember[];
}

/** A private state with its own port. */
export interface DevelopmentMember {
  readonly psi: Psi;
  readonly port: number;
}

/** All namespaces that development tools use. */
const APIS = [
  ...['eth', 'net', 'web3', 'debug', 'trace', 'txpool', 'evm', 'anvil', 'hardhat'],
  ...['istanbul', 'personal', 'quorumExtension', 'eea'],
];

/**
 * Replace the usual defaults: no other nodes, free gas, and HTTP, also for pages of other origins.
 * Without reader threads, so that no answer comes from a state that was reverted.
 */
export const DEVELOPMENT_DEFAULTS: Readonly<Record<string, OptionValue>> = {
  http: true,
  'http.api': APIS,
  'ws.api': APIS,
  'http.corsdomain': ['*'],
  'rpc.readers': 0,
  port: 0,
  maxpeers: 0,
  nodiscover: true,
  'miner.gasprice': 0,
  'txpool.pricelimit': 0,
};

/** Flags that make no sense on a chain with only this node. */
const NOT_WITH_DEV = ['raft', 'permissioned', 'mine', 'multitenancy'];

const PORT_MAX = 65_535;

/** Undefined: the chain is not for development. Throws OPTION_CONFLICT and OPTION_VALUE_INVALID. */
export function developmentConfig(options: ParsedOptions): DevelopmentConfig | undefined {
  const members = options.list('dev.members');
  if (!options.boolean('dev')) {
    if (members.length === 0) return undefined;
    throw fail(
      'OPTION_CONFLICT',
      '--dev.members: only a chain for development has them. Add --dev',
    );
  }
  const other = NOT_WITH_DEV.find((flag) => (options.source(flag) ?? 'default') !== 'default');
  if (other !== undefined)
    throw fail(
      'OPTION_CONFLICT',
      `--dev: it makes a chain of its own, whose only validator is this node. Omit --${other}`,
    );
  return { periodMs: 1000 * options.number('dev.period')!, members: membersOf(members) };
}

function membersOf(list: readonly string[]): DevelopmentMember[] {
  const members = list.map((text) => {
    const at = text.lastIndexOf('=');
    const port = Number(text.slice(at + 1));
    if (at > 0 && Number.isInteger(port) && port > 0 && port <= PORT_MAX)
      return { psi: text.slice(0, at), port };
    throw fail('OPTION_VALUE_INVALID', `--dev.members: ${text} is not NAME=PORT`);
  });
  for (const key of ['psi', 'port'] as const)
    if (new Set(members.map((each) => each[key])).size < members.length)
      throw fail('OPTION_VALUE_INVALID', '--dev.members: two members have one name or one port');
  return members;
}

/** Throws PSI_UNKNOWN for a member whose private state does not exist on the chain. */
export function checkMembers(
  development: DevelopmentConfig | undefined,
  states: PrivateStates,
): void {
  for (const { psi } of development?.members ?? []) {
    if (states.has(psi)) continue;
    const known = states.psis.filter((each) => each !== EMPTY_PSI).join(', ');
    throw fail(
      'PSI_UNKNOWN',
      `--dev.members: there is no private state "${psi}", only ${known || 'none'}. Members are resident groups of the private transaction manager, and a chain has them from its first block`,
    );
  }
}

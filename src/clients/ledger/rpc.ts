/** The JSON-RPC methods of a Quorum node that libraries do not know, over any library's client. */
import type { Extension } from './calls/extension.ts';
import type { Istanbul } from './calls/istanbul.ts';
import type { Permission } from './calls/permission.ts';
import type { Privacy } from './calls/privacy.ts';
import type { Raft } from './calls/raft.ts';

/** Sends calls: a client of viem, an EIP-1193 provider, or an object around any other client. */
export interface Requester {
  /**
   * Resolves with the answer's `result`.
   *
   * @example
   * const requester = { request: ({ method, params }) => provider.send(method, params) };
   * console.log(await quorumRpc(requester).istanbul.isValidator());
   */
  request(call: { method: string; params?: unknown }): Promise<unknown>;
}

/** Groups of calls, each named as its namespace. */
export type QuorumRpc = {
  /** `eth_*`: private transactions and contracts. */
  readonly privacy: Privacy;
  /** `quorumExtension_*`: new parties of private contracts. */
  readonly extension: Extension;
  /** `quorumPermission_*`: organisations, roles, accounts and nodes. */
  readonly permission: Permission;
  /** `istanbul_*`: validators of QBFT and IBFT. */
  readonly istanbul: Istanbul;
  /** `raft_*`: members of a Raft cluster. */
  readonly raft: Raft;
};

/**
 * Typed calls of a Quorum node. Bigints in parameters become quantities, and answers are the node's
 * JSON. Errors are those of the library that sends the calls.
 *
 * @example
 * import { quorumRpc } from 'quorate/client';
 *
 * const rpc = quorumRpc(window.ethereum); // or an own object with `request`
 * const validators = await rpc.istanbul.getValidators('latest');
 * const { name } = await rpc.privacy.getPSI().then((name) => ({ name }));
 * console.log(validators.length, name); // 4 private
 */
export function quorumRpc(client: Requester): QuorumRpc {
  const group = <T extends object>(prefix: string): T =>
    new Proxy({} as T, {
      // `then`: JavaScript would call it on a group that is awaited.
      get: (_, name) =>
        typeof name !== 'string' || name === 'then'
          ? undefined
          : (...params: readonly unknown[]) =>
              client.request({ method: `${prefix}_${name}`, params: withQuantities(params) }),
    });
  return {
    privacy: group('eth'),
    extension: group('quorumExtension'),
    permission: group('quorumPermission'),
    istanbul: group('istanbul'),
    raft: group('raft'),
  };
}

/** Replaces bigints, at any depth, by quantities of JSON-RPC. */
export function withQuantities(value: unknown): unknown {
  if (typeof value === 'bigint') return `0x${value.toString(16)}`;
  if (Array.isArray(value)) return value.map(withQuantities);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([, each]) => each !== undefined)
      .map(([name, each]) => [name, withQuantities(each)]),
  );
}

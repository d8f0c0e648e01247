/** Composes sending: how callers of each private state submit transactions and read payloads. */
import { notAuthorized } from '../../core/access/access-token.ts';
import { DEFAULT_PSI, type Psi } from '../../core/privacy/inputs.ts';
import type { Caller } from '../../io/rpc/dispatcher.ts';
import type { Context } from './api/context.ts';
import type { ApiParts } from './api-parts.ts';
import { markerSigner } from './keys/eea-marker.ts';
import { EeaSender } from './node/sending/eea-sender.ts';
import { GasPriceOracle } from './node/sending/gas-price.ts';
import { NonceLock } from './node/sending/nonce-lock.ts';
import { PayloadReader } from './node/sending/payload-reader.ts';
import { PoolReader } from './node/sending/pool-reader.ts';
import { PrivateSender } from './node/sending/private-sender.ts';
import type { TransactionArgs } from './node/sending/send-args.ts';
import { Sender } from './node/sending/sender.ts';
import { TenantSubmitter, tenantEea } from './node/sending/tenant-submitter.ts';
import { poolHead } from './node/sending/transaction-intake.ts';

/** The parts for one private state. */
type SendingRoom = Pick<Context, 'submitter' | 'payloads' | 'eea'>;

export interface Sending {
  /** Shared by all callers. */
  readonly shared: Pick<Context, 'wallet' | 'pool' | 'gasPrices'>;
  of(psi: Psi): SendingRoom;
  /** With tenants, the result is limited by the caller's token. */
  as(caller: Caller): SendingRoom & Pick<Context, 'checkActor'>;
}

/** All parts assign nonces under one lock. `gasOf`: the estimate for callers of a private state. */
export function composeSending(
  parts: ApiParts,
  gasOf: (psi: Psi) => (args: TransactionArgs) => Promise<bigint>,
): Sending {
  const { node, accounts, config, privateStates: states } = parts;
  const gasPrices = new GasPriceOracle(node.chain, config.sending.gasPrice);
  const shared = { wallet: accounts, pool: new PoolReader(node.pool), gasPrices };
  const make = roomMaker(parts, gasPrices, gasOf);
  const rooms = new Map<Psi, SendingRoom>();
  for (const psi of new Set([...states.psis, DEFAULT_PSI])) rooms.set(psi, make(psi));
  // An unknown name gets a temporary instance that may not send privately.
  const of = (psi: Psi) => rooms.get(psi) ?? make(psi);
  return { shared, of, as: (caller) => roomOf(parts, caller, of) };
}

function roomMaker(
  { node, accounts, manager, config, privateStates: states }: ApiParts,
  gasPrices: GasPriceOracle,
  gasOf: (psi: Psi) => (args: TransactionArgs) => Promise<bigint>,
): (psi: Psi) => SendingRoom {
  const nonces = new NonceLock();
  const { allowsUnprotected, feeCapWei, isMarking, eeaMarker } = config.sending;
  const marker = markerSigner(eeaMarker, accounts);
  return (psi) => {
    const ofState = {
      chain: node.chain,
      manager,
      follower: node.follower,
      payloads: node.payloads,
      psi,
      members: states.membersOf(psi),
    };
    const way = { pool: node.pool, intake: node.intake, nonces, allowsUnprotected };
    return {
      submitter: new Sender({
        ...way,
        chain: node.chain,
        accounts,
        private: new PrivateSender(ofState),
        isMarking,
        estimateGas: gasOf(psi),
        gasPrices,
        feeCapWei,
      }),
      eea: new EeaSender({ ...way, ...ofState, marker }),
      payloads: new PayloadReader(ofState),
    };
  };
}

function roomOf(
  { node, access, privateStates: states }: ApiParts,
  caller: Caller,
  of: (psi: Psi) => SendingRoom,
): SendingRoom & Pick<Context, 'checkActor'> {
  const psi = caller.psi ?? DEFAULT_PSI;
  const room = of(psi);
  if (!access.isMultitenant || caller.access.kind !== 'token')
    return { ...room, checkActor: () => {} };
  const authority = caller.access.token;
  const rules = () => poolHead(node.chain).nextRules;
  return {
    submitter: new TenantSubmitter({ ...room, psi, authority, rules }),
    payloads: room.payloads,
    eea: tenantEea(room.eea, { psi, authority }),
    checkActor({ from, privateFrom }) {
      const actor = { kind: 'node', address: from } as const;
      const owner = privateFrom === undefined ? psi : states.psiOf(privateFrom);
      const isGranted = [psi, owner].every((each) => each && authority.mayAct(each, actor));
      if (!isGranted) throw notAuthorized();
    },
  };
}

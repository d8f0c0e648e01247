/** `net_*`, `web3_*` and `rpc_*`: client version, network and modules of this node. */
import { toHex, toQuantity } from '../../../core/base/hex.ts';
import { keccak256 } from '../../../core/base/keccak.ts';
import { method } from './context.ts';
import { BOOL, HASH, OBJECT, QUANTITY, TEXT } from './results.ts';
import { data } from './shapes.ts';

export const netMethods = [
  method('net_version', {
    params: [],
    result: TEXT,
    about: 'Network id, in decimal.',
    call: ({ admin }) => String(admin.info().networkId),
  }),
  method('net_listening', {
    params: [],
    result: BOOL,
    about: 'Whether the node listens for peers.',
    call: () => true,
  }),
  method('net_peerCount', {
    params: [],
    result: QUANTITY,
    about: 'How many peers are connected.',
    call: ({ admin }) => toQuantity(admin.peers().length),
  }),
  method('web3_clientVersion', {
    params: [],
    result: TEXT,
    about: 'Name and version of the software.',
    // Hardhat's helpers accept only nodes with this name.
    call: ({ admin, development }) => `${development ? 'anvil/' : ''}${admin.info().clientVersion}`,
  }),
  method('web3_sha3', {
    params: [data],
    result: HASH,
    about: 'Keccak-256 of the given bytes.',
    call: (_, [bytes]) => toHex(keccak256(bytes)),
  }),
  method('rpc_modules', {
    params: [],
    result: OBJECT,
    about: 'Namespaces that this transport serves.',
    call: ({ namespaces }) =>
      Object.fromEntries([...namespaces].sort().map((name) => [name, '1.0'])),
  }),
];

/** The eth handshake of a node: what it says of its chain, and which fork ids it accepts. */
import { ForkSchedule } from '../../../../core/chain/fork-id.ts';
import { EthHandshake } from '../../../../core/sync/eth-handshake.ts';
import type { Chain } from '../chain/chain.ts';
import { chainHead } from './sync-driver.ts';

export function handshakeOf(chain: Chain, networkId: bigint): EthHandshake {
  const first = chain.store.header(0)!;
  const genesis = chain.store.hashOf(0)!;
  const forks = new ForkSchedule(chain.config, genesis, first.timestamp);
  const position = () => {
    const { header } = chain.head();
    return { number: BigInt(header.number), timestamp: header.timestamp };
  };
  return new EthHandshake({
    status: () => {
      const { hash, td } = chainHead(chain);
      return { networkId, td, head: hash, genesis, forkId: forks.at(position()) };
    },
    forkFault: (id) => forks.fault(id, position()),
  });
}

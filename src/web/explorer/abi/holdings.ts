/** Balances of the tokens that an account has received or sent. */
import { encodeFunctionData, type Hex } from 'viem';
import type { Rpc } from '../node/rpc.ts';
import type { Log } from '../node/types.ts';
import { abiOfToken } from './standards.ts';
import { type Token, type TokenKind, type Transfer, tokenAt, transfersOf } from './tokens.ts';

export interface Holding {
  /** The address of the token contract. */
  readonly address: string;
  /** undefined: the contract does not describe its token. */
  readonly token: Token | undefined;
  /** Only of an ERC-1155 token. */
  readonly id: bigint | undefined;
  /** undefined: the contract does not return one. */
  readonly balance: bigint | undefined;
}

export interface Holdings {
  /** The newest first. */
  readonly transfers: readonly Transfer[];
  readonly holdings: readonly Holding[];
}

/** Counts all tokens and ids together. */
const HOLDINGS_MAX = 40;
const TRANSFER_TOPICS = [
  '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef',
  '0xc3d58168c5ae7397731d063d5bbf3d657854427343f4c083240f7aacaa2d0f62',
  '0x4a39dc06d4c0dbc64b70af90fd698a233a518aa5d07e595d983b8c0526c8f7fb',
];

type Asked = Pick<Rpc, 'call'>;

/** From the events since block `first`. Rejects with RpcFault. */
export async function holdingsOf(rpc: Asked, owner: string, first: number): Promise<Holdings> {
  const transfers = await transfersAbout(rpc, owner.toLowerCase(), first);
  const found = new Map<string, { address: string; kind: TokenKind; id: bigint | undefined }>();
  for (const { token, kind, id } of transfers) {
    if (found.size === HOLDINGS_MAX) break;
    const own = kind === 'ERC-1155' ? id : undefined;
    found.set(`${token} ${own}`, { address: token, kind, id: own });
  }
  const addresses = [...new Set([...found.values()].map(({ address }) => address))];
  const [tokens, balances] = await Promise.all([
    Promise.all(addresses.map((address) => tokenAt(rpc, address))),
    Promise.all([...found.values()].map((each) => balanceOf(rpc, owner, each))),
  ]);
  const holdings = [...found.values()].map(({ address, id }, at) => {
    return { address, id, token: tokens[addresses.indexOf(address)], balance: balances[at] };
  });
  return { transfers, holdings };
}

async function transfersAbout(rpc: Asked, owner: string, first: number): Promise<Transfer[]> {
  const topic = `0x${owner.slice(2).padStart(64, '0')}`;
  const fromBlock = `0x${first.toString(16)}`;
  // The owner is the first indexed value of a transfer, the second, or in ERC-1155 the third.
  const places = [[topic], [null, topic], [null, null, topic]];
  const found = await Promise.all(
    places.map((place) =>
      rpc.call<readonly Log[]>('eth_getLogs', { fromBlock, topics: [TRANSFER_TOPICS, ...place] }),
    ),
  );
  const key = ({ transactionHash, logIndex }: Log) => `${transactionHash} ${logIndex}`;
  const unique = [...new Map(found.flat().map((log) => [key(log), log])).values()];
  unique.sort(
    (a, b) =>
      Number(b.blockNumber) - Number(a.blockNumber) || Number(b.logIndex) - Number(a.logIndex),
  );
  return transfersOf(unique).filter(({ from, to }) =>
    [from, to].some((each) => each.toLowerCase() === owner),
  );
}

/** undefined: the contract does not return one. */
async function balanceOf(
  rpc: Asked,
  owner: string,
  { address, kind, id }: { address: string; kind: TokenKind; id: bigint | undefined },
): Promise<bigint | undefined> {
  const args = id === undefined ? [owner] : [owner, id];
  const call = { abi: abiOfToken(kind), functionName: 'balanceOf', args };
  try {
    const data = encodeFunctionData(call);
    const answer = await rpc.call<Hex>('eth_call', { to: address, data }, 'latest');
    return answer === '0x' ? undefined : BigInt(answer);
  } catch {
    return undefined;
  }
}

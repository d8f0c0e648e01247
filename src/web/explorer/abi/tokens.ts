/** A token's own data, and its transfers. */
import { decodeFunctionResult, encodeFunctionData, type Hex } from 'viem';
import type { Rpc } from '../node/rpc.ts';
import type { Log } from '../node/types.ts';
import { decodeLog } from './decode.ts';
import { STANDARD_ABI } from './standards.ts';

export type TokenKind = 'ERC-20' | 'ERC-721' | 'ERC-1155';

export interface Token {
  readonly address: string;
  readonly kind: TokenKind;
  readonly name: string;
  readonly symbol: string;
  /** 0 unless it is an ERC-20. */
  readonly decimals: number;
  /** undefined: the contract does not return one. */
  readonly supply: bigint | undefined;
}

export interface Transfer {
  readonly token: string;
  readonly from: string;
  readonly to: string;
  readonly kind: TokenKind;
  /** undefined for an ERC-20. */
  readonly id: bigint | undefined;
  readonly value: bigint;
  readonly log: Log;
}

const IDS = [
  ['0x80ac58cd', 'ERC-721'],
  ['0xd9b67a26', 'ERC-1155'],
] as const;
/** A token's own texts are truncated to this length. */
const NAME_CHARACTERS_MAX = 60;

/** undefined: the contract is not a token. */
export async function tokenAt(rpc: Pick<Rpc, 'call'>, address: string): Promise<Token | undefined> {
  const ask = async <T>(functionName: string, args: readonly unknown[] = []) => {
    try {
      const data = encodeFunctionData({ abi: STANDARD_ABI, functionName, args } as never);
      const answer = await rpc.call<Hex>('eth_call', { to: address, data }, 'latest');
      return decodeFunctionResult({ abi: STANDARD_ABI, functionName, data: answer } as never) as T;
    } catch {
      return undefined;
    }
  };
  const [symbol, name, decimals, supply, ...isOf] = await Promise.all([
    ask<string>('symbol'),
    ask<string>('name'),
    ask<number>('decimals'),
    ask<bigint>('totalSupply'),
    ...IDS.map(([id]) => ask<boolean>('supportsInterface', [id])),
  ]);
  const kind = IDS.find((_, at) => isOf[at] === true)?.[1];
  if (kind === undefined && (decimals === undefined || supply === undefined)) return undefined;
  return {
    address,
    kind: kind ?? 'ERC-20',
    name: (name ?? '').slice(0, NAME_CHARACTERS_MAX),
    symbol: (symbol ?? '').slice(0, NAME_CHARACTERS_MAX),
    decimals: kind === undefined ? (decimals ?? 0) : 0,
    supply,
  };
}

/** The token transfers among `logs`. */
export function transfersOf(logs: readonly Log[]): Transfer[] {
  return logs.flatMap((log) => {
    const found = decodeLog(log, undefined);
    if (!found || !/^Transfer/.test(found.name)) return [];
    const part = (name: string) => found.values.find((each) => each.name === name)?.value ?? '';
    const common = { token: log.address, from: part('from'), to: part('to'), log };
    const number = (text: string) => (text === '' ? undefined : BigInt(text));
    if (found.name === 'TransferBatch') {
      const ids = JSON.parse(part('ids')) as string[];
      const values = JSON.parse(part('values')) as string[];
      return ids.map((id, at) => ({
        ...{ ...common, kind: 'ERC-1155' as const, id: BigInt(id), value: BigInt(values[at] ?? 0) },
      }));
    }
    const id = number(part('id'));
    const kind =
      found.name === 'TransferSingle' ? 'ERC-1155' : id === undefined ? 'ERC-20' : 'ERC-721';
    return [{ ...common, kind, id, value: number(part('value')) ?? 1n }];
  });
}

import { describe, expect, it } from 'vitest';
import { fromHex, toHex } from '../base/hex.ts';
import type { Log } from '../chain/receipt.ts';
import { isManagementContract, parseStateDump, readStateShared } from './state-shared.ts';

const TOPIC = fromHex('0x67a92539f3cbd7c5a9b36c23c0e2beceb27d2e1b3cd8eda02c623689267ae71e');
const EMITTER = new Uint8Array(20).fill(9);

function word(value: number): string {
  return value.toString(16).padStart(64, '0');
}

function text(value: string): string {
  const hex = Buffer.from(value).toString('hex');
  return word(value.length) + hex.padEnd(Math.ceil(hex.length / 64) * 64, '0');
}

function logOf(dump: string, uuid: string, topics = [TOPIC]): Log {
  const first = text(dump);
  const data = word(0x1234) + word(96) + word(96 + first.length / 2) + first + text(uuid);
  return { address: EMITTER, topics, data: fromHex(data) };
}

describe('StateShared', () => {
  const dump = Buffer.alloc(64, 7).toString('base64');

  it('names the contract, the dump and the voter', () => {
    const shared = readStateShared(logOf(dump, `0x${'ab'.repeat(64)}`))!;
    expect(toHex(shared.toExtend)).toBe('0x0000000000000000000000000000000000001234');
    expect(shared.emitter).toBe(EMITTER);
    expect(toHex(shared.dumpHash!)).toBe(`0x${'07'.repeat(64)}`);
    expect(toHex(shared.uuid!)).toBe(`0x${'ab'.repeat(64)}`);
  });

  it('may come without a uuid or with a dump name that is not base64', () => {
    const shared = readStateShared(logOf('%%', ''))!;
    expect(shared.uuid).toBeUndefined();
    expect(shared.dumpHash).toBeUndefined();
  });

  it('is nothing else: other topics, short data, offsets beyond the end', () => {
    expect(readStateShared(logOf(dump, '', []))).toBeUndefined();
    expect(readStateShared(logOf(dump, '', [TOPIC, TOPIC]))).toBeUndefined();
    expect(readStateShared(logOf(dump, '', [new Uint8Array(32)]))).toBeUndefined();
    const { data } = logOf(dump, '');
    for (let length = 0; length < data.length - 32; length += 16) {
      const cut = { address: EMITTER, topics: [TOPIC], data: data.subarray(0, length) };
      expect(readStateShared(cut)).toBeUndefined();
    }
    const wild = fromHex(word(1) + 'ff'.repeat(32) + 'ff'.repeat(32));
    expect(readStateShared({ address: EMITTER, topics: [TOPIC], data: wild })).toBeUndefined();
  });

  it('counts from the management contract only', () => {
    expect(isManagementContract(new Uint8Array(32))).toBe(false);
  });
});

describe('a state dump', () => {
  const address = '0x304594D40CC66a90349571475f52Be23a8b3503e';
  const parse = (state: object | string) =>
    parseStateDump(
      Uint8Array.from(
        Buffer.from(typeof state === 'string' ? state : JSON.stringify({ [address]: { state } })),
      ),
    );

  it('gives the account', () => {
    const key = `0x${'00'.repeat(31)}02`;
    const [account] = parse({ balance: '22', nonce: 5, code: '0303', storage: { [key]: '2a' } })!;
    expect(toHex(account!.address)).toBe(address.toLowerCase());
    expect(account).toMatchObject({ balance: 22n, nonce: 5n });
    expect(account!.storage).toEqual(new Map([[2n, 42n]]));
    expect(parse({ balance: '0' })![0]!.storage.size).toBe(0);
  });

  it('is refused when it holds what no account can hold', () => {
    expect(parse('not json')).toBeUndefined();
    expect(parse('null')).toBeUndefined();
    expect(parse('{"0x12":{"state":{"balance":"0"}}}')).toBeUndefined();
    expect(parse({ balance: '-1' })).toBeUndefined();
    expect(parse({ balance: 'invalid' })).toBeUndefined();
    expect(parse({ balance: (1n << 256n).toString() })).toBeUndefined();
    expect(parse({ balance: '0', nonce: -1 })).toBeUndefined();
    expect(parse({ balance: '0', nonce: 1.5 })).toBeUndefined();
    expect(parse({ balance: '0', storage: { '0x00': 'ff'.repeat(33) } })).toBeUndefined();
  });
});

/** The settings of a Raft member, read from its flags and files. */
import { describe, expect, it } from 'vitest';
import { bareHex, toHex } from '../../../core/base/hex.ts';
import { secp256k1 } from '../../../core/base/secp256k1.ts';
import { parseEnode } from '../../../core/wire/enode.ts';
import { parseOptions } from '../../../io/options/options.ts';
import { ledgerConfig } from '../config.ts';
import { NODE_ROWS } from '../options.ts';
import { etherbaseOf, raftSettings } from './raft.ts';

const idOf = (index: number) => bareHex(secp256k1().publicKey(new Uint8Array(32).fill(index + 1)));
const enode = (index: number, host = '10.0.0.1', port = 50_400 + index) =>
  parseEnode(`enode://${idOf(index)}@${host}:${21_000 + index}?discport=0&raftport=${port}`);
const config = (...argv: string[]) => ledgerConfig(parseOptions(NODE_ROWS, { argv }));
const NODES = [enode(0), enode(1), enode(2)];

describe('the settings of a Raft member', () => {
  it('pay the first account of the node unless another is named', () => {
    const [first, second, named] = [1, 2, 3].map((byte) => new Uint8Array(20).fill(byte));
    expect(etherbaseOf(config().consensus.etherbase, [first!, second!])).toEqual(first);
    expect(
      etherbaseOf(config('--miner.etherbase', toHex(named!)).consensus.etherbase, [first!]),
    ).toEqual(named);
    expect(etherbaseOf(config().consensus.etherbase, [])).toBeUndefined();
    expect(() => etherbaseOf(config('--miner.etherbase', '0x12').consensus.etherbase, [])).toThrow(
      'is not an address',
    );
  });

  it('has its id from its place in static-nodes.json', async () => {
    const settings = await raftSettings(config().raft, idOf(1), NODES);
    expect(settings).toMatchObject({ raftId: 2, blockTimeMs: 50, hasDns: false });
    expect(settings.bootstrap.map(({ raftId, raftPort }) => [raftId, raftPort])).toEqual([
      [1, 50_400],
      [2, 50_401],
      [3, 50_402],
    ]);
  });

  it('has the id that it was given when it joins', async () => {
    const settings = await raftSettings(config('--raftjoinexisting', '7').raft, idOf(9), []);
    expect(settings).toMatchObject({ raftId: 7, bootstrap: [] });
  });

  it('keeps names only where they are allowed', async () => {
    const named = [enode(0, 'localhost'), enode(1)];
    const [looked] = (await raftSettings(config().raft, idOf(0), named)).bootstrap;
    expect(looked!.hostname).toBe('127.0.0.1');
    const [kept] = (await raftSettings(config('--raftdnsenable').raft, idOf(0), named)).bootstrap;
    expect(kept!.hostname).toBe('localhost');
  });

  it.each([
    [[], 'Raft-based consensus requires either (1) an initial peers list'],
    [[enode(1)], 'failed to find local enode ID ('],
    [
      [enode(0), parseEnode(`enode://${idOf(1)}@10.0.0.1:21001?discport=0`)],
      'raftport querystring parameter not specified in static-node enode ID: enode://',
    ],
    [[enode(0), enode(1, '10.0.0.1', 50_400)], 'have the same host and raftport'],
  ])('refuses lists that make no cluster', async (nodes, text) => {
    await expect(raftSettings(config().raft, idOf(0), nodes)).rejects.toThrow(text);
  });
});

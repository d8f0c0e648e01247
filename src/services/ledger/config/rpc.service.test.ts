/** Settings of JSON-RPC, from flags. */
import { expect, it } from 'vitest';
import { parseOptions } from '../../../io/options/options.ts';
import { NODE_ROWS } from '../options.ts';
import { rpcConfig } from './rpc.ts';

const limits = (...argv: string[]) => rpcConfig(parseOptions(NODE_ROWS, { argv }), '').batchLimits;

it('the limits of a batch protect by default, and 0 removes one', () => {
  expect(limits()).toEqual({ batchCallsMax: 1_000, batchReplyCharactersMax: 25_000_000 });
  expect(limits('--rpc.batch-request-limit', '3')).toMatchObject({ batchCallsMax: 3 });
  expect(limits('--rpc.batch-response-max-size', '100')).toMatchObject({
    batchReplyCharactersMax: 100,
  });
  expect(limits('--rpc.batch-request-limit=0', '--rpc.batch-response-max-size=0')).toEqual({
    batchCallsMax: Number.POSITIVE_INFINITY,
    batchReplyCharactersMax: Number.POSITIVE_INFINITY,
  });
});

/**
 * Tracers in JavaScript: what scripts can read, the texts of their errors, and the limits that stop
 * them.
 */
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type RpcNode, rpcNode } from '../../../../../test/support/rpc-node.ts';
import { OWN_VECTORS } from '../../../../../test/vectors/folders.ts';
import { genesisOf, readBlocks } from '../../../../../test/vectors/goquorum-blocks.ts';
import { fromHex } from '../../../../core/base/hex.ts';
import { decodeBlock } from '../../../../core/chain/block.ts';
import { loadScriptEngine } from '../../../../io/quickjs/sandbox.ts';
import type { ReadContext } from '../context.ts';
import { traceMethods } from './trace.ts';

const RECORDING = join(OWN_VECTORS, 'goquorum/public-chain');
/** Transaction that calls a contract: 230 opcodes. */
const HASH = '0x0939a063199ad1fc8294340ad243214cfdc4260ded511b1278573f17d02e363e';
const NOTHING = 'step: function () {}, fault: function () {}';

let node: RpcNode;
let blockNumber: string;

beforeAll(async () => {
  node = await rpcNode({
    genesis: genesisOf(RECORDING),
    secretKey: new Uint8Array(32).fill(7),
    blocks: readBlocks(join(RECORDING, 'chain/blocks.jsonl.gz'))
      .filter(({ number }) => number > 0)
      .map(({ rlp }) => decodeBlock(fromHex(rlp))),
  });
  ({ blockNumber } = await node.call('eth_getTransactionByHash', HASH));
}, 60_000);
afterAll(() => node.close());

const trace = (tracer: string, more: object = {}) =>
  node.call('debug_traceTransaction', HASH, { tracer, ...more });
const resulting = (value: string) =>
  trace(`{${NOTHING}, result: function (ctx, db) { return ${value} }}`);

describe('a script sees', () => {
  it('each opcode, as GoQuorum recorded it', async () => {
    const recorded = await trace(
      '{count:0,step:function(l,d){this.count++},fault:function(l,d){},result:function(c,d){return {n:this.count,type:c.type,gasUsed:c.gasUsed,out:toHex(c.output)}}}',
    );
    expect(JSON.stringify(recorded)).toBe(
      '{"n":230,"type":"CALL","gasUsed":29832,"out":"0x0000000000000000000000000000000000000000000000000000000000000001"}',
    );
  });

  it('stack, memory, gas and place of an opcode, as struct logs have them', async () => {
    const { structLogs } = await node.call('debug_traceTransaction', HASH, {});
    const seen = await trace(`{
      seen: [],
      step: function (log) {
        var stack = [];
        for (var i = log.stack.length() - 1; i >= 0; i--) stack.push(log.stack.peek(i).toString(16));
        this.seen.push({
          pc: log.getPC(), op: log.op.toString(), gas: log.getGas(), gasCost: log.getCost(),
          depth: log.getDepth(), stack: stack, memory: toHex(log.memory.slice(0, log.memory.length())),
        });
      },
      fault: function () {},
      result: function () { return this.seen },
    }`);
    const expected = structLogs.map(({ pc, op, gas, gasCost, depth, stack, memory }: any) => ({
      ...{ pc, op, gas, gasCost, depth },
      stack: stack.map((word: string) => word.replace(/^0+(?=.)/, '')),
      memory: `0x${memory.join('')}`,
    }));
    // In a script's memory, the bytes that an opcode adds are already there before it runs.
    const without = (steps: any[]) => steps.map(({ memory: _, ...rest }) => rest);
    expect(without(seen)).toEqual(without(expected));
    expect(seen.at(-1).memory.length).toBe(expected.at(-1).memory.length);
  });

  it('the transaction, and the state', async () => {
    const { from, to, input } = await node.call('eth_getTransactionByHash', HASH);
    const about = await resulting(`{
      from: toHex(ctx.from), to: toHex(ctx.to), input: toHex(ctx.input), block: ctx.block,
      value: ctx.value, price: ctx.gasPrice.plus(1), intrinsic: ctx.intrinsicGas > 21000,
      code: db.getCode(ctx.to).length, nonce: db.getNonce(ctx.from), exists: db.exists(ctx.to),
      none: db.exists(toAddress('0x1234')), balance: db.getBalance(ctx.from).greater(0),
      slot: toHex(db.getState(ctx.to, toWord('0x0'))).length, time: typeof ctx.time,
    }`);
    const code = await node.call('eth_getCode', to, blockNumber);
    const nonce = await node.call('eth_getTransactionCount', from, blockNumber);
    expect(about).toEqual({
      ...{ from, to, input, block: Number(blockNumber), value: '0', price: '1', intrinsic: true },
      ...{ code: code.length / 2 - 1, nonce: Number(nonce), exists: true, none: false },
      ...{ balance: true, slot: 66, time: 'string' },
    });
  });

  it('functions for bytes and large numbers', async () => {
    const SENDER = '6ac7ea33f8831ea9dcc53393aaa88b25a785dbf0';
    const made = await resulting(`{
      address: toHex(toAddress('0x01')), word: toHex(toWord('ff')).slice(-4),
      contract: toHex(toContract('${SENDER}', 1)),
      contract2: toHex(toContract2('00'.repeat(20), '00', '00')),
      slice: toHex(slice(toWord('0x0102'), 30, 32)), outside: slice(toWord('1'), 3, 99).length,
      precompile: isPrecompiled(toAddress('0x04')), other: isPrecompiled(toAddress('0x99')),
      large: bigInt('123456789012345678901234567890').multiply(10).toString(),
    }`);
    expect(made).toEqual({
      address: `0x${'00'.repeat(19)}01`,
      word: '00ff',
      // go-ethereum, crypto/crypto_test.go; EIP-1014, first example.
      contract: '0x343c43a37d37dff08ae8c4a11544c718abb4fcf8',
      contract2: '0x4d1a2e2bb4f88f0250f26ffff098b0b30b26bf38',
      slice: '0x0102',
      outside: 0,
      precompile: true,
      other: false,
      large: '1234567890123456789012345678900',
    });
  });

  it('calls as they begin and end, in a tracer of newer geth; its configuration', async () => {
    const frames = await trace(
      `{
        frames: [],
        setup: function (config) { this.config = JSON.parse(config) },
        enter: function (call) { this.frames.push([call.getType(), toHex(call.getTo()), call.getGas() > 0]) },
        exit: function (left) { this.frames.push([left.getGasUsed() > 0, left.getError()]) },
        fault: function () {},
        result: function () { return { config: this.config, frames: this.frames } },
      }`,
      { tracerConfig: { deep: 1 } },
    );
    const calls = await node.call('debug_traceTransaction', HASH, {
      tracer: 'callTracer',
      tracerConfig: {},
    });
    expect(frames.config).toEqual({ deep: 1 });
    expect(frames.frames).toHaveLength(2 * (calls.calls?.length ?? 0));
  });

  it('each transaction of a block, a call, and what others trace beside it', async () => {
    const tracer = `{${NOTHING}, result: function (ctx) { return ctx.type }}`;
    const block = await node.call('debug_traceBlockByNumber', blockNumber, { tracer });
    expect(block.map(({ result }: any) => result)).toContain('CALL');
    expect(await node.call('debug_traceCall', {}, 'latest', { tracer })).toBe('CREATE');
    const both = await trace('muxTracer', { tracerConfig: { [tracer]: {}, opcountTracer: {} } });
    expect(both).toEqual({ [tracer]: 'CALL', opcountTracer: 230 });
  });
});

describe('what a script may not', () => {
  it.each([
    ['{', /^SyntaxError: /],
    ['{}', /^trace object must expose a function step\(\)$/],
    ['{step: function () {}}', /^trace object must expose a function fault\(\)$/],
    [`{${NOTHING}}`, /^trace object must expose a function result\(\)$/],
    ['[].x.y', /^TypeError: /],
    ['noSuchTracer', /^ReferenceError: identifier 'noSuchTracer' undefined$/],
    [
      '{step: function () { null.x }, fault: function () {}, result: function () {}}',
      /^TypeError: .* {4}in server-side tracer function 'step'$/,
    ],
    [
      `{${NOTHING}, result: function () { throw new Error('mine') }}`,
      /^Error: mine {4}in .*'result'$/,
    ],
    [
      `{${NOTHING}, result: function () { var all = []; for (;;) all.push(new Uint8Array(1e6)) }}`,
      /^InternalError: out of memory/,
    ],
    [`{${NOTHING}, result: function f() { return f() }}`, /^InternalError: stack overflow/],
    [`${'('.repeat(100_000)}`, /^InternalError: /],
  ])('%s is refused in words', async (tracer, text) => {
    await expect(trace(tracer)).rejects.toThrow(text);
  });

  it.each([
    ['in its code', '(function () { for (;;); })()'],
    [
      'in a step',
      '{step: function () { for (;;); }, fault: function () {}, result: function () {}}',
    ],
    [
      'in a pattern',
      `{${NOTHING}, result: function () { return /(a+)+$/.test('a'.repeat(50) + 'b') }}`,
    ],
    [
      'that it catches',
      `{${NOTHING}, result: function () { for (;;) try { for (;;); } catch (e) {} }}`,
    ],
  ])('a script that does not end %s is ended', async (_, tracer) => {
    await expect(trace(tracer, { timeout: '300ms' })).rejects.toThrow('execution timeout');
    expect(await resulting('1')).toBe(1);
  });

  it('nothing of this process is there, nor what the host gives its own part', async () => {
    const names = ['process', 'require', 'fetch', 'setTimeout', 'stackPeek', 'host', 'WebAssembly'];
    const list = names.map((name) => `typeof ${name}`).join(', ');
    expect(await resulting(`[${list}]`)).toEqual(names.map(() => 'undefined'));
  });

  it('a result that JSON has no words for is null', async () => {
    expect(await resulting('undefined')).toBe(null);
    expect(await resulting('function () {}')).toBe(null);
  });

  it('outside readers none runs', async () => {
    const row = traceMethods.find(({ names }) => names[0] === 'debug_traceTransaction')!;
    const context = { loadScripts: undefined } as ReadContext;
    const args = [fromHex(HASH), { tracer: `{${NOTHING}}`, tracerConfig: undefined }];
    await expect(Promise.resolve(row.call(context, row.names[0]!, args))).rejects.toThrow(
      'start the node with --rpc.readers 1 or more',
    );
  });

  it('all sandboxes of an engine share its memory', async () => {
    const engine = await loadScriptEngine(32 * 1024 * 1024);
    const open = () => engine.open({ stackBytes: 65_536, shouldStop: () => false }, {});
    const [first, second] = [open(), open()];
    first.run('globalThis.held = new Uint8Array(14 * 1024 * 1024)', 'first');
    expect(() => second.run('new Uint8Array(14 * 1024 * 1024)', 'second')).toThrow('out of memory');
    first.dispose();
    second.run('new Uint8Array(14 * 1024 * 1024)', 'second');
    second.dispose();
  });
});

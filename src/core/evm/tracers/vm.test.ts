import { expect, it } from 'vitest';
import { environmentOf, SENDER, worldOf } from '../../../../test/support/evm.ts';
import { rulesOfFork } from '../../../../test/support/rules-of-fork.ts';
import { fromHex } from '../../base/hex.ts';
import { execute } from '../interpreter.ts';
import { type VmTrace, VmTracer } from './vm.ts';

const CALLED = new Uint8Array(20).fill(0xca);
const BERLIN = rulesOfFork('berlin');

/** The opcodes of a call of `code`, run with this much gas. */
function opcodesOf(code: string, gas = 100_000n): VmTrace {
  const world = worldOf([
    { address: SENDER, balance: 1n },
    { address: CALLED, balance: 1n, code: fromHex(code) },
  ]);
  const tracer = new VmTracer();
  const call = { caller: SENDER, to: CALLED, value: 0n, data: new Uint8Array(), gas };
  execute(call, environmentOf(world, BERLIN, { tracer }));
  return tracer.result();
}

const names = ({ ops }: VmTrace) => ops.map(({ op }) => op);

it('an opcode without enough gas has no effect; one that lacks operands is not there', () => {
  const short = opcodesOf('0x602a600055', 100n);
  expect(names(short)).toEqual(['PUSH1', 'PUSH1', 'SSTORE']);
  expect(short.ops.map(({ ex }) => ex === null)).toEqual([false, false, true]);
  expect(names(opcodesOf('0x600101'))).toEqual(['PUSH1']);
  expect(names(opcodesOf('0x60010c'))).toEqual(['PUSH1']);
});

it('the end of the code is no opcode, a STOP is one', () => {
  expect(names(opcodesOf('0x5b'))).toEqual(['JUMPDEST']);
  expect(names(opcodesOf('0x5b00'))).toEqual(['JUMPDEST', 'STOP']);
  expect(opcodesOf('0x')).toEqual({ code: '0x', ops: [] });
});

it('calls of precompiles are calls without opcodes, a SELFDESTRUCT is no call', () => {
  // Copies one byte by the identity, 4, then destroys itself.
  const { ops } = opcodesOf('0x60ff600053600160206001600060045afa30ff');
  const [call, last] = [ops.find(({ op }) => op === 'STATICCALL')!, ops.at(-1)!];
  expect(call.sub).toEqual({ code: '0x', ops: [] });
  expect(call.ex).toMatchObject({ push: ['0x1'], mem: { off: 32, data: '0xff' } });
  expect([last.op, last.sub]).toEqual(['SELFDESTRUCT', null]);
});

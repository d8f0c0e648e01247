/** Opcodes of each fork, their fixed costs, and the functions that price and run them. */
import type { Fork } from '../chain/rules.ts';
import { FORKS } from '../chain/rules.ts';
import { GAS } from './gas.ts';
import * as arithmetic from './opcodes/arithmetic.ts';
import * as calls from './opcodes/calls.ts';
import * as control from './opcodes/control.ts';
import * as environment from './opcodes/environment.ts';
import * as log from './opcodes/log.ts';
import * as storage from './opcodes/storage.ts';
import type { Charge, OpcodeTable, Operation, Run } from './operation.ts';

const STACK_WORDS_MAX = 1024;

type Operations = Map<number, Operation>;

function op(
  run: Run,
  constantGas: number,
  takes: number,
  puts: number,
  charge?: Charge,
): Operation {
  return { run, charge, constantGas, takes, puts };
}

function addArithmetic(ops: Operations): void {
  const a = arithmetic;
  ops.set(0x01, op(a.add, 3, 2, 1));
  ops.set(0x02, op(a.mul, 5, 2, 1));
  ops.set(0x03, op(a.sub, 3, 2, 1));
  ops.set(0x04, op(a.div, 5, 2, 1));
  ops.set(0x05, op(a.sdiv, 5, 2, 1));
  ops.set(0x06, op(a.mod, 5, 2, 1));
  ops.set(0x07, op(a.smod, 5, 2, 1));
  ops.set(0x08, op(a.addmod, 8, 3, 1));
  ops.set(0x09, op(a.mulmod, 8, 3, 1));
  ops.set(0x0a, op(a.exp, 0, 2, 1, a.chargeExp(GAS.expByteFrontier)));
  ops.set(0x0b, op(a.signextend, 5, 2, 1));
  ops.set(0x10, op(a.lt, 3, 2, 1));
  ops.set(0x11, op(a.gt, 3, 2, 1));
  ops.set(0x12, op(a.slt, 3, 2, 1));
  ops.set(0x13, op(a.sgt, 3, 2, 1));
  ops.set(0x14, op(a.eq, 3, 2, 1));
  ops.set(0x15, op(a.iszero, 3, 1, 1));
  ops.set(0x16, op(a.and, 3, 2, 1));
  ops.set(0x17, op(a.or, 3, 2, 1));
  ops.set(0x18, op(a.xor, 3, 2, 1));
  ops.set(0x19, op(a.not, 3, 1, 1));
  ops.set(0x1a, op(a.byte, 3, 2, 1));
}

function addEnvironment(ops: Operations): void {
  const e = environment;
  ops.set(0x20, op(e.keccak, 30, 2, 1, e.chargeKeccak));
  ops.set(0x30, op(e.address, 2, 0, 1));
  ops.set(0x31, op(e.balance, 20, 1, 1));
  ops.set(0x32, op(e.origin, 2, 0, 1));
  ops.set(0x33, op(e.caller, 2, 0, 1));
  ops.set(0x34, op(e.callvalue, 2, 0, 1));
  ops.set(0x35, op(e.calldataload, 3, 1, 1));
  ops.set(0x36, op(e.calldatasize, 2, 0, 1));
  ops.set(0x37, op(e.calldatacopy, 3, 3, 0, e.chargeCopy));
  ops.set(0x38, op(e.codesize, 2, 0, 1));
  ops.set(0x39, op(e.codecopy, 3, 3, 0, e.chargeCopy));
  ops.set(0x3a, op(e.gasprice, 2, 0, 1));
  ops.set(0x3b, op(e.extcodesize, 20, 1, 1));
  ops.set(0x3c, op(e.extcodecopy, 20, 4, 0, e.chargeExtcodecopy(false)));
  ops.set(0x40, op(e.blockhash, 20, 1, 1));
  ops.set(0x41, op(e.coinbase, 2, 0, 1));
  ops.set(0x42, op(e.timestamp, 2, 0, 1));
  ops.set(0x43, op(e.number, 2, 0, 1));
  ops.set(0x44, op(e.difficulty, 2, 0, 1));
  ops.set(0x45, op(e.gaslimit, 2, 0, 1));
}

function addControl(ops: Operations): void {
  const c = control;
  ops.set(0x00, op(c.stop, 0, 0, 0));
  ops.set(0x50, op(c.pop, 2, 1, 0));
  ops.set(0x51, op(c.mload, 3, 1, 1, c.chargeWidth(32)));
  ops.set(0x52, op(c.mstore, 3, 2, 0, c.chargeWidth(32)));
  ops.set(0x53, op(c.mstore8, 3, 2, 0, c.chargeWidth(1)));
  ops.set(0x54, op(storage.sload, 50, 1, 1));
  ops.set(0x55, op(storage.sstore, 0, 2, 0, storage.chargeSstoreFrontier));
  ops.set(0x56, op(c.jump, 8, 1, 0));
  ops.set(0x57, op(c.jumpi, 10, 2, 0));
  ops.set(0x58, op(c.pc, 2, 0, 1));
  ops.set(0x59, op(c.msize, 2, 0, 1));
  ops.set(0x5a, op(c.gas, 2, 0, 1));
  ops.set(0x5b, op(c.jumpdest, 1, 0, 0));
  for (let n = 1; n <= 32; n++) ops.set(0x5f + n, op(c.pushOf(n), 3, 0, 1));
  for (let n = 1; n <= 16; n++) ops.set(0x7f + n, op(c.dupOf(n), 3, n, n + 1));
  for (let n = 1; n <= 16; n++) ops.set(0x8f + n, op(c.swapOf(n), 3, n + 1, n + 1));
  for (let n = 0; n <= 4; n++) ops.set(0xa0 + n, op(log.logOf(n), 0, n + 2, 0, log.chargeLog(n)));
  ops.set(0xf3, op(c.ret, 0, 2, 0, c.chargeReturn));
}

function addCalls(ops: Operations, flatGas: number): void {
  const c = calls;
  ops.set(0xf1, op(c.callOf('CALL'), 0, 7, 1, c.chargeCall(flatGas)));
  ops.set(0xf2, op(c.callOf('CALLCODE'), 0, 7, 1, c.chargeCallcode(flatGas)));
  if (!ops.has(0xf4)) return;
  ops.set(0xf4, op(c.callOf('DELEGATECALL'), 0, 6, 1, c.chargeValuelessCall(flatGas)));
}

function reprice(ops: Operations, opcode: number, constantGas: number, charge?: Charge): void {
  const { run, takes, puts, charge: before } = ops.get(opcode)!;
  ops.set(opcode, { run, takes, puts, constantGas, charge: charge ?? before });
}

const { chargeAccountAccess, chargeExtcodecopy } = environment;

/** The changes of each fork to the opcode table of the previous fork. */
const CHANGES: Partial<Record<Fork, (ops: Operations) => void>> = {
  frontier: (ops) => {
    addArithmetic(ops);
    addEnvironment(ops);
    addControl(ops);
    addCalls(ops, 40);
    ops.set(0xf0, op(calls.createOf('CREATE'), 0, 3, 1, calls.chargeCreate(false)));
    ops.set(0xff, op(calls.selfdestruct, 0, 1, 0, calls.chargeSelfdestruct));
  },
  homestead: (ops) => {
    ops.set(0xf4, op(calls.callOf('DELEGATECALL'), 0, 6, 1, calls.chargeValuelessCall(40)));
  },
  // EIP-150
  tangerineWhistle: (ops) => {
    reprice(ops, 0x31, 400);
    reprice(ops, 0x3b, 700);
    reprice(ops, 0x3c, 700);
    reprice(ops, 0x54, 200);
    addCalls(ops, 700);
  },
  // EIP-160
  spuriousDragon: (ops) => reprice(ops, 0x0a, 0, arithmetic.chargeExp(GAS.expByteEip158)),
  byzantium: (ops) => {
    ops.set(0x3d, op(environment.returndatasize, 2, 0, 1));
    ops.set(0x3e, op(environment.returndatacopy, 3, 3, 0, environment.chargeCopy));
    ops.set(0xfa, op(calls.callOf('STATICCALL'), 0, 6, 1, calls.chargeValuelessCall(700)));
    ops.set(0xfd, op(control.revert, 0, 2, 0, control.chargeReturn));
  },
  constantinople: (ops) => {
    ops.set(0x1b, op(arithmetic.shl, 3, 2, 1));
    ops.set(0x1c, op(arithmetic.shr, 3, 2, 1));
    ops.set(0x1d, op(arithmetic.sar, 3, 2, 1));
    ops.set(0x3f, op(environment.extcodehash, 400, 1, 1));
    ops.set(0xf5, op(calls.createOf('CREATE2'), 0, 4, 1, calls.chargeCreate(true)));
    reprice(ops, 0x55, 0, storage.chargeSstoreConstantinople);
  },
  petersburg: (ops) => reprice(ops, 0x55, 0, storage.chargeSstoreFrontier),
  // EIP-1344, EIP-1884, EIP-2200
  istanbul: (ops) => {
    reprice(ops, 0x31, 700);
    reprice(ops, 0x3f, 700);
    reprice(ops, 0x54, 800);
    reprice(ops, 0x55, 0, storage.chargeSstoreIstanbul);
    ops.set(0x46, op(environment.chainid, 2, 0, 1));
    ops.set(0x47, op(environment.selfbalance, 5, 0, 1));
  },
  // EIP-2929; the CALL opcodes check the rules themselves
  berlin: (ops) => {
    reprice(ops, 0x31, 0, chargeAccountAccess);
    reprice(ops, 0x3b, 0, chargeAccountAccess);
    reprice(ops, 0x3c, 0, chargeExtcodecopy(true));
    reprice(ops, 0x3f, 0, chargeAccountAccess);
    reprice(ops, 0x54, 0, storage.chargeSloadBerlin);
    reprice(ops, 0x55, 0, storage.chargeSstoreBerlin);
  },
  // EIP-3198, EIP-3529
  london: (ops) => {
    reprice(ops, 0x55, 0, storage.chargeSstoreLondon);
    ops.set(0x48, op(environment.basefee, 2, 0, 1));
  },
  // EIP-4399
  paris: (ops) => ops.set(0x44, op(environment.prevrandao, 2, 0, 1)),
  // EIP-3855
  shanghai: (ops) => ops.set(0x5f, op(control.push0, 2, 0, 1)),
  // EIP-1153, EIP-4844, EIP-5656, EIP-7516
  cancun: (ops) => {
    ops.set(0x49, op(environment.blobhash, 3, 1, 1));
    ops.set(0x4a, op(environment.blobbasefee, 2, 0, 1));
    ops.set(0x5c, op(storage.tload, GAS.warmAccess, 1, 1));
    ops.set(0x5d, op(storage.tstore, 0, 2, 0, storage.chargeTstore));
    ops.set(0x5e, op(control.mcopy, 3, 3, 0, control.chargeMcopy));
  },
};

function tableOf(ops: Operations): OpcodeTable {
  const runs: Run[] = new Array(256).fill(control.stop);
  const charges: (Charge | undefined)[] = new Array(256).fill(control.chargeUndefined);
  const constantGas = new Uint32Array(256);
  const stackMin = new Uint16Array(256);
  const stackMax = new Uint16Array(256).fill(STACK_WORDS_MAX);
  for (const [code, operation] of ops) {
    runs[code] = operation.run;
    charges[code] = operation.charge;
    constantGas[code] = operation.constantGas;
    stackMin[code] = operation.takes;
    stackMax[code] = STACK_WORDS_MAX + operation.takes - operation.puts;
  }
  return { runs, charges, constantGas, stackMin, stackMax };
}

function buildTables(): ReadonlyMap<Fork, OpcodeTable> {
  const ops: Operations = new Map();
  const tables = new Map<Fork, OpcodeTable>();
  for (const fork of FORKS) {
    CHANGES[fork]?.(ops);
    tables.set(fork, tableOf(ops));
  }
  return tables;
}

const TABLES = buildTables();

export function opcodeTable(fork: Fork): OpcodeTable {
  return TABLES.get(fork)!;
}

/** Each method, message, packet, opcode and precompile of the code's tables has a case. */
import { expect, it } from 'vitest';
import { FORKS } from '../../src/core/chain/rules.ts';
import { MESSAGE_TYPE } from '../../src/core/consensus/raft/messages.ts';
import { PACKET_KINDS } from '../../src/core/discovery/packet.ts';
import { opcodeTable } from '../../src/core/evm/fork-table.ts';
import { chargeUndefined } from '../../src/core/evm/opcodes/control.ts';
import { precompileAddresses } from '../../src/core/evm/precompiles/index.ts';
import { ETH_66, ETH_68, ISTANBUL, QUORATE_1 } from '../../src/core/wire/capabilities.ts';
import { BASE_PROTOCOL_LENGTH } from '../../src/core/wire/disconnect.ts';
import { TABLE } from '../../src/services/ledger/api/table.ts';
import { rulesOfFork } from '../support/rules-of-fork.ts';
import { SUITES } from './cases/index.ts';
import { WORST, worstOf } from './cases/worst.ts';

const NEWEST = FORKS.at(-1)!;
const CASES = SUITES.flatMap(({ cases }) => cases);
const covered = new Set(CASES.flatMap(({ covers = [] }) => covers));
const missing = (wanted: readonly string[]) => wanted.filter((each) => !covered.has(each));
const codes = (name: string, length: number) =>
  Array.from({ length }, (_, code) => `message ${name} 0x${code.toString(16)}`);

it('every method of JSON-RPC, with a worst value of each parameter', () => {
  expect(missing(TABLE.methods.map(({ names }) => `method ${names[0]}`))).toEqual([]);
  const parameters = TABLE.methods.flatMap(({ names, params = [] }) =>
    params
      .filter(({ name }) => !worstOf(names[0]!, name))
      .map(({ name }) => `${names[0]}: ${name}`),
  );
  expect(parameters).toEqual([]);
  const known = new Set(TABLE.methods.flatMap(({ params = [] }) => params.map(({ name }) => name)));
  expect(Object.keys(WORST).filter((name) => !known.has(name))).toEqual([]);
});

it('every subscription', () => {
  expect(missing(TABLE.subscriptions.map(({ kind }) => `subscription ${kind}`))).toEqual([]);
});

it('every message code of devp2p and of the protocols on it', () => {
  const protocols = [ETH_66, ETH_68, ...ISTANBUL, QUORATE_1];
  const wanted = protocols.flatMap(({ name, length }) => codes(name, length));
  expect(missing([...codes('devp2p', BASE_PROTOCOL_LENGTH), ...wanted])).toEqual([]);
});

it('every kind of discovery packet, and every message of Raft', () => {
  expect(missing(PACKET_KINDS.map((kind) => `packet ${kind}`))).toEqual([]);
  expect(missing(Object.keys(MESSAGE_TYPE).map((name) => `raft ${name}`))).toEqual([]);
});

it('every opcode and precompile of the newest fork', () => {
  const { charges } = opcodeTable(NEWEST);
  const opcodes = charges.flatMap((charge, opcode) =>
    charge === chargeUndefined ? [] : [`opcode 0x${opcode.toString(16).padStart(2, '0')}`],
  );
  expect(opcodes.length).toBeGreaterThan(140);
  expect(missing(opcodes)).toEqual([]);
  const addresses = precompileAddresses(rulesOfFork(NEWEST));
  expect(addresses.length).toBeGreaterThan(9);
  expect(missing(addresses.map((address) => `precompile ${address[19]}`))).toEqual([]);
});

it('each case has a name of its own', () => {
  const names = CASES.map(({ group, name }) => `${group}: ${name}`);
  expect(new Set(names).size).toBe(names.length);
});

/** Development: blocks, their times, and snapshots to revert to. */
import { fail } from '../../../../core/base/errors.ts';
import { toQuantity } from '../../../../core/base/hex.ts';
import { type Param, ParamError } from '../../../../io/rpc/method.ts';
import { BLOCKS_MAX, type Development } from '../../node/development/development.ts';
import { BOOL, NULL, QUANTITY, TEXT } from '../results.ts';
import { address, bool, fieldQuantity, json, named, optional, quantity } from '../shapes.ts';
import { developmentMethod } from './development-method.ts';

/** 100 years in seconds. */
const SECONDS_MAX = 3_153_600_000n;

const seconds: Param<bigint> = {
  ...named('seconds', quantity),
  parse(value) {
    const parsed = quantity.parse(value);
    if (parsed > SECONDS_MAX) throw new ParamError('more than a hundred years');
    return parsed;
  },
};

const count: Param<number> = {
  ...named('blocks', quantity),
  parse(value) {
    const parsed = quantity.parse(value);
    if (parsed > BigInt(BLOCKS_MAX)) throw new ParamError(`at most ${BLOCKS_MAX} blocks at a time`);
    return Number(parsed);
  },
};

const GAS_LIMIT_MIN = 5_000n;

const gasLimit: Param<bigint> = {
  ...named('gasLimit', quantity),
  parse(value) {
    const parsed = quantity.parse(value);
    if (parsed < GAS_LIMIT_MIN || parsed >= 1n << 63n)
      throw new ParamError(`a block has at least ${GAS_LIMIT_MIN} gas, and less than 2^63`);
    return parsed;
  },
};

const noBaseFee: Param<bigint> = {
  ...named('baseFeePerGas', quantity),
  parse(value) {
    const parsed = quantity.parse(value);
    if (parsed > 0n) throw new ParamError('the base fee of this chain is always 0: gas is free');
    return parsed;
  },
};

interface MineOptions {
  readonly blocks: number;
  readonly timestamp: bigint | undefined;
}

/** A timestamp as Hardhat passes it, or the object of Anvil and Ganache. */
const mineOptions: Param<MineOptions> = optional(
  {
    name: 'options',
    schema: { oneOf: [{ type: 'integer' }, { type: 'string' }, { type: 'object' }] },
    isOptional: true,
    parse(value): MineOptions {
      const isObject = value !== null && typeof value === 'object';
      const given = (isObject ? value : { timestamp: value }) as Record<string, unknown>;
      const timestamp = given.timestamp ?? undefined;
      return {
        blocks: given.blocks === undefined ? 1 : count.parse(given.blocks),
        timestamp: timestamp === undefined ? undefined : time(timestamp),
      };
    },
  },
  { blocks: 1, timestamp: undefined },
);

function time(value: unknown): bigint {
  return fieldQuantity(value, 'Go value of type hexutil.Uint64');
}

function setNext(development: Development, timestamp: bigint): void {
  development.checkLater(timestamp);
  development.time.setNext(timestamp);
}

export const developmentBlockMethods = [
  developmentMethod(['evm_mine'], {
    params: [mineOptions],
    result: TEXT,
    about: 'makes a block, or several, also without transactions.',
    async call(development, [{ blocks, timestamp }]) {
      if (timestamp !== undefined) setNext(development, timestamp);
      await development.mine(blocks);
      return '0x0';
    },
  }),
  developmentMethod(['anvil_mine', 'hardhat_mine'], {
    params: [optional(count, 1), optional(named('interval', seconds), undefined)],
    result: NULL,
    about: 'makes blocks, with seconds between them.',
    async call(development, [blocks, interval]) {
      await development.mine(blocks, interval || undefined);
      return null;
    },
  }),
  developmentMethod(['evm_setAutomine', 'anvil_setAutomine'], {
    params: [bool],
    result: BOOL,
    about: 'a block for every transaction at once, or only on request.',
    call(development, [isOn]) {
      development.setAutomatic(isOn);
      return true;
    },
  }),
  developmentMethod(['anvil_getAutomine', 'hardhat_getAutomine'], {
    params: [],
    result: BOOL,
    about: 'whether every transaction gets a block at once.',
    call: (development) => development.isAutomatic,
  }),
  developmentMethod(['evm_setIntervalMining'], {
    params: [named('milliseconds', quantity)],
    result: BOOL,
    about: 'a block every so many milliseconds; 0: none.',
    call(development, [ms]) {
      development.setInterval(Number(ms < SECONDS_MAX ? ms : SECONDS_MAX));
      return true;
    },
  }),
  developmentMethod(['anvil_setIntervalMining'], {
    params: [seconds],
    result: NULL,
    about: 'a block every so many seconds; 0: none.',
    call(development, [each]) {
      development.setInterval(Number(each < 1_000_000n ? each : 1_000_000n) * 1000);
      return null;
    },
  }),
  developmentMethod(['evm_increaseTime', 'anvil_increaseTime'], {
    params: [seconds],
    result: QUANTITY,
    about: 'moves the clock of later blocks; answers with the whole difference.',
    call: (development, [by]) => toQuantity(development.time.increase(by)),
  }),
  developmentMethod(['evm_setNextBlockTimestamp', 'anvil_setNextBlockTimestamp'], {
    params: [named('timestamp', quantity)],
    result: NULL,
    about: 'timestamp of the next block; later ones continue from it.',
    call(development, [timestamp]) {
      setNext(development, timestamp);
      return null;
    },
  }),
  developmentMethod(['anvil_setTime', 'evm_setTime'], {
    params: [named('timestamp', quantity)],
    result: QUANTITY,
    about: 'sets the clock of later blocks.',
    call(development, [timestamp]) {
      development.checkLater(timestamp);
      const moved = development.time.set(timestamp);
      return toQuantity(moved < 0n ? 0n : moved);
    },
  }),
  developmentMethod(['anvil_setBlockTimestampInterval'], {
    params: [seconds],
    result: NULL,
    about: 'seconds between the timestamps of blocks, whatever the clock says.',
    call(development, [each]) {
      development.time.setInterval(each > 0n ? each : 1n);
      return null;
    },
  }),
  developmentMethod(['anvil_removeBlockTimestampInterval'], {
    params: [],
    result: BOOL,
    about: 'timestamps follow the clock again.',
    call(development) {
      development.time.setInterval(undefined);
      return true;
    },
  }),
  developmentMethod(['evm_snapshot', 'anvil_snapshot'], {
    params: [],
    result: QUANTITY,
    about: 'remembers the chain as it is, private states included.',
    call: async (development) => toQuantity(await development.snapshot()),
  }),
  developmentMethod(['evm_revert', 'anvil_revert'], {
    params: [named('snapshot', quantity)],
    result: BOOL,
    about: 'goes back to a snapshot, which is used up with those after it.',
    call: (development, [id]) => development.revert(id),
  }),
  developmentMethod(['anvil_reset', 'hardhat_reset'], {
    params: [optional(named('options', json), undefined)],
    result: BOOL,
    about: 'goes back to the first block.',
    async call(development) {
      await development.reset();
      return true;
    },
  }),
  developmentMethod(['evm_setBlockGasLimit'], {
    params: [gasLimit],
    result: BOOL,
    about: 'gas limit of later blocks.',
    call(development, [limit]) {
      development.setGasLimit(limit);
      return true;
    },
  }),
  developmentMethod(['anvil_setMinGasPrice', 'hardhat_setMinGasPrice'], {
    params: [named('price', quantity)],
    result: BOOL,
    about: 'least gas price of transactions that the pool takes, in wei.',
    call(development, [price]) {
      development.setMinGasPrice(price);
      return true;
    },
  }),
  developmentMethod(['anvil_setNextBlockBaseFeePerGas', 'hardhat_setNextBlockBaseFeePerGas'], {
    params: [noBaseFee],
    result: BOOL,
    about: 'takes 0 alone: gas is free on this chain.',
    call: () => true,
  }),
  developmentMethod(['anvil_setCoinbase', 'hardhat_setCoinbase'], {
    params: [address],
    result: BOOL,
    about: 'refused: a QBFT block names the validator that made it.',
    call() {
      throw fail(
        'DEVELOPMENT_COINBASE',
        'the coinbase cannot be set: a QBFT block names the validator that made it. eth_call and eth_simulateV1 take the block override feeRecipient',
      );
    },
  }),
];

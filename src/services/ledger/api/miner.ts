/** `miner_*`: taking part in consensus, and its settings that can change while the node runs. */
import { fail } from '../../../core/base/errors.ts';
import { method } from './context.ts';
import { BOOL, NULL } from './results.ts';
import { address, json, named, number, optional, quantity, text } from './shapes.ts';

const EXTRA_BYTES_MAX = 32;

function checkExtra(extra: string): void {
  const length = Buffer.byteLength(extra);
  if (length > EXTRA_BYTES_MAX)
    throw fail('EXTRA_TOO_LONG', `extra exceeds max length. ${length} > ${EXTRA_BYTES_MAX}`);
}

export const minerMethods = [
  method('miner_start', {
    params: [optional(named('threads', json), undefined)],
    result: NULL,
    access: 'admin',
    about: 'Takes part in consensus.',
    call: ({ admin }) => {
      admin.setMining(true);
      return null;
    },
  }),
  method('miner_stop', {
    params: [],
    result: NULL,
    access: 'admin',
    about: 'Leaves consensus.',
    call: ({ admin }) => {
      admin.setMining(false);
      return null;
    },
  }),
  method('miner_setGasPrice', {
    params: [named('price', quantity)],
    result: BOOL,
    access: 'admin',
    about: 'Least gas price of transactions that the pool takes from peers.',
    call: ({ admin }, [price]) => {
      admin.setPriceLimit(price);
      return true;
    },
  }),
  method('miner_setEtherbase', {
    params: [address],
    result: BOOL,
    access: 'admin',
    about: 'false: BFT nodes propose as the address of their node key.',
    call: () => false,
  }),
  method('miner_setExtra', {
    params: [named('extra', text)],
    result: BOOL,
    access: 'admin',
    about:
      'Text for the vanity of proposals until the node ends; --miner.extradata sets it at start.',
    call: ({ admin }, [extra]) => {
      checkExtra(extra);
      admin.setVanity(new TextEncoder().encode(extra));
      return true;
    },
  }),
  method('miner_setRecommitInterval', {
    params: [named('milliseconds', number)],
    result: NULL,
    access: 'admin',
    about: 'Without effect: a BFT block is built once, when it is proposed.',
    call: () => null,
  }),
];

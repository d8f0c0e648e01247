/**
 * Development: edits of states. An account that exists in the caller's private state is edited
 * there, unless a last argument `private` or `public` chooses.
 */
import type { Address } from '../../../../core/base/bytes.ts';
import type { PublicWorld } from '../../../../core/state/public-world.ts';
import { type Json, type Param, ParamError } from '../../../../io/rpc/method.ts';
import type { Development, EditedSpace } from '../../node/development/development.ts';
import type { Context } from '../context.ts';
import { BOOL } from '../results.ts';
import { address, data, fieldQuantity, named, optional, quantity } from '../shapes.ts';
import { developmentMethod } from './development-method.ts';

type Place = 'public' | 'private' | undefined;

const place: Param<Place> = optional(
  {
    name: 'state',
    schema: { type: 'string', enum: ['public', 'private'] },
    isOptional: true,
    parse(value): Place {
      if (value === 'public' || value === 'private') return value;
      throw new ParamError('the state is "public" or "private"');
    },
  },
  undefined,
);

const amount: Param<bigint> = {
  ...named('amount', quantity),
  parse: (value) => fieldQuantity(value, 'Go value of type hexutil.Big'),
};

/** A storage key or value; leading zeros are allowed. */
const word: Param<bigint> = {
  name: 'word',
  schema: { type: 'string', pattern: '^0x[0-9a-fA-F]{1,64}$' },
  isOptional: false,
  parse(value) {
    if (typeof value === 'string' && /^0x[0-9a-f]{1,64}$/i.test(value)) return BigInt(value);
    throw new ParamError('expected up to 32 bytes in hex');
  },
};

/**
 * The private state to edit, or undefined for the public state. Throws the view's errors for an
 * unknown private state.
 */
function spaceOf({ view }: Context, account: Address, wanted: Place): EditedSpace {
  if (wanted === 'public') return undefined;
  const own = view.stateAt(view.head().number).private;
  if (wanted === undefined && !own?.account(account)) return undefined;
  if (!own) throw new ParamError('this chain has no private state');
  return view.knownPsi();
}

async function edit(
  development: Development,
  context: Context,
  at: { readonly account: Address; readonly place: Place },
  change: (world: PublicWorld) => void,
): Promise<Json> {
  await development.edit(spaceOf(context, at.account, at.place), change);
  return true;
}

export const developmentStateMethods = [
  developmentMethod(['anvil_setBalance', 'hardhat_setBalance', 'evm_setAccountBalance'], {
    params: [address, amount, place],
    result: BOOL,
    about: 'sets the balance of an account, in wei.',
    call: (development, [account, wei, place], context) =>
      edit(development, context, { account, place }, (world) => {
        world.subBalance(account, world.balance(account));
        world.addBalance(account, wei);
      }),
  }),
  developmentMethod(['anvil_setNonce', 'hardhat_setNonce', 'evm_setAccountNonce'], {
    params: [address, named('nonce', quantity), place],
    result: BOOL,
    about: 'sets the nonce of an account.',
    call: (development, [account, nonce, place], context) =>
      edit(development, context, { account, place }, (world) => world.setNonce(account, nonce)),
  }),
  developmentMethod(['anvil_setCode', 'hardhat_setCode', 'evm_setAccountCode'], {
    params: [address, named('code', data), place],
    result: BOOL,
    about: 'sets the code of an account.',
    call: (development, [account, code, place], context) =>
      edit(development, context, { account, place }, (world) => world.setCode(account, code)),
  }),
  developmentMethod(['anvil_setStorageAt', 'hardhat_setStorageAt', 'evm_setAccountStorageAt'], {
    params: [address, named('slot', word), named('value', word), place],
    result: BOOL,
    about: 'sets a slot of the storage of an account.',
    call: (development, [account, slot, value, place], context) =>
      edit(development, context, { account, place }, (world) =>
        world.setStorage(account, slot, value),
      ),
  }),
];

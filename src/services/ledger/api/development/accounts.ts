/** Development: senders without a key, pending transactions, and information about the node. */
import { toHex, toQuantity } from '../../../../core/base/hex.ts';
import { BOOL, NULL, OBJECT } from '../results.ts';
import { address, bool, hash } from '../shapes.ts';
import { developmentMethod } from './development-method.ts';

export const developmentAccountMethods = [
  developmentMethod(['anvil_impersonateAccount', 'hardhat_impersonateAccount'], {
    params: [address],
    result: BOOL,
    about: 'transactions may come from this account without its key, public and private ones.',
    call({ accounts }, [account]) {
      accounts.impersonate(account);
      return true;
    },
  }),
  developmentMethod(['anvil_stopImpersonatingAccount', 'hardhat_stopImpersonatingAccount'], {
    params: [address],
    result: BOOL,
    about: 'ends that; false: it was not impersonated.',
    call: ({ accounts }, [account]) => accounts.stopImpersonating(account),
  }),
  developmentMethod(['anvil_autoImpersonateAccount'], {
    params: [bool],
    result: NULL,
    about: 'transactions may come from any account without its key.',
    call({ accounts }, [isOn]) {
      accounts.isAutomatic = isOn;
      return null;
    },
  }),
  developmentMethod(['anvil_dropTransaction', 'hardhat_dropTransaction'], {
    params: [hash],
    result: BOOL,
    about: 'removes a pending transaction; false: it is not pending.',
    call: (development, [wanted]) => development.drop(wanted),
  }),
  developmentMethod(['anvil_dropAllTransactions'], {
    params: [],
    result: NULL,
    about: 'removes all pending transactions.',
    call(development) {
      development.dropAll();
      return null;
    },
  }),
  developmentMethod(['hardhat_metadata', 'anvil_metadata'], {
    params: [],
    result: OBJECT,
    about: 'what this chain is, as tools of Hardhat ask.',
    call(_, __, { admin, view }) {
      const { clientVersion, config, genesisHash } = admin.info();
      const { number, hash: newest } = view.head();
      return {
        clientVersion,
        chainId: Number(config.chainId),
        instanceId: toHex(genesisHash),
        latestBlockNumber: number,
        latestBlockHash: toHex(newest),
      };
    },
  }),
  developmentMethod(['anvil_nodeInfo'], {
    params: [],
    result: OBJECT,
    about: "the chain's newest block and rules, as Foundry asks.",
    call(_, __, { view, admin }) {
      const { number, hash: newest, header } = view.head();
      return {
        currentBlockNumber: toQuantity(number),
        currentBlockTimestamp: Number(header.timestamp),
        currentBlockHash: toHex(newest),
        hardFork: view.rulesAt(header).fork,
        transactionOrder: 'fees',
        environment: {
          baseFee: toQuantity(header.baseFeePerGas ?? 0n),
          chainId: Number(admin.info().config.chainId),
          gasLimit: toQuantity(header.gasLimit),
          gasPrice: '0x0',
        },
        forkConfig: { forkUrl: null, forkBlockNumber: null, forkRetryBackoff: null },
      };
    },
  }),
];

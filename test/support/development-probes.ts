/** Requests of an outsider to the methods of development chains, which other nodes do not have. */
const NOBODY = `0x${'00'.repeat(20)}`;

type Target = Readonly<Record<'contract' | 'from' | 'hash', string>>;
type Probe = (target: Target) => readonly (readonly unknown[])[];
const PLAIN: Probe = () => [[]];

export const DEVELOPMENT_PROBES: Readonly<Record<string, Probe>> = {
  evm_mine: PLAIN,
  anvil_mine: () => [['0x1', '0x1']],
  evm_setAutomine: () => [[false]],
  anvil_getAutomine: PLAIN,
  evm_setIntervalMining: () => [['0x0']],
  anvil_setIntervalMining: () => [['0x0']],
  evm_increaseTime: () => [['0x1']],
  evm_setNextBlockTimestamp: () => [['0xffffffff']],
  anvil_setTime: () => [['0xffffffff']],
  anvil_setBlockTimestampInterval: () => [['0x1']],
  anvil_removeBlockTimestampInterval: PLAIN,
  evm_snapshot: PLAIN,
  evm_revert: () => [['0x1']],
  anvil_reset: PLAIN,
  evm_setBlockGasLimit: () => [['0x1c9c380']],
  anvil_setMinGasPrice: () => [['0x0']],
  anvil_setNextBlockBaseFeePerGas: () => [['0x0']],
  anvil_setCoinbase: () => [[NOBODY]],
  anvil_setBalance: ({ contract }) => [[contract, '0x1', 'private']],
  anvil_setNonce: ({ contract }) => [[contract, '0x1', 'private']],
  anvil_setCode: ({ contract }) => [[contract, '0x00', 'private']],
  anvil_setStorageAt: ({ contract }) => [[contract, '0x0', '0x1', 'private']],
  anvil_impersonateAccount: ({ from }) => [[from]],
  anvil_stopImpersonatingAccount: ({ from }) => [[from]],
  anvil_autoImpersonateAccount: () => [[false]],
  anvil_dropTransaction: ({ hash }) => [[hash]],
  anvil_dropAllTransactions: PLAIN,
  hardhat_metadata: PLAIN,
  anvil_nodeInfo: PLAIN,
};

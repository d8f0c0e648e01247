/** Namespaces of Hardhat's and Anvil's methods for development. */
export const DEVELOPMENT_NAMESPACES: readonly string[] = ['evm', 'anvil', 'hardhat'];

/** Namespaces of the methods for development, as in Hardhat and Anvil. */
export const DEVELOPMENT_NAMESPACES: readonly string[] = ['evm', 'anvil', 'hardhat'];

/** Namespaces of the methods for development, as in Hardhat and Anvil. */
export const DEVELOPMENT_NAMESPACES: readonly string[] = ['evm', 'anvil', 'hardhat'];

/** What their methods answer on other chains; undefined: the namespace is not one of them. */
export function whereDeveloped(namespace: string): string | undefined {
  return DEVELOPMENT_NAMESPACES.includes(namespace)
    ? 'it is for development, on a chain of "quorate node --dev" or "quorate devnet --dev"'
    : undefined;
}

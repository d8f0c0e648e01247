/** Fork blocks in the genesis file of a new network: each fork of GoQuorum 24.4.1 at block 0. */
export const FORKS_FROM_START = {
  homesteadBlock: 0,
  eip150Block: 0,
  eip155Block: 0,
  eip158Block: 0,
  byzantiumBlock: 0,
  constantinopleBlock: 0,
  petersburgBlock: 0,
  istanbulBlock: 0,
  muirGlacierBlock: 0,
  berlinBlock: 0,
} as const;

import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import hardhatEthers from '@nomicfoundation/hardhat-ethers';
import hardhatIgnition from '@nomicfoundation/hardhat-ignition-ethers';
import hardhatViem from '@nomicfoundation/hardhat-viem';
import upgrades from '@openzeppelin/hardhat-upgrades';
import upgradesViem from '@openzeppelin/hardhat-upgrades/viem';
import { defineConfig } from 'hardhat/config';

const require = createRequire(import.meta.url);
const solc = require('solc/package.json').version;
const task = process.env.TASK ? JSON.parse(readFileSync(process.env.TASK, 'utf8')) : undefined;

export default defineConfig({
  plugins: [hardhatEthers, hardhatIgnition, hardhatViem, upgrades, upgradesViem],
  // Uses the installed compiler, so nothing is downloaded.
  solidity: { version: solc, path: require.resolve('solc/soljson.js') },
  networks: task && {
    ledger: {
      type: 'http',
      url: task.url,
      accounts: task.privateKey ? [task.privateKey] : 'remote',
      ...(task.gasPrice !== undefined && { gasPrice: BigInt(task.gasPrice) }),
    },
  },
});

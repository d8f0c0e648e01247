const { readFileSync } = require('node:fs');
require('@nomicfoundation/hardhat-ethers');
require('@nomicfoundation/hardhat-viem');
require('@openzeppelin/hardhat-upgrades');
const { subtask } = require('hardhat/config');
const { TASK_COMPILE_SOLIDITY_GET_SOLC_BUILD } = require('hardhat/builtin-tasks/task-names');
const solc = require('solc/package.json').version;

// Uses the installed compiler, so nothing is downloaded.
subtask(TASK_COMPILE_SOLIDITY_GET_SOLC_BUILD, async () => ({
  compilerPath: require.resolve('solc/soljson.js'),
  isSolcJs: true,
  version: solc,
  longVersion: solc,
}));

const task = process.env.TASK ? JSON.parse(readFileSync(process.env.TASK, 'utf8')) : undefined;
module.exports = {
  solidity: solc,
  networks: task && {
    ledger: {
      url: task.url,
      accounts: task.privateKey ? [task.privateKey] : 'remote',
      ...(task.gasPrice !== undefined && { gasPrice: task.gasPrice }),
    },
  },
};

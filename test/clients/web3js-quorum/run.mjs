// web3js-quorum's permission module on a permissioned network: its queries, and the transactions
// that it can send.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import Web3 from 'web3';

const { url, nodeId, from, stranger } = JSON.parse(readFileSync(process.argv[2], 'utf8'));
const web3 = new Web3(url);
createRequire(import.meta.url)('web3js-quorum/src/permission')(web3);
const { permission } = web3;

const [org] = await permission.orgList();
const found = {
  orgs: await permission.orgList(),
  accounts: await permission.acctList(),
  nodes: await permission.nodeList(),
  roles: await permission.roleList(),
  details: await permission.getOrgDetails(org.fullOrgId),
  mayTransact: await permission.transactionAllowed({ from }),
  mayStrangerTransact: await permission.transactionAllowed({ from: stranger }),
  mayConnect: await permission.connectionAllowed(nodeId, '127.0.0.1', 30303),
  // Transactions of this module have no parameter for `from`: a call gets further only where `from`
  // fits into one of the parameters that it has.
  refusal: await permission
    .addNewRole(org.fullOrgId, 'CLERK', 1, false, false)
    .catch((error) => error.message),
  done: await permission
    .approveBlackListedNodeRecovery(org.fullOrgId, nodeId, { from })
    .catch((error) => error.message),
};
console.log(JSON.stringify(found));

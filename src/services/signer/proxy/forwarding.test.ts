import { expect, it } from 'vitest';
import { isForwarded } from './forwarding.ts';

it.each([
  ...['eth_blockNumber', 'eth_sendRawTransaction', 'eth_sendRawPrivateTransaction', 'eth_call'],
  ...['eth_fillTransaction', 'net_version', 'web3_sha3', 'rpc_modules', 'rpc.discover'],
  ...['txpool_content', 'priv_getTransactionReceipt', 'eea_sendRawTransaction'],
  ...['istanbul_getValidators', 'istanbul_candidates', 'raft_cluster', 'raft_getRaftId'],
  ...['quorumPermission_orgList', 'ledgerPermission_transactionAllowed'],
  ...['quorumExtension_activeExtensionContracts', 'ledgerExtension_getExtensionStatus'],
  ...['debug_traceTransaction', 'debug_traceBlockByNumber'],
])('%s goes on to the node', (method) => {
  expect(isForwarded(method, [])).toBe(true);
});

it.each([
  ...['eth_sendTransaction', 'eth_sendTransactionAsync', 'eth_signTransaction', 'eth_resend'],
  ...['ETH_blockNumber', 'eth_', 'eth', 'eth_call ', 'xeth_call', 'constructor', ''],
  ...['istanbul_propose', 'istanbul_getValidatorsX', 'debug_setHead', 'raft_promoteToPeer'],
  ...['admin_addPeer', 'miner_start', 'personal_listAccounts', 'quorumPermission_addNode'],
])('%j does not', (method) => {
  expect(isForwarded(method, [])).toBe(false);
});

it('more is what the operator names, one by one or by how names begin', () => {
  const more = ['admin_peers', 'trace_*'];
  const asked = ['admin_peers', 'admin_addPeer', 'trace_block', 'xtrace_block'];
  expect(asked.map((method) => isForwarded(method, more))).toEqual([true, false, true, false]);
});

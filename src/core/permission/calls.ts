/**
 * The functions of the permission interface that change records (GoQuorum permission/v1/contract,
 * permission/v2/contract PermissionsInterface.sol). How a node is passed depends on the version
 * (actions/node-values.ts).
 */
import { callOf } from './abi.ts';
import { nodeCall } from './actions/node-values.ts';

export const CALL = {
  addOrg: nodeCall('addOrg(string,NODE,address)'),
  approveOrg: nodeCall('approveOrg(string,NODE,address)'),
  addSubOrg: nodeCall('addSubOrg(string,string,NODE)'),
  updateOrg: callOf('updateOrgStatus(string,uint256)'),
  approveOrgStatus: callOf('approveOrgStatus(string,uint256)'),
  addRole: callOf('addNewRole(string,string,uint256,bool,bool)'),
  removeRole: callOf('removeRole(string,string)'),
  assignRole: callOf('assignAccountRole(address,string,string)'),
  assignAdmin: callOf('assignAdminRole(string,address,string)'),
  approveAdmin: callOf('approveAdminRole(string,address)'),
  updateAccount: callOf('updateAccountStatus(string,address,uint256)'),
  recoverAccount: callOf('startBlacklistedAccountRecovery(string,address)'),
  approveAccount: callOf('approveBlacklistedAccountRecovery(string,address)'),
  addNode: nodeCall('addNode(string,NODE)'),
  updateNode: nodeCall('updateNodeStatus(string,NODE,uint256)'),
  recoverNode: nodeCall('startBlacklistedNodeRecovery(string,NODE)'),
  approveNode: nodeCall('approveBlacklistedNodeRecovery(string,NODE)'),
};

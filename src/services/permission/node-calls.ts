/** Calls with a node as parameter: version 1 takes its URL, version 2 its parts. */
import { fail, hasCode } from '../../core/base/errors.ts';
import { parseIp } from '../../core/base/ip-address.ts';
import { callOf } from '../../core/permission/abi.ts';
import type { PermissionModel } from '../../core/permission/config.ts';
import { type Enode, formatEnode, parseEnode } from '../../core/wire/enode.ts';

type Value = string | bigint | Uint8Array;

/** Reads a node URL. Throws PERMISSION_INPUT with GoQuorum's texts. */
export function nodeIn(url: string, model: PermissionModel): Enode {
  let node: Enode;
  try {
    node = parseEnode(url);
  } catch (error) {
    if (hasCode(error, 'ENODE_INVALID')) throw input(`Invalid enode id: ${error.message}`);
    throw error;
  }
  if (node.host === undefined) throw input('Invalid enode id: it has no address');
  if (model === 'v2' && !parseIp(node.host)) {
    throw input(`Hostname not supported in the network: ${node.host}; give the IP address`);
  }
  return node;
}

export function input(message: string): Error {
  return fail('PERMISSION_INPUT', message);
}

/** The URL in the form that GoQuorum's nodes use: with discovery port 0. */
export function urlOf(node: Enode): string {
  return formatEnode({ ...node, udpPort: 0 });
}

export function nodeCalls(model: PermissionModel) {
  const types = model === 'v1' ? 'string' : 'string,string,uint16,uint16';
  const valuesOf = (node: Enode | undefined): Value[] => {
    if (model === 'v1') return [node ? urlOf(node) : ''];
    if (!node) return ['', '', 0n, 0n];
    return [node.id, node.host ?? '', BigInt(node.tcpPort), BigInt(node.raftPort ?? 0)];
  };
  const call = (name: string, before = '', after = '') => {
    const list = [before, types, after].filter((each) => each !== '').join();
    return callOf(`${name}(${list})`);
  };
  const details = callOf('getNodeDetails(string)');
  const addAdminNode = call('addAdminNode');
  const addOrg = call('addOrg', 'string', 'address');
  const approveOrg = call('approveOrg', 'string', 'address');
  const addSubOrg = call('addSubOrg', 'string,string');
  const addNode = call('addNode', 'string');
  const updateNode = call('updateNodeStatus', 'string', 'uint256');
  const recover = call('startBlacklistedNodeRecovery', 'string');
  const approveRecovery = call('approveBlacklistedNodeRecovery', 'string');
  return {
    details: (node: Enode) => details(model === 'v1' ? urlOf(node) : node.id),
    addAdminNode: (node: Enode) => addAdminNode(...valuesOf(node)),
    addOrg: (org: string, node: Enode, account: Uint8Array) =>
      addOrg(org, ...valuesOf(node), account),
    approveOrg: (org: string, node: Enode, account: Uint8Array) =>
      approveOrg(org, ...valuesOf(node), account),
    addSubOrg: (parent: string, org: string, node: Enode | undefined) =>
      addSubOrg(parent, org, ...valuesOf(node)),
    addNode: (org: string, node: Enode) => addNode(org, ...valuesOf(node)),
    updateNode: (org: string, node: Enode, action: number) =>
      updateNode(org, ...valuesOf(node), BigInt(action)),
    recoverNode: (org: string, node: Enode) => recover(org, ...valuesOf(node)),
    approveNodeRecovery: (org: string, node: Enode) => approveRecovery(org, ...valuesOf(node)),
  };
}

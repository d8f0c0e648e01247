/**
 * Which methods go on to the node behind this proxy. Reading and sending what is signed already
 * does; what changes the node, or has it sign with a key of its own, needs the operator's word.
 */
import { matchesMethod } from '../../../core/signing/method-patterns.ts';

/** Whole namespaces, but for what makes a node sign. */
const NAMESPACES = ['eth', 'net', 'web3', 'rpc', 'txpool', 'priv', 'eea'] as const;

/** Methods that only read, of namespaces that also change a node. */
const READS: readonly RegExp[] = [
  /^istanbul_(candidates|getSignersFromBlock(ByHash)?|getSnapshot(AtHash)?|getValidators(AtHash)?|isValidator|nodeAddress|status)$/,
  /^raft_(cluster|getRaftId|leader|role)$/,
  /^(quorum|ledger)Permission_(acctList|connectionAllowed|getOrgDetails|nodeList|orgList|roleList|transactionAllowed)$/,
  /^(quorum|ledger)Extension_(activeExtensionContracts|generateExtensionApprovalUuid|getExtensionStatus)$/,
  /^debug_trace[A-Za-z]*$/,
];

/** Names, in lower case, of what makes a node sign with a key of its own. */
const NODE_SIGNS: readonly RegExp[] = [
  /^eth_(sign|sendtransaction|resend)/,
  /^eea_sendtransaction/,
];

const IN_NAMESPACES = new RegExp(`^(${NAMESPACES.join('|')})_[A-Za-z0-9]+$`);

/**
 * Whether `method` goes on to the node. `more`: what the operator allows besides, by name or by
 * how it begins (`admin_*`).
 */
export function isForwarded(method: string, more: readonly string[]): boolean {
  if (more.some((pattern) => matchesMethod(pattern, method))) return true;
  if (method === 'rpc.discover') return true;
  if (IN_NAMESPACES.test(method)) {
    const name = method.toLowerCase();
    return !NODE_SIGNS.some((pattern) => pattern.test(name));
  }
  return READS.some((pattern) => pattern.test(method));
}

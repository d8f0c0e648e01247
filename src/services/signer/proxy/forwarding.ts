/**
 * Which methods are forwarded to the node. Reads and signed transactions are; methods that change
 * the node, or sign with the node's own keys, need the operator's permission.
 */
import { matchesMethod } from '../../../core/signing/method-patterns.ts';

/** Namespaces forwarded as a whole, except for methods that make a node sign. */
const NAMESPACES = ['eth', 'net', 'web3', 'rpc', 'txpool', 'priv', 'eea'] as const;

/** Read-only methods of namespaces that can also change a node. */
const READS: readonly RegExp[] = [
  /^istanbul_(candidates|getSignersFromBlock(ByHash)?|getSnapshot(AtHash)?|getValidators(AtHash)?|isValidator|nodeAddress|status)$/,
  /^raft_(cluster|getRaftId|leader|role)$/,
  /^(quorum|ledger)Permission_(acctList|connectionAllowed|getOrgDetails|nodeList|orgList|roleList|transactionAllowed)$/,
  /^(quorum|ledger)Extension_(activeExtensionContracts|generateExtensionApprovalUuid|getExtensionStatus)$/,
  /^debug_trace[A-Za-z]*$/,
];

/** Methods, in lower case, that make a node sign with its own keys. */
const NODE_SIGNS: readonly RegExp[] = [
  /^eth_(sign|sendtransaction|resend)/,
  /^eea_sendtransaction/,
];

const IN_NAMESPACES = new RegExp(`^(${NAMESPACES.join('|')})_[A-Za-z0-9]+$`);

/**
 * Whether `method` is forwarded. `more`: what the operator also allows, by name or prefix
 * (`admin_*`).
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

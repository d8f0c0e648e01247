/** Who answers a method: this proxy, or the node behind it. What would make the node sign never gets there. */

/** Names, in lower case, of what makes a node sign with a key of its own. */
const NODE_SIGNS: readonly RegExp[] = [
  /^eth[_.](sign|sendtransaction|resend)/,
  /^eea[_.]sendtransaction/,
  /^(personal|account|clef|signer)[_.]/,
  /^parity[_.](post|compose)/,
  /^(quorum|ledger)extension[_.](extend|approve|cancel)/,
  /^(quorum|ledger)permission[_.](add|approve|assign|change|recover|remove|start|update)/,
];

/** Whether a node that reads names as loosely as any might sign because of this one. */
export function makesNodeSign(method: string): boolean {
  const name = method.toLowerCase().replace(/[\s\p{C}]/gu, '');
  return NODE_SIGNS.some((pattern) => pattern.test(name));
}

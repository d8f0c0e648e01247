/** Settings of the explorer that a node serves. */
import type { ExplorerNode } from '../../../core/pages/explorer.ts';
import type { ParsedOptions } from '../../../io/options/options.ts';
import {
  EXPLORER_BASE,
  type ExplorerSetUp,
  namedKeys,
  namedNodes,
  urlOf,
} from '../../../io/pages/explorer-site.ts';

/** Throws OPTION_VALUE_INVALID. */
export function explorerSetUp(options: ParsedOptions): ExplorerSetUp {
  const others = namedNodes(options.list('explorer.nodes'), '--explorer.nodes');
  return {
    base: EXPLORER_BASE,
    nodes: [thisNode(options), ...others],
    parties: namedKeys(options.list('explorer.parties'), '--explorer.parties'),
    signer: urlOf(options.string('explorer.signer'), '--explorer.signer'),
    ramp: urlOf(options.string('explorer.ramp'), '--explorer.ramp'),
  };
}

/** This node in the explorer: the page and the node's JSON-RPC have the same origin. */
function thisNode(options: ParsedOptions): ExplorerNode {
  const http = options.string('http.rpcprefix') || '/';
  const hasLive =
    options.boolean('ws') && options.number('ws.port') === options.number('http.port');
  const ws = options.string('ws.rpcprefix') || '/';
  return { name: options.string('explorer.name') ?? '', http, ...(hasLive ? { ws } : {}) };
}

/** The configuration of `quorate explorer` from its options. */
import { fail } from '../../core/base/errors.ts';
import type { ParsedOptions } from '../../io/options/options.ts';
import {
  EXPLORER_BASE,
  type ExplorerSetUp,
  namedKeys,
  namedNodes,
  urlOf,
} from '../../io/pages/explorer-site.ts';

export interface ExplorerSettings {
  readonly host: string;
  readonly port: number;
  readonly setUp: ExplorerSetUp;
}

/** Throws OPTION_VALUE_MISSING, OPTION_VALUE_INVALID. */
export function explorerSettings(options: ParsedOptions): ExplorerSettings {
  const nodes = namedNodes(options.list('node'), '--node');
  if (nodes.length === 0) {
    const example = 'quorate explorer --node http://127.0.0.1:22000';
    throw fail('OPTION_VALUE_MISSING', `--node: name a node to show: ${example}`);
  }
  return {
    host: options.string('http.addr')!,
    port: options.number('http.port')!,
    setUp: {
      base: EXPLORER_BASE,
      nodes,
      parties: namedKeys(options.list('party'), '--party'),
      signer: urlOf(options.string('signer'), '--signer'),
      ramp: urlOf(options.string('ramp'), '--ramp'),
    },
  };
}

/** The data with which the explorer's page starts, in the element with the id `page-data`. */
import type { Language, Theme } from './look.ts';

export interface ExplorerPage {
  readonly language: Language;
  readonly theme: Theme;
  /** Path with which all its pages begin, such as `/explorer`. */
  readonly base: string;
  /** Nodes that it may query, at least one. The first is used unless the user chooses another. */
  readonly nodes: readonly ExplorerNode[];
  /** Possible recipients of private transactions: names and public keys of their managers. */
  readonly parties: readonly { readonly name: string; readonly key: string }[];
  /** URL of a signing proxy that holds keys. */
  readonly signer?: string | undefined;
  /** URL of the network's on-ramp. */
  readonly ramp?: string | undefined;
}

export interface ExplorerNode {
  readonly name: string;
  /** JSON-RPC over HTTP: a URL, or a path on the page's own server. */
  readonly http: string;
  /** JSON-RPC over WebSocket; undefined: new blocks are polled for. */
  readonly ws?: string | undefined;
}

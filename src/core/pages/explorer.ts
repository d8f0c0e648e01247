/** What the explorer's page starts with, in the element with the id `page-data`. */
import type { Language, Theme } from './look.ts';

export interface ExplorerPage {
  readonly language: Language;
  readonly theme: Theme;
  /** Path that all of its pages begin with, such as `/explorer`. */
  readonly base: string;
  /** Nodes that it may ask, at least one. The first is asked unless someone chooses another. */
  readonly nodes: readonly ExplorerNode[];
  /** Private transaction managers that may be party to what is sent from here, by public key. */
  readonly parties: readonly { readonly name: string; readonly key: string }[];
  /** A signing proxy that holds keys. */
  readonly signer?: string | undefined;
  /** The on-ramp beside the network. */
  readonly ramp?: string | undefined;
}

export interface ExplorerNode {
  readonly name: string;
  /** JSON-RPC over HTTP: a URL, or a path on the page's own server. */
  readonly http: string;
  /** JSON-RPC over WebSocket; undefined: new blocks are polled for. */
  readonly ws?: string | undefined;
}

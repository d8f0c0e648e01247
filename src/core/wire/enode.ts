/**
 * Node URLs `enode://<128 hex>@host:port[?discport=n][&raftport=n]` (GoQuorum p2p/enode/urlv4.go).
 * DNS names are resolved by the dialler.
 */
import { fail } from '../base/errors.ts';
import { bareHex, fromHex } from '../base/hex.ts';
import { secp256k1 } from '../base/secp256k1.ts';

export interface Enode {
  /** 128 lower-case hex digits. */
  readonly id: string;
  readonly publicKey: Uint8Array;
  /**
   * IP address or DNS name; undefined in an incomplete URL, which only identifies a node. IPv6
   * without brackets.
   */
  readonly host: string | undefined;
  readonly tcpPort: number;
  /** 0: no discovery. */
  readonly udpPort: number;
  readonly raftPort: number | undefined;
}

const INCOMPLETE = /^(?:enode:\/\/)?([0-9a-f]+)$/i;
const URL_CHARS_MAX = 1024;
const COMPLETE = /^([a-z][a-z0-9+.-]*):\/\/(?:([^@/?#]*)@)?([^/?#]*)[^?#]*(?:\?([^#]*))?/i;

/** Throws ENODE_INVALID with GoQuorum's text. */
export function parseEnode(url: string): Enode {
  if (url.length > URL_CHARS_MAX) throw invalid('node URL is too long');
  const incomplete = INCOMPLETE.exec(url);
  if (incomplete) {
    const publicKey = parsePublicKey(incomplete[1]!);
    return build(publicKey, undefined, 0, 0, undefined);
  }
  const parts = COMPLETE.exec(url);
  if (parts?.[1]?.toLowerCase() !== 'enode') throw invalid('invalid URL scheme, want "enode"');
  const { host, port } = splitHost(url, parts[3]!);
  if (parts[2] === undefined) throw invalid('does not contain node ID');
  const publicKey = parsePublicKey(parts[2]);
  const query = parseQuery(parts[4] ?? '');
  const raftText = query.get('raftport');
  const tcpPort = parsePort(port, 'invalid port');
  const discovery = query.get('discport');
  const udpPort = discovery ? parsePort(discovery, 'invalid discport in query') : tcpPort;
  const raftPort = raftText ? parsePort(raftText, 'invalid raftport in query') : undefined;
  if (host === '') {
    throw invalid(raftPort === undefined ? 'no such host' : 'empty hostname in raft url');
  }
  return build(publicKey, host, tcpPort, udpPort, raftPort);
}

/** GoQuorum's form: `discport` only if it differs from the TCP port. */
export function formatEnode(node: Enode): string {
  if (node.host === undefined) return `enode://${node.id}`;
  const query: string[] = [];
  if (node.udpPort !== node.tcpPort) query.push(`discport=${node.udpPort}`);
  if (node.raftPort !== undefined) query.push(`raftport=${node.raftPort}`);
  const host = node.host.includes(':') ? `[${node.host}]` : node.host;
  const tail = query.length > 0 ? `?${query.join('&')}` : '';
  return `enode://${node.id}@${host}:${node.tcpPort}${tail}`;
}

function build(
  publicKey: Uint8Array,
  host: string | undefined,
  tcpPort: number,
  udpPort: number,
  raftPort: number | undefined,
): Enode {
  return { id: bareHex(publicKey), publicKey, host, tcpPort, udpPort, raftPort };
}

function invalid(text: string): Error {
  return fail('ENODE_INVALID', text);
}

function parsePublicKey(text: string): Uint8Array {
  const foreign = /[^0-9a-f]/i.exec(text);
  if (foreign) {
    const code = foreign[0].charCodeAt(0).toString(16).toUpperCase().padStart(4, '0');
    throw invalid(
      `invalid public key (encoding/hex: invalid byte: U+${code} ${quoted(foreign[0])})`,
    );
  }
  if (text.length % 2 === 1)
    throw invalid('invalid public key (encoding/hex: odd length hex string)');
  if (text.length !== 128) throw invalid('invalid public key (wrong length, want 128 hex chars)');
  const publicKey = fromHex(text);
  if (!secp256k1().isPublicKey(publicKey)) {
    throw invalid('invalid public key (invalid secp256k1 public key)');
  }
  return publicKey;
}

function quoted(character: string): string {
  return `'${character}'`;
}

function splitHost(url: string, authority: string): { host: string; port: string } {
  const bracketed = /^\[([^\]]*)\](.*)$/.exec(authority);
  const colon = authority.indexOf(':');
  const host = bracketed ? bracketed[1]! : colon < 0 ? authority : authority.slice(0, colon);
  const rest = bracketed ? bracketed[2]! : colon < 0 ? '' : authority.slice(colon);
  if (!/^(:\d*)?$/.test(rest)) {
    throw invalid(`parse ${JSON.stringify(url)}: invalid port ${JSON.stringify(rest)} after host`);
  }
  return { host, port: rest.slice(1) };
}

function parsePort(text: string, fault: string): number {
  if (!/^\d{1,10}$/.test(text)) throw invalid(fault);
  const port = Number(text);
  if (port > 0xffff) throw invalid(fault);
  return port;
}

/** First value of each key; the keys in use contain no escapes. */
function parseQuery(text: string): Map<string, string> {
  const values = new Map<string, string>();
  for (const pair of text.split('&')) {
    const equals = pair.indexOf('=');
    const key = equals < 0 ? pair : pair.slice(0, equals);
    if (!values.has(key)) values.set(key, equals < 0 ? '' : pair.slice(equals + 1));
  }
  return values;
}

/** Settings of the peer-to-peer network. */
import { isIP } from 'node:net';
import { fail } from '../../../core/base/errors.ts';
import { type Enode, parseEnode } from '../../../core/wire/enode.ts';
import { reasonOf } from '../../../io/host/reason.ts';
import type { ParsedOptions } from '../../../io/options/options.ts';
import { NetRestrict } from '../../../io/p2p/net-restrict.ts';
import { asksNobody, asksRouter, mechanismOf } from '../options/nat.ts';

export interface PeersConfig {
  readonly host: string;
  readonly port: number;
  readonly max: number;
  readonly isPermissioned: boolean;
  /** IP networks that peers must be in; undefined: any. */
  readonly netRestrict: readonly string[] | undefined;
  /** Maximum number of incoming connections before their Hello; undefined: the default. */
  readonly pendingMax: number | undefined;
  /** IP address under which peers reach this node; undefined: not configured. */
  readonly externalIp: string | undefined;
  /** Undefined: discovery is off. */
  readonly discovery: { readonly bootnodes: readonly string[] } | undefined;
}

/** Throws OPTION_VALUE_INVALID. */
export function peersConfig(options: ParsedOptions): PeersConfig {
  const networks = options.list('netrestrict');
  // Throws if one of them is not a valid IP network.
  new NetRestrict(networks);
  const bootnodes = options.list('bootnodes');
  return {
    host: options.string('p2p.addr')!,
    port: options.number('port')!,
    max: options.number('maxpeers')!,
    isPermissioned: options.boolean('permissioned'),
    netRestrict: networks.length === 0 ? undefined : networks,
    pendingMax: options.number('maxpendpeers') || undefined,
    externalIp: externalIpOf(options.string('nat')!),
    discovery: options.boolean('nodiscover') ? undefined : { bootnodes },
  };
}

/**
 * Checked later than other options, because the crypto functions are not installed yet when those
 * are read. Throws OPTION_VALUE_INVALID.
 */
export function bootnodeOf(url: string): Enode {
  try {
    const node = parseEnode(url);
    if (node.host !== undefined && node.udpPort !== 0) return node;
    throw fail('ENODE_INVALID', 'it names no address, or no port for discovery');
  } catch (error) {
    throw fail(
      'OPTION_VALUE_INVALID',
      `invalid value "${url}" for flag --bootnodes: ${reasonOf(error)}`,
    );
  }
}

/**
 * The address in `extip:ADDRESS`; values for which a router would be asked count as no mapping
 * (GoQuorum p2p/nat/nat.go).
 */
function externalIpOf(nat: string): string | undefined {
  const mechanism = mechanismOf(nat);
  const address = nat.includes(':') ? nat.slice(mechanism.length + 1) : undefined;
  const isAddress = address !== undefined && isIP(address) !== 0;
  if (['extip', 'ip'].includes(mechanism) && isAddress) return address;
  const isKnown = asksNobody(nat) || asksRouter(nat);
  if (isKnown && (address === undefined || isAddress)) return undefined;
  throw fail(
    'OPTION_VALUE_INVALID',
    `invalid value "${nat}" for flag --nat: expected any, none, upnp, pmp or extip:IP-ADDRESS`,
  );
}

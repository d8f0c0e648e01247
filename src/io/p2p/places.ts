/**
 * Which peer is replaced when all places are taken. Peers that the node knows (static, trusted,
 * permissioned, validators) keep their places, and may replace a stranger. Strangers share the rest
 * by address: a newcomer from a less crowded address, or address block, replaces the newest peer of
 * the most crowded one. So no single party can occupy all places, even with many node keys.
 */

export interface Occupant {
  /** IP address, in the form that `plainAddress` returns. */
  readonly address: string;
  readonly isKnown: boolean;
}

/** A peer is replaced only if its source has at least this many more peers than the newcomer's. */
const CROWD_LEAD = 2;

/**
 * The peer of `occupants`, oldest first, that the newcomer replaces; undefined: none. Blocks are
 * balanced first, then the addresses inside the newcomer's block: in this order no two peers
 * replace each other forever.
 */
export function displaced<T extends Occupant>(
  newcomer: Occupant,
  occupants: readonly T[],
): T | undefined {
  const strangers = occupants.filter(({ isKnown }) => !isKnown);
  const block = largestCrowd(strangers, blockOf);
  const leaving = largestCrowd(block, sameAddress).at(-1);
  if (newcomer.isKnown) return leaving;
  const own = strangers.filter(({ address }) => blockOf(address) === blockOf(newcomer.address));
  if (block.length >= own.length + CROWD_LEAD) return leaving;
  const crowd = largestCrowd(own, sameAddress);
  const sameAs = own.filter(({ address }) => address === newcomer.address);
  return crowd.length >= sameAs.length + CROWD_LEAD ? crowd.at(-1) : undefined;
}

/**
 * The members of the most crowded source, oldest first; if several are equal, of the one with the
 * newest member.
 */
function largestCrowd<T extends Occupant>(
  strangers: readonly T[],
  source: (address: string) => string,
): readonly T[] {
  const crowds = new Map<string, T[]>();
  for (const stranger of strangers) {
    const key = source(stranger.address);
    const crowd = crowds.get(key);
    if (crowd) crowd.push(stranger);
    else crowds.set(key, [stranger]);
  }
  let largest: T[] = [];
  const age = (crowd: readonly T[]) => strangers.indexOf(crowd.at(-1)!);
  for (const crowd of crowds.values()) {
    const isTied = crowd.length === largest.length && age(crowd) > age(largest);
    if (crowd.length > largest.length || isTied) largest = crowd;
  }
  return largest;
}

const sameAddress = (address: string) => address;

/** Blocks that one owner can easily get: /24 of IPv4, /48 of IPv6. */
function blockOf(address: string): string {
  if (!address.includes(':')) return address.slice(0, address.lastIndexOf('.'));
  const [head = ''] = address.split('::');
  const groups = head.split(':').filter((group) => group !== '');
  return `${groups.slice(0, 3).join(':')}:`;
}

/**
 * Which peer is replaced when all places are taken. Peers that the node knows (static, trusted,
 * permissioned, validators) keep their places, and may replace a stranger. Strangers share the rest
 * by address: a newcomer from a less crowded address, or address block, replaces the newest peer of
 * the most crowded one. So nobody can occupy all places, however many node keys they have.
 */

export interface Occupant {
  /** IP address, as `plainAddress` writes it. */
  readonly address: string;
  readonly isKnown: boolean;
}

/** A source must have so many more peers than the newcomer's before one of them is replaced. */
const CROWD_LEAD = 2;

/**
 * Which of `occupants`, oldest first, is replaced by the newcomer; undefined: none. Blocks are
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
 * The members of the most crowded source, oldest first; of several, the one with the youngest
 * member.
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

/** /24 of IPv4, /48 of IPv6: blocks that one owner can easily have. */
function blockOf(address: string): string {
  if (!address.includes(':')) return address.slice(0, address.lastIndexOf('.'));
  const [head = ''] = address.split('::');
  const groups = head.split(':').filter((group) => group !== '');
  return `${groups.slice(0, 3).join(':')}:`;
}

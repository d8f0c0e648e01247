/**
 * Fetches many payloads: in batches if the manager supports them, otherwise by concurrent single
 * requests.
 */
import type { HeldPayload } from '../../core/privacy/inputs.ts';
import type { PayloadHash } from '../../core/privacy/marker.ts';

const BATCH_HASHES_MAX = 256;
const SINGLES_MAX = 16;

type Found = HeldPayload | undefined;

export interface PayloadSource {
  readonly batch: boolean;
  fetchOne(hash: PayloadHash): Promise<Found>;
  /** May answer only the first hashes, but at least one. */
  fetchMany(hashes: readonly PayloadHash[]): Promise<readonly Found[]>;
}

/**
 * Payloads in the order of the hashes; undefined for those to which this manager is not a party.
 * Rejects with the first failure.
 */
export async function gatherPayloads(
  hashes: readonly PayloadHash[],
  source: PayloadSource,
): Promise<readonly Found[]> {
  if (!source.batch || hashes.length === 1) return sideBySide(hashes, source);
  const found: Found[] = [];
  while (found.length < hashes.length) {
    const wanted = hashes.slice(found.length, found.length + BATCH_HASHES_MAX);
    found.push(...(await source.fetchMany(wanted)).slice(0, wanted.length));
  }
  return found;
}

async function sideBySide(
  hashes: readonly PayloadHash[],
  source: PayloadSource,
): Promise<readonly Found[]> {
  const found: Found[] = new Array(hashes.length).fill(undefined);
  let next = 0;
  const worker = async (): Promise<void> => {
    while (next < hashes.length) {
      const at = next++;
      found[at] = await source.fetchOne(hashes[at]!);
    }
  };
  await Promise.all(Array.from({ length: Math.min(SINGLES_MAX, hashes.length) }, worker));
  return found;
}

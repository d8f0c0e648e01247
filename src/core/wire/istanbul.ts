/**
 * Codes of `istanbul` (GoQuorum consensus/istanbul/backend/handler.go); bodies are decoded in
 * core/consensus. istanbul/100 carries only consensus, next to eth. Its predecessors istanbul/64
 * and /99 are also announced, for members of IBFT networks as old as GoQuorum 20.10: they carry the
 * eth messages, followed by IBFT.
 */
const IBFT_MESSAGE = 0x11;
const QBFT_ROUND_CHANGE = 0x15;
const ISTANBUL_VERSION = 100;

/**
 * Whether the code carries consensus (IBFT 0x11, QBFT 0x12-0x15); the other ones of the 22 codes
 * are reserved and ignored.
 */
export function isConsensusCode(code: number): boolean {
  return code >= IBFT_MESSAGE && code <= QBFT_ROUND_CHANGE;
}

/** Whether a peer that shares this version of istanbul (undefined: none) can be sent the code. */
export function carriesConsensus(version: number | undefined, code: number): boolean {
  return version !== undefined && (version >= ISTANBUL_VERSION || code === IBFT_MESSAGE);
}

/**
 * The version of istanbul that carries the eth messages between us and a peer; undefined: eth or no
 * protocol carries them. `shared`: name and version of the protocols that both offer.
 */
export function legacyVersion(shared: ReadonlyMap<string, number>): number | undefined {
  const version = shared.get('istanbul');
  if (shared.has('eth') || version === undefined) return undefined;
  return version < ISTANBUL_VERSION ? version : undefined;
}

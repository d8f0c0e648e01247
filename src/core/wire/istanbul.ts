/**
 * Codes of `istanbul/100` (consensus dossier §4.1, §5.1, §8.2); bodies are read by core/consensus.
 * Its predecessors istanbul/64 and /99 carried the eth messages too. The reference announces neither any more, and a
 * peer that offers only these is a `useless peer`.
 */
const IBFT_MESSAGE = 0x11;
const QBFT_ROUND_CHANGE = 0x15;

/** Whether the code carries consensus (IBFT 0x11, QBFT 0x12-0x15): the rest of the 22 codes is reserved and ignored. */
export function isConsensusCode(code: number): boolean {
  return code >= IBFT_MESSAGE && code <= QBFT_ROUND_CHANGE;
}

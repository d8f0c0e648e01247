/** A file holds one idea: 400 lines at most. Data is exempt; files that were longer before the rule may only shrink. */

const LINES_MAX = 400;
/** Contract code, recorded data and packages: as long as what they hold. */
const DATA = /\bnode_modules\b|^(?:src\/services\/permission\/code\/|test\/vectors\/data\/)/;

/** Lines that each may have. Split one when you work in it, and take it off the list. */
const LONGER: Readonly<Record<string, number>> = {
  'src/core/consensus/qbft/engine.test.ts': 450,
  'src/io/p2p/server.service.test.ts': 750,
  'src/services/ledger/node/extension/extension-requests.ts': 450,
  'src/services/ledger/node/network.test.ts': 550,
  'src/services/permission/contracts.service.test.ts': 550,
  'src/services/ptm/start.service.test.ts': 450,
  'src/services/signer/keys/clouds.service.test.ts': 600,
  'src/services/signer/proxy-server.service.test.ts': 450,
  'src/services/signer/proxy/pipeline.test.ts': 600,
  'src/services/staking/stakes/stakes.service.test.ts': 450,
  'src/services/staking/token/refused-tokens.service.test.ts': 500,
  'src/services/staking/token/token.service.test.ts': 650,
  'test/simulator/privacy/world.ts': 500,
  'test/simulator/world.ts': 550,
  'test/support/permission-model.ts': 450,
  'test/vectors/p2p.ts': 500,
};

/** One line for a file that is too long; `longer`: files that may have so many lines. */
export function sizeFault(
  path: string,
  text: string,
  longer: Readonly<Record<string, number>> = LONGER,
): string | undefined {
  if (DATA.test(path)) return undefined;
  const lines = text.split('\n').length - 1;
  const max = longer[path];
  if (max === undefined) {
    if (lines <= LINES_MAX) return undefined;
    return `${path}: ${lines} lines, at most ${LINES_MAX}: split it by idea`;
  }
  if (lines > max) return `${path}: ${lines} lines, at most ${max} here: split it by idea`;
  if (lines > LINES_MAX) return undefined;
  return `${path}: ${lines} lines: take it off the list in tools/file-sizes.ts`;
}

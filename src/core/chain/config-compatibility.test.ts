import { describe, expect, it } from 'vitest';
import { configFault } from './config-compatibility.ts';
import { chainConfigFromJson } from './genesis.ts';

const quorum = (config: object) => chainConfigFromJson({ isQuorum: true, qbft: {}, ...config });
const steps = (...transitions: object[]) => quorum({ transitions });

describe('a newer genesis file', () => {
  it('may change the future', () => {
    const stored = steps({ block: 5, blockperiodseconds: 2 });
    const next = steps({ block: 5, blockperiodseconds: 2 }, { block: 50, blockperiodseconds: 1 });
    expect(configFault(stored, next, 10)).toBeUndefined();
    expect(configFault(quorum({}), steps({ block: 20 }), 10)).toBeUndefined();
    expect(
      configFault(quorum({ berlinBlock: 20 }), quorum({ berlinBlock: 30 }), 10),
    ).toBeUndefined();
  });

  it('may not change the past', () => {
    const stored = steps({ block: 5, blockperiodseconds: 2 });
    expect(configFault(stored, steps({ block: 5, blockperiodseconds: 3 }), 10)).toBe(
      'mismatching transitions.BlockPeriodSeconds data incompatible. BlockPeriodSeconds historical data does not match in database (have 10, want 10, rewindto 9)',
    );
    expect(configFault(stored, quorum({}), 10)).toContain(
      'genesis file missing transitions information',
    );
    expect(
      configFault(stored, steps({ block: 5, blockperiodseconds: 2 }, { block: 6 }), 10),
    ).toContain('transitions data incompatible. updating transitions for past');
    expect(configFault(quorum({}), quorum({ berlinBlock: 7 }), 10)).toBe(
      'mismatching Berlin fork block in database (have <nil>, want 7, rewindto 6)',
    );
    expect(configFault(quorum({}), quorum({ quorate: { londonBlock: 9 } }), 10)).toBe(
      'mismatching London fork block in database (have <nil>, want 9, rewindto 8)',
    );
    expect(configFault(quorum({ isMPS: true }), quorum({}), 10)).toContain('cannot be changed');
    const sizes = (size: number) => quorum({ maxCodeSizeConfig: [{ block: 2, size }] });
    expect(configFault(sizes(32), sizes(64), 10)).toContain('maxCodeSize historical data');
  });

  it('may change anything before the first block', () => {
    expect(configFault(quorum({ isMPS: true }), quorum({}), 0)).toBeUndefined();
  });
});

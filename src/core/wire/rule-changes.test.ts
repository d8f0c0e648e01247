import { expect, it } from 'vitest';
import { ZERO_HASH } from '../base/bytes.ts';
import { encodeRlp } from '../base/rlp.ts';
import { genesisFromJson } from '../chain/genesis.ts';
import { ruleChanges } from '../chain/rule-changes.ts';
import { decodeRuleChanges, encodeRuleChanges } from './rule-changes.ts';

function configOf(config: object) {
  const { config: parsed } = genesisFromJson({
    config: { chainId: 1337, isQuorum: true, qbft: {}, ...config },
    gasLimit: '0x1',
    difficulty: '0x1',
    alloc: {},
  });
  return parsed;
}

it('changes of rules are the same for the same settings, however the file spells them', () => {
  const a = ruleChanges(configOf({ transitions: [{ block: 5, blockPeriodSeconds: 3 }] }));
  const b = ruleChanges(configOf({ transitions: [{ blockperiodseconds: 3, block: 5 }] }));
  const c = ruleChanges(configOf({ transitions: [{ block: 5, blockperiodseconds: 4 }] }));
  expect(a).toEqual(b);
  expect(a).not.toEqual(c);
  expect(a.map(({ block }) => block)).toEqual([5]);
  expect(ruleChanges(configOf({ transitions: [{ block: 0, algorithm: 'qbft' }] }))).toEqual([]);
});

it('are read as they were written, and anything else is refused', () => {
  const changes = [
    { block: 5, digest: ZERO_HASH },
    { block: 9, digest: new Uint8Array(32).fill(7) },
  ];
  expect(decodeRuleChanges(encodeRuleChanges(changes))).toEqual(changes);
  expect(decodeRuleChanges(encodeRuleChanges([]))).toEqual([]);
  expect(() => decodeRuleChanges(Uint8Array.of(0x80))).toThrow();
  expect(() => decodeRuleChanges(encodeRlp([[Uint8Array.of(5)]]))).toThrow();
  const many = Array.from({ length: 1025 }, () => changes[0]!);
  expect(() => decodeRuleChanges(encodeRuleChanges(many))).toThrow('1024');
});

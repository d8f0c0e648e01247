import { describe, expect, it } from 'vitest';
import type { Intent } from '../../../core/signing/guard.ts';
import { parsePolicy } from './policy.ts';
import { Rules } from './rules.ts';

const A = `0x${'aa'.repeat(20)}`;
const B = `0x${'bb'.repeat(20)}`;
const TO = `0x${'0c'.repeat(20)}`;

const rulesOf = (text: string, before?: Rules) =>
  new Rules(parsePolicy('policy.yaml', text), before);

function refused(text: string): string {
  try {
    parsePolicy('policy.yaml', text);
  } catch (error) {
    expect(error).toMatchObject({ code: 'SIGNER_POLICY_INVALID' });
    return (error as Error).message;
  }
  throw new Error('not refused');
}

const transfer = (more: Partial<Intent> = {}): Intent => ({
  method: 'eth_sendTransaction',
  account: A,
  kind: 'transaction',
  to: TO,
  value: 1n,
  gas: 21_000n,
  ...more,
});

const why = (rules: Rules, intent: Intent, nowMs = 0, caller = 'x') =>
  rules.refusal(caller, intent, nowMs)?.why;

const TREASURY = `
version: 1
rules:
  - name: treasury
    accounts: [${A.replace('aa', 'AA')}]
    methods: [eth_send*]
    to: [${TO}, create]
    selectors: [none, "transfer(address,uint256)", "0x095ea7b3"]
    maxValue: 1.5 ether
    maxGas: 100000
    maxFee: 20 gwei
`;

describe('a policy file', () => {
  it('limits recipients, methods, selectors, value and gas; each refusal names the rule', () => {
    const rules = rulesOf(TREASURY);
    expect(why(rules, transfer())).toBeUndefined();
    expect(why(rules, transfer({ selector: '0xa9059cbb' }))).toBeUndefined();
    expect(why(rules, transfer({ selector: '0x095ea7b3' }))).toBeUndefined();
    expect(why(rules, transfer({ to: undefined, selector: '0x60806040' }))).toBeUndefined();
    expect(why(rules, transfer({ kind: 'privateTransaction' }))).toBeUndefined();
    expect(why(rules, transfer({ selector: '0x12345678' }))).toBe(
      'rule "treasury": selector 0x12345678 is not among its selectors',
    );
    expect(why(rules, transfer({ to: B }))).toBe(
      `rule "treasury": to ${B} is not among its recipients`,
    );
    expect(why(rules, transfer({ value: 15n * 10n ** 17n }))).toBeUndefined();
    expect(why(rules, transfer({ value: 15n * 10n ** 17n + 1n }))).toContain('maxValue');
    expect(why(rules, transfer({ gas: 100_001n }))).toBe(
      'rule "treasury": gas 100001 is over its maxGas 100000',
    );
    expect(why(rules, transfer({ fee: 20n * 10n ** 9n }))).toBeUndefined();
    expect(why(rules, transfer({ fee: 20n * 10n ** 9n + 1n }))).toContain('maxFee 20000000000');
    expect(why(rules, transfer({ selector: 'opaque' }))).toContain('selector opaque');
    expect(why(rules, transfer({ method: 'eea_sendTransaction' }))).toContain(
      'eea_sendTransaction',
    );
    expect(why(rules, transfer({ account: B }))).toBe(`no rule lets x use ${B}`);
  });

  it('what is not a transaction is off until it is named', () => {
    const rules = rulesOf(TREASURY.replace('methods: [eth_send*]', 'transactions: false'));
    const message: Intent = { method: 'eth_sign', account: A, kind: 'message' };
    expect(why(rules, message)).toContain('messages: true');
    expect(why(rules, { ...message, kind: 'digest' })).toContain('digests: true');
    expect(why(rules, { ...message, kind: 'typedData' })).toContain('typedData');
    expect(why(rules, transfer())).toBe('rule "treasury": transactions are not signed');
    const open = rulesOf(`
rules:
  - accounts: ["*"]
    messages: true
    digests: true
    typedData:
      - domain: Ether Mail
        primaryType: Mail
      - contract: "${TO}"
`);
    expect(why(open, message)).toBeUndefined();
    expect(why(open, { ...message, kind: 'digest' })).toBeUndefined();
    const typed = { ...message, kind: 'typedData', primaryType: 'Mail' } as const;
    expect(why(open, { ...typed, domainName: 'Ether Mail' })).toBeUndefined();
    expect(why(open, { ...typed, domainName: 'Other' })).toContain('"Mail" of domain "Other"');
    expect(why(open, typed)).toContain('rule "#1"');
    expect(why(open, { ...typed, verifyingContract: TO })).toBeUndefined();
    expect(why(open, { ...typed, verifyingContract: B })).toBeDefined();
  });

  it('a contract cannot be made past a list of selectors', () => {
    const rules = rulesOf(`rules: [{accounts: "*", selectors: ["0xa9059cbb"]}]`);
    expect(why(rules, transfer({ to: undefined, selector: '0xa9059cbb' }))).toContain('creations');
    expect(why(rules, transfer())).toContain('selector none');
  });

  it('the first rule for caller and account decides, JSON or YAML', () => {
    const text = JSON.stringify({
      callers: [
        { name: 'pay', certificate: 'pay' },
        { name: 'ops', anybody: true },
      ],
      rules: [
        { name: 'small', callers: ['pay'], accounts: [A], maxValue: 5 },
        { name: 'large', callers: ['ops'], accounts: ['*'] },
      ],
    });
    const rules = rulesOf(text);
    expect(why(rules, transfer({ value: 6n }), 0, 'pay')).toContain('rule "small"');
    expect(why(rules, transfer({ value: 6n }), 0, 'ops')).toBeUndefined();
    expect(rules.mayUse('pay', A)).toBe(true);
    expect(rules.mayUse('pay', B)).toBe(false);
    expect(rules.mayUse('ops', B)).toBe(true);
  });

  it('rates slide: counts and sums of the time just gone, by account, and on through a reload', () => {
    const text = `
rules:
  - name: paced
    accounts: "*"
    rates:
      - { count: 2, per: 10s }
      - { value: 10, per: 1m }
`;
    const rules = rulesOf(text);
    expect(why(rules, transfer({ value: 4n }), 0)).toBeUndefined();
    expect(why(rules, transfer({ value: 4n }), 5_000)).toBeUndefined();
    expect(why(rules, transfer({ value: 0n }), 9_999)).toBe(
      'rule "paced": 2 signatures in 10s are used up',
    );
    expect(why(rules, transfer({ value: 0n, account: B }), 9_999)).toBeUndefined();
    expect(why(rules, transfer({ value: 3n }), 10_000)).toBe(
      'rule "paced": value 3 is over what is left of 10 in 1m',
    );
    const again = rulesOf(text, rules);
    expect(why(again, transfer({ value: 2n }), 10_000)).toBeUndefined();
    expect(why(again, transfer({ value: 1n }), 30_000)).toContain('10 in 1m');
    expect(why(again, transfer({ value: 4n }), 60_000)).toBeUndefined();
    expect(again.refusal('x', transfer({ value: 99n }), 70_000)?.kind).toBe('rate');
  });

  it('wrong files are refused with their line', () => {
    const cases: readonly (readonly [string, string])[] = [
      ['', 'line 1: the policy must be a table'],
      ['rules: [', 'line 1: '],
      ['version: 2\nrules: []', 'line 1: version must be 1'],
      ['version: 1', '"rules" is missing'],
      [
        'rules:\n  - name: a\n    acounts: "*"',
        'line 3: a rule has no member "acounts" (did you mean "accounts"?)',
      ],
      ['rules:\n  - name: a', 'line 2: a rule needs "accounts"'],
      ['rules:\n  - accounts: [0x12]', 'line 2: each of accounts must be an address or "*"'],
      [
        `rules:\n  - accounts: "*"\n    to:\n      - ${A}\n      - nobody`,
        'line 5: each of to must be',
      ],
      ['rules:\n  - accounts: "*"\n    maxValue: 1.5', 'line 3: maxValue must be an amount'],
      ['rules:\n  - accounts: "*"\n    maxValue: 1.5 wei', 'line 3: maxValue'],
      ['rules:\n  - accounts: "*"\n    maxValue: -1', 'line 3: maxValue'],
      ['rules:\n  - accounts: "*"\n    rates: [{count: 1}]', 'line 3: a rate needs "per"'],
      [
        'rules:\n  - accounts: "*"\n    rates: [{per: 1h}]',
        'line 3: a rate needs "count" or "value"',
      ],
      ['rules:\n  - accounts: "*"\n    rates: [{per: 99d, count: 1}]', '31d at most'],
      ['rules:\n  - accounts: "*"\n    messages: "yes"', 'messages must be true or false'],
      ['rules:\n  - accounts: "*"\n    selectors: [transfer]', 'line 3: each of selectors'],
      ['callers: [{name: a}]\nrules: []', 'line 1: caller "a" needs'],
      [
        'callers: [{name: a, anybody: true}]\nrules:\n  - accounts: "*"\n    callers: [b]',
        'line 4: each of callers',
      ],
      [
        'rules:\n  - {name: a, accounts: "*"}\n  - {name: a, accounts: "*"}',
        'line 3: another rule is called "a"',
      ],
      ['rules: []\nrules: []', 'line 2: Map keys must be unique'],
    ];
    for (const [text, message] of cases) expect(refused(text)).toContain(message);
  });
});

import { expect, it } from 'vitest';
import { wideComments, wrapComments } from './comment-width.ts';

const words = (count: number) => Array.from({ length: count }, (_, i) => `word${i}`).join(' ');
const widest = (text: string) => Math.max(...text.split('\n').map(({ length }) => length));

it('wraps a wide comment at 100 columns and keeps its words', () => {
  for (const text of [`  /** ${words(40)} */`, `  // ${words(40)}`, `/**\n * ${words(40)}\n */`]) {
    const wrapped = wrapComments(text);
    expect(widest(wrapped)).toBeLessThanOrEqual(100);
    expect(wrapped.match(/word\d+/g)).toEqual(words(40).split(' '));
    expect(wideComments(wrapped)).toEqual([]);
  }
});

it('lists the lines that it would wrap', () => {
  expect(wideComments(`a;\n// ${words(40)}\n// short\n`)).toEqual([2]);
});

it('does not change lists, tables, drawings and code', () => {
  const list = `/**\n * - ${words(5)}\n *   ${words(20)}\n * | a | ${words(20)} |\n */`;
  expect(wrapComments(list)).toBe(list);
  expect(wideComments(list)).toEqual([]);
  const code = `const text = '// ${words(40)}';`;
  expect(wrapComments(code)).toBe(code);
});

it('does not change narrow comments', () => {
  const text = '/**\n * One.\n *\n * Two.\n */\nconst a = 1; // why\n';
  expect(wrapComments(text)).toBe(text);
});

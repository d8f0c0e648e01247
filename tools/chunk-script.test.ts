import { Script } from 'node:vm';
import { expect, it } from 'vitest';
import { chunkScript } from './chunk-script.mjs';

/** What the script of a module exports; `chunks` are those it imports. */
function run(text: string, chunks: Record<string, object> = {}): Record<string, unknown> {
  const own = {};
  const chunk = new Script(chunkScript(text, false)).runInThisContext();
  chunk(
    (name: string) => chunks[name],
    async (name: string) => chunks[name],
    async (name: string) => ({ package: name }),
    own,
    require,
    '',
    String,
  );
  return own;
}

const require = (name: string) => ({ name, part: `part of ${name}` });

it('imports are values of other chunks, and of packages', () => {
  const text = `//
import{a,b as c}from"./one-X.js";import"./two-X.js";import d,{part}from"pkg";import*as e from"node:fs";
var all=[a,c,d.name,part,e.name];export{all,all as default};`;
  const all = [1, 2, 'pkg', 'part of pkg', 'node:fs'];
  expect(run(text, { 'one-X.js': { a: 1, b: 2 } })).toEqual({ all, default: all });
});

it('a default export is an expression', () => {
  expect(run('//\nvar f=()=>4;export default f();')).toEqual({ default: 4 });
});

it('own chunks are loaded on demand, packages are imported', async () => {
  const text = `//
var late=()=>import("../chunks/late-X.js"),pkg=(name)=>import(name),other=()=>import("other");
export{late,pkg,other};`;
  const values = run(text, { 'late-X.js': { of: 'late' } });
  const { late, pkg, other } = values as Record<string, (name?: string) => Promise<object>>;
  expect(await late!()).toEqual({ of: 'late' });
  expect(await pkg!('pkg')).toEqual({ package: 'pkg' });
  expect(await other!()).toEqual({ package: 'other' });
});

it('lines and columns stay, and the source map is named last', () => {
  const lines = [
    '//',
    'import{a as b}from"./one-X.js";b(1);import{',
    'c}from"node:fs";c(2);import("./two-X.js").then(three);',
    'export{b};',
    '//# sourceMappingURL=main.js.map',
  ];
  const script = chunkScript(lines.join('\n'), true).split('\n');
  const places = (text: readonly string[]) =>
    ['b(1)', 'c(2)', '.then(three)'].map((code) => {
      const line = text.findIndex((each) => each.includes(code));
      return [line, text[line]!.indexOf(code)];
    });
  expect(places(script)).toEqual(places(lines));
  expect(script.at(-1)).toBe(lines.at(-1));
});

it('only a chunk that may wait awaits', () => {
  expect(() => new Script(chunkScript('//\nawait 1;', true))).not.toThrow();
  expect(() => new Script(chunkScript('//\nawait 1;', false))).toThrow(SyntaxError);
});

it('refuses what importers would not see: an exported variable that changes later', () => {
  for (const change of ['a=2', 'a+=1', 'a++', '--a']) {
    const text = `//\nvar a=1;function f(){${change}}export{a as b,f};`;
    expect(() => chunkScript(text, false)).toThrow(/exported a changes later/);
  }
  expect(run('//\nvar a=1;a=2;export{a};')).toEqual({ a: 2 });
});

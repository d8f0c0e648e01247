/**
 * Every function, class and method that the package publishes has a docstring with an example; the
 * examples are run by examples.service.test.ts and, on networks, by test/e2e.
 */
import ts from 'typescript';
import { expect, it } from 'vitest';
import { isQuick } from '../../test/support/effort.ts';

const ENTRIES = ['client', 'viem', 'ethers', 'staking-client'].map((name) =>
  new URL(`./${name}.ts`, import.meta.url).pathname.replace(/^\/(?=\w:)/, ''),
);

it('all that is published is described, and whatever can be called has an example', ({ skip }) => {
  if (isQuick) skip('npm test: docstrings of what the package publishes');
  const program = ts.createProgram(ENTRIES, {
    ...{ module: ts.ModuleKind.NodeNext, moduleResolution: ts.ModuleResolutionKind.NodeNext },
    ...{ target: ts.ScriptTarget.ES2023, skipLibCheck: true, noEmit: true },
    allowImportingTsExtensions: true,
  });
  const checker = program.getTypeChecker();
  const isOurs = (symbol: ts.Symbol) =>
    symbol.declarations?.some((each) => each.getSourceFile().fileName.includes('/src/clients/'));
  const exported = ENTRIES.flatMap((entry) =>
    checker.getExportsOfModule(checker.getSymbolAtLocation(program.getSourceFile(entry)!)!),
  ).map((each) => (each.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(each) : each));
  const methods = exported.flatMap((symbol) => {
    const { Class, Interface, TypeAlias } = ts.SymbolFlags;
    if (!(symbol.flags & (Class | Interface | TypeAlias))) return [];
    return checker.getDeclaredTypeOfSymbol(symbol).getProperties().filter(isMethod).filter(isOurs);
  });
  const hasExample = (symbol: ts.Symbol) =>
    symbol.getJsDocTags(checker).some(({ name }) => name === 'example');
  const isDescribed = (symbol: ts.Symbol) => symbol.getDocumentationComment(checker).length > 0;
  const callable = ts.SymbolFlags.Function | ts.SymbolFlags.Class;
  const faults = [
    ...[...exported, ...methods].filter((each) => !isDescribed(each)),
    ...[...exported.filter(({ flags }) => flags & callable), ...methods].filter(
      (each) => !hasExample(each),
    ),
  ];
  expect(methods.length).toBeGreaterThan(80);
  expect([...new Set(faults.map(({ name }) => name))]).toEqual([]);
});

/** Private methods are not part of the published interface. */
function isMethod(symbol: ts.Symbol): boolean {
  const [declaration] = symbol.declarations ?? [];
  return (
    declaration !== undefined &&
    (ts.isMethodDeclaration(declaration) || ts.isMethodSignature(declaration)) &&
    !(ts.getCombinedModifierFlags(declaration) & ts.ModifierFlags.Private) &&
    !ts.isPrivateIdentifier(declaration.name)
  );
}

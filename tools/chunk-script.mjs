/**
 * An ES module that esbuild made, as a script: a function expression that src/io/bundle calls. V8
 * keeps what it compiled of scripts only. Lines and columns stay, and source maps with them.
 */
import { basename } from 'node:path';
import ts from 'typescript';

/** Parameters of the function; `Chunk` of src/io/bundle/chunks.ts is its type. */
const OWN = '__own';
const PARAMETERS = `__get,__load,__pack,${OWN},require,__dist,__fileURLToPath`;
const ASSIGNMENTS = [ts.SyntaxKind.FirstAssignment, ts.SyntaxKind.LastAssignment];

export function chunkScript(text, mayWait) {
  const module = ts.createSourceFile('chunk.js', text, ts.ScriptTarget.Latest, false);
  const imports = [];
  const exports = [];
  const edits = [];
  for (const statement of module.statements) {
    const from = statement.getStart(module);
    if (ts.isImportDeclaration(statement)) imports.push(variables(statement));
    else if (ts.isExportDeclaration(statement)) exports.push(...statement.exportClause.elements);
    else if (ts.isExportAssignment(statement))
      edits.push({ from, to: statement.expression.pos, by: `${OWN}.default=` });
    if (ts.isImportDeclaration(statement) || ts.isExportDeclaration(statement))
      edits.push({ from, to: statement.end, by: '' });
  }
  visit(module, (node) => {
    if (!ts.isCallExpression(node) || node.expression.kind !== ts.SyntaxKind.ImportKeyword) return;
    const from = node.getStart(module);
    const path = ts.isStringLiteral(node.arguments[0]) ? node.arguments[0].text : '';
    if (path.startsWith('.')) edits.push({ from, to: node.end, by: `__load("${basename(path)}")` });
    // In a script, `import` prints a warning on Node 20.
    else edits.push({ from, to: node.expression.end, by: '__pack' });
  });
  refuseLateValues(module, new Set(exports.map((each) => (each.propertyName ?? each.name).text)));
  const [banner, ...lines] = edited(text, edits).split('\n');
  if (!/^(\/\/|#!)/.test(banner)) throw new Error(`the first line has code: ${banner}`);
  const map = lines.findIndex((line) => line.startsWith('//# sourceMappingURL='));
  const comments = map < 0 ? [] : lines.splice(map);
  const head = `(${mayWait ? 'async ' : ''}function(${PARAMETERS}){"use strict";${imports.join('')}`;
  const values = exports.map(({ propertyName, name }) => pair(name, propertyName));
  const end = `;Object.assign(${OWN},{${values.join()}})})`;
  return [head, ...lines, end, ...comments].join('\n');
}

/** An import as variables: chunks import each other in no circle, so all values are there. */
function variables({ importClause, moduleSpecifier: { text: path } }) {
  const source = path.startsWith('.') ? `__get("${basename(path)}")` : `require("${path}")`;
  if (!importClause) return `${source};`;
  const { name, namedBindings } = importClause;
  const names = [name, namedBindings && localNames(namedBindings)].filter(Boolean);
  return `var ${names.map((each) => `${each.text ?? each}=${source}`).join()};`;
}

function localNames(bindings) {
  if (ts.isNamespaceImport(bindings)) return bindings.name;
  return `{${bindings.elements.map(({ propertyName, name }) => pair(propertyName, name)).join()}}`;
}

function pair(key, value) {
  return key && value ? `${key.text}:${value.text}` : (key ?? value).text;
}

/** Replaces by as many characters and lines, so that the rest keeps its place. */
function edited(text, edits) {
  let result = '';
  let end = 0;
  for (const { from, to, by } of edits.sort((a, b) => a.from - b.from)) {
    const blank = text.slice(from + by.length, to).replace(/[^\n]/g, ' ');
    result += text.slice(end, from) + by + blank;
    end = to;
  }
  return result + text.slice(end);
}

/** Importers would not see a value that an exported variable gets in a later call. */
function refuseLateValues(module, exported) {
  visit(module, (node, isInFunction) => {
    const target = isInFunction ? assigned(node) : undefined;
    if (target && ts.isIdentifier(target) && exported.has(target.text))
      throw new Error(`the exported ${target.text} changes later: ${node.getText(module)}`);
  });
}

function assigned(node) {
  const [first, last] = ASSIGNMENTS;
  if (ts.isBinaryExpression(node)) {
    const { kind } = node.operatorToken;
    return kind >= first && kind <= last ? node.left : undefined;
  }
  const isStep =
    (ts.isPrefixUnaryExpression(node) || ts.isPostfixUnaryExpression(node)) &&
    [ts.SyntaxKind.PlusPlusToken, ts.SyntaxKind.MinusMinusToken].includes(node.operator);
  return isStep ? node.operand : undefined;
}

function visit(node, see, isInFunction = false) {
  see(node, isInFunction);
  const isInside = isInFunction || ts.isFunctionLike(node);
  ts.forEachChild(node, (child) => visit(child, see, isInside));
}

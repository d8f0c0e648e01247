/** Errors by their codes, with the texts that the source gives them. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';
import { RPC } from '../../src/io/rpc/method.ts';

/** Faults of Quorate itself: their texts say nothing to a user. */
const OURS = new Set(['INVARIANT_BROKEN']);
const OWN_FILE = /(?<!\.test)\.tsx?$/;

const RPC_MEANINGS: Readonly<Record<keyof typeof RPC, string>> = {
  parse: 'the request is not JSON',
  invalidRequest: 'the request is not a JSON-RPC call',
  methodNotFound: 'the method does not exist, or its namespace is not enabled here',
  invalidParams: 'a parameter is missing or malformed',
  internal: 'a fault of the node: its log says more',
  server: 'the call was understood and refused; the text says why',
  reverted: 'the contract reverted; `data` has its answer',
};

/** `root`: of the project. */
export function errorsPage(root: string): string {
  const codes = new Map<string, Set<string>>();
  const folder = join(root, 'src');
  for (const file of readdirSync(folder, { recursive: true, encoding: 'utf8' }).sort()) {
    if (OWN_FILE.test(file)) collect(join(folder, file), codes);
  }
  const rows = [...codes]
    .filter(([code]) => !OURS.has(code))
    .sort(([a], [b]) => a.localeCompare(b));
  return [
    '# Errors',
    '',
    'What an error says is written so that it names what is wrong and how to mend it. Here are the texts by the codes that logs give',
    'them; … stands for what differs from case to case. Texts that clients of GoQuorum, Tessera and EthSigner compare are theirs,',
    'letter for letter.',
    '',
    'A command ends with status 0; 1 when it failed; 2 when it was called wrongly.',
    '',
    '## JSON-RPC codes',
    '',
    '| code | meaning |',
    '|---|---|',
    ...Object.entries(RPC).map(
      ([name, code]) => `| \`${code}\` | ${RPC_MEANINGS[name as keyof typeof RPC]} |`,
    ),
    '',
    ...rows.flatMap(([code, texts]) => [
      `## ${code}`,
      '',
      ...[...texts].sort().map((text) => `- ${text}`),
      '',
    ]),
  ].join('\n');
}

function collect(file: string, codes: Map<string, Set<string>>): void {
  const source = ts.createSourceFile(file, readFileSync(file, 'utf8'), ts.ScriptTarget.Latest);
  const visit = (node: ts.Node): void => {
    if (
      ts.isCallExpression(node) &&
      ts.isIdentifier(node.expression) &&
      node.expression.text === 'fail'
    ) {
      const [code, text] = node.arguments;
      const said = text && textOf(text);
      if (code && ts.isStringLiteralLike(code) && said !== undefined) {
        const texts = codes.get(code.text) ?? new Set();
        codes.set(code.text, texts.add(`\`\`${said.replaceAll('`', "'").trim()}\`\``));
      }
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
}

/** Undefined: the text is made elsewhere. */
function textOf(node: ts.Expression): string | undefined {
  if (ts.isStringLiteralLike(node)) return node.text;
  if (ts.isTemplateExpression(node)) {
    return node.head.text + node.templateSpans.map(({ literal }) => `…${literal.text}`).join('');
  }
  if (ts.isBinaryExpression(node)) {
    const sides = [textOf(node.left), textOf(node.right)];
    return sides.every((side) => side === undefined)
      ? undefined
      : sides.map((side) => side ?? '…').join('');
  }
  return undefined;
}

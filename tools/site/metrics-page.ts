/**
 * The metrics of every service: their names and types, from the places in the source that set them.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';

const OWN_FILE = /(?<!\.test)\.ts$/;

/** Folders whose code sets the metrics of a service, with the page about what they mean. */
const SERVICES = [
  ['Node', ['services/ledger', 'io/telemetry', 'io/p2p', 'io/rpc'], 'metrics.md'],
  ['Private transaction manager', ['services/ptm'], 'manager.md#metrics'],
  ['Signing proxy', ['services/signer', 'core/submission'], 'signer-operation.md#metrics'],
  ['Staking', ['services/staking'], 'staking.md#in-production'],
  ['On- and off-ramp', ['services/ramp'], 'ramp.md#operation'],
] as const;

/** What each method of a registry makes. */
const TYPES: Readonly<Record<string, string>> = {
  count: 'counter',
  gauge: 'gauge',
  probe: 'gauge',
  family: 'gauge for each value of a label',
  observe: 'durations or sizes: histogram or summary',
};

/** `root`: of the project. */
export function metricsPage(root: string): string {
  return [
    '# Names of metrics',
    '',
    'From the source: each name that a service sets, … standing for a part that varies. Labels are in braces. What they mean, and',
    'which of them to watch, is on the page of each service and in [monitoring](monitoring.md). Names with `/` in the source have `_` here, as',
    'Prometheus sees them.',
    '',
    ...SERVICES.flatMap(([title, folders, page]) => {
      const found = new Map<string, string>();
      for (const folder of folders) collectFolder(join(root, 'src', folder), found);
      const rows = [...found].sort(([a], [b]) => (a < b ? -1 : 1));
      return [
        `## ${title}`,
        '',
        `[What they mean](${page}).`,
        '',
        '| name | type |',
        '|---|---|',
        ...rows.map(([name, type]) => `| \`${name}\` | ${type} |`),
        '',
      ];
    }),
  ].join('\n');
}

function collectFolder(folder: string, found: Map<string, string>): void {
  for (const file of readdirSync(folder, { recursive: true, encoding: 'utf8' })) {
    if (OWN_FILE.test(file)) collect(join(folder, file), found);
  }
}

function collect(file: string, found: Map<string, string>): void {
  const source = ts.createSourceFile(file, readFileSync(file, 'utf8'), ts.ScriptTarget.Latest);
  const constants = new Map<string, string>();
  const visit = (node: ts.Node): void => {
    if (ts.isVariableDeclaration(node) && ts.isIdentifier(node.name) && node.initializer) {
      const text = textOf(node.initializer, constants);
      if (text !== undefined) constants.set(node.name.text, text);
    }
    if (ts.isCallExpression(node) && ts.isPropertyAccessExpression(node.expression)) {
      const { name, expression } = node.expression;
      const type = TYPES[name.text];
      const [first, kind] = node.arguments;
      const text = type && first && isRegistry(expression) ? textOf(first, constants) : undefined;
      if (text !== undefined && /[a-z]/.test(text))
        found.set(text.replaceAll('/', '_'), kind && ts.isStringLiteral(kind) ? kind.text : type!);
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
}

/** Registries are called `metrics`, `counters`, `own`, `system`, `now`. */
function isRegistry(node: ts.Expression): boolean {
  const last = ts.isPropertyAccessExpression(node) ? node.name : node;
  return ts.isIdentifier(last) && /^(metrics|counters|own|system|now)$/.test(last.text);
}

/** Undefined: the name is made elsewhere. */
function textOf(node: ts.Expression, constants: ReadonlyMap<string, string>): string | undefined {
  if (ts.isStringLiteralLike(node)) return node.text;
  if (ts.isIdentifier(node)) return constants.get(node.text);
  if (!ts.isTemplateExpression(node)) return undefined;
  const spans = node.templateSpans.map(({ expression, literal }) => {
    const known = textOf(expression, constants) ?? '…';
    return `${known}${literal.text}`;
  });
  return node.head.text + spans.join('');
}

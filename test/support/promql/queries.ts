/** What an expression of PromQL asks for, by Prometheus' own grammar, and what a scrape has. */
import { parser } from '@prometheus-io/lezer-promql';

export interface Matcher {
  readonly label: string;
  readonly operator: string;
  readonly value: string;
}

export interface Selector {
  /** Undefined: by matchers alone. */
  readonly name: string | undefined;
  readonly matchers: readonly Matcher[];
}

export interface Expression {
  readonly selectors: readonly Selector[];
  /** Of `by`, `on` and their like. */
  readonly groupings: readonly string[];
}

export interface Series {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
}

/** Throws on text that is not PromQL. */
export function expressionOf(text: string): Expression {
  const selectors: { name: string | undefined; matchers: Matcher[] }[] = [];
  const groupings: string[] = [];
  let label = '';
  let operator = '';
  parser.parse(text).iterate({
    enter({ name, from, to, node, type }) {
      const part = text.slice(from, to);
      if (type.isError) throw new Error(`not PromQL at ${from}: ${text}`);
      if (name === 'VectorSelector') selectors.push({ name: undefined, matchers: [] });
      if (name === 'Identifier' && node.parent?.name === 'VectorSelector')
        selectors.at(-1)!.name = part;
      if (name === 'LabelName' && node.parent?.name === 'GroupingLabels') groupings.push(part);
      if (name === 'LabelName') label = part;
      if (name === 'MatchOp') operator = part;
      if (name === 'StringLiteral' && node.parent?.name.endsWith('LabelMatcher'))
        selectors.at(-1)!.matchers.push({ label, operator, value: JSON.parse(part) as string });
    },
  });
  return { selectors, groupings };
}

/** Series of Prometheus text, without their values. */
export function seriesOf(exposition: string): Series[] {
  return exposition
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map((line) => {
      const [, name, braces = ''] = /^([a-zA-Z_:][\w:]*)\s*(\{.*\})?/.exec(line)!;
      const pairs = [...braces.matchAll(/(\w+)="((?:[^"\\]|\\.)*)"/g)];
      return {
        name: name!,
        labels: Object.fromEntries(pairs.map(([, key, value]) => [key!, value!])),
      };
    });
}

/** Whether a selector finds the series; `isFree`: labels whose values are not compared. */
export function isFound(
  { name, matchers }: Selector,
  series: Series,
  isFree: (matcher: Matcher) => boolean,
): boolean {
  if (name !== undefined && series.name !== name) return false;
  return matchers.every((matcher) => {
    const { label, operator, value } = matcher;
    const held = label === '__name__' ? series.name : series.labels[label];
    if (isFree(matcher)) return true;
    if (held === undefined) return false;
    const isSame = operator.endsWith('~')
      ? new RegExp(`^(?:${value})$`).test(held)
      : held === value;
    return operator.startsWith('!') ? !isSame : isSame;
  });
}

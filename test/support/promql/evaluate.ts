/**
 * The value of a PromQL expression at one time: the part of the language that alerts use. What it
 * does not know it refuses.
 */
import { parser } from '@prometheus-io/lezer-promql';
import { RANGE_FUNCTIONS } from './functions.ts';
import { expressionOf, isFound, type Series } from './queries.ts';
import { type SampledSeries, secondsOf } from './samples.ts';

type SyntaxNode = ReturnType<typeof parser.parse>['topNode'];
type Labels = Series['labels'];

/** The name of the metric does not matter to an alert. */
export interface Element {
  readonly labels: Labels;
  readonly value: number;
}

/** Seconds for which the last sample of a series counts. */
const LOOKBACK = 300;

const ARITHMETIC: Readonly<Record<string, (a: number, b: number) => number>> = {
  '+': (a, b) => a + b,
  '-': (a, b) => a - b,
  '*': (a, b) => a * b,
  '/': (a, b) => a / b,
};
const COMPARISONS: Readonly<Record<string, (a: number, b: number) => boolean>> = {
  '==': (a, b) => a === b,
  '!=': (a, b) => a !== b,
  '>': (a, b) => a > b,
  '<': (a, b) => a < b,
  '>=': (a, b) => a >= b,
  '<=': (a, b) => a <= b,
};
const AGGREGATES: Readonly<Record<string, (values: readonly number[]) => number>> = {
  min: (values) => Math.min(...values),
  max: (values) => Math.max(...values),
  sum: (values) => values.reduce((a, b) => a + b, 0),
};

type Value = number | readonly Element[];

/** Throws on an expression that has no vector as its value. */
export function evaluate(
  expression: string,
  series: readonly SampledSeries[],
  at: number,
): readonly Element[] {
  const value = new Evaluation(expression, series, at).of(
    parser.parse(expression).topNode.firstChild!,
  );
  if (typeof value === 'number') throw new Error(`no vector: ${expression}`);
  return value;
}

class Evaluation {
  private readonly text: string;
  private readonly series: readonly SampledSeries[];
  private readonly at: number;

  constructor(text: string, series: readonly SampledSeries[], at: number) {
    this.text = text;
    this.series = series;
    this.at = at;
  }

  of(node: SyntaxNode): Value {
    if (node.name === 'NumberDurationLiteral') return Number(this.textOf(node));
    if (node.name === 'ParenExpr') return this.of(node.firstChild!);
    if (node.name === 'VectorSelector') return this.latest(node);
    if (node.name === 'FunctionCall') return this.called(node);
    if (node.name === 'AggregateExpr') return this.aggregated(node);
    if (node.name === 'BinaryExpr') return this.combined(node);
    throw this.unknown(node);
  }

  private latest(node: SyntaxNode): Element[] {
    return this.selected(node).flatMap(({ labels, samples }) => {
      const last = samples.findLast(({ at }) => at <= this.at && at > this.at - LOOKBACK);
      return last ? [{ labels, value: last.value }] : [];
    });
  }

  private selected(node: SyntaxNode): SampledSeries[] {
    const [selector] = expressionOf(this.textOf(node)).selectors;
    return this.series.filter((each) => isFound(selector!, each, () => false));
  }

  private called(node: SyntaxNode): Element[] {
    const name = this.textOf(node.getChild('FunctionIdentifier')!);
    const compute = RANGE_FUNCTIONS[name];
    const body = node.getChild('FunctionCallBody')!;
    const matrix = body.getChild('MatrixSelector');
    if (!compute || !matrix) throw this.unknown(node);
    const seconds = secondsOf(this.textOf(matrix.lastChild!));
    const second = matrix.nextSibling && this.of(matrix.nextSibling);
    if (second !== null && typeof second !== 'number') throw this.unknown(node);
    const from = this.at - seconds;
    return this.selected(matrix.getChild('VectorSelector')!).flatMap(({ labels, samples }) => {
      const inside = samples.filter(({ at }) => at > from && at <= this.at);
      if (inside.length === 0) return [];
      const value = compute({ samples: inside, from, to: this.at }, second ?? 0);
      return value === undefined ? [] : [{ labels, value }];
    });
  }

  private aggregated(node: SyntaxNode): Element[] {
    const compute = AGGREGATES[this.textOf(node.getChild('AggregateOp')!)];
    const modifier = node.getChild('AggregateModifier');
    if (!compute || modifier?.getChild('Without')) throw this.unknown(node);
    const kept = modifier ? this.grouping(modifier) : [];
    const elements = this.vector(node.getChild('FunctionCallBody')!.firstChild!);
    const groups = new Map<string, { labels: Labels; values: number[] }>();
    for (const { labels, value } of elements) {
      const key = keyOf(labels, kept);
      const group = groups.get(key) ?? { labels: only(labels, kept), values: [] };
      groups.set(key, group);
      group.values.push(value);
    }
    return [...groups.values()].map(({ labels, values }) => ({ labels, value: compute(values) }));
  }

  private combined(node: SyntaxNode): Value {
    const [left, right] = [node.firstChild!, node.lastChild!];
    const operator = this.textOf(left.nextSibling!).toLowerCase();
    const matching = node.getChild('MatchingModifierClause');
    if (operator === 'and' || operator === 'or')
      return this.joined(operator, this.vector(left), this.vector(right), matching);
    const [a, b] = [this.of(left), this.of(right)];
    const compute = ARITHMETIC[operator];
    const compare = COMPARISONS[operator];
    if (typeof b === 'number') {
      if (typeof a === 'number' && compute) return compute(a, b);
      if (typeof a === 'number') throw this.unknown(node);
      if (compare) return a.filter(({ value }) => compare(value, b));
      return a.map(({ labels, value }) => ({ labels, value: compute!(value, b) }));
    }
    if (typeof a === 'number' || !compute) throw this.unknown(node);
    return this.matched(a, b, compute, matching);
  }

  /** Arithmetic of two vectors: one to one, or of one with many on the right. */
  private matched(
    a: readonly Element[],
    b: readonly Element[],
    compute: (a: number, b: number) => number,
    matching: SyntaxNode | null,
  ): Element[] {
    const kept = matching?.getChild('On') ? this.grouping(matching) : undefined;
    const isMany = matching?.getChild('GroupRight') != null;
    if (matching && (!kept || matching.getChild('GroupLeft'))) throw this.unknown(matching);
    const ones = new Map<string, Element>();
    for (const one of a) {
      const key = keyOf(one.labels, kept);
      if (ones.has(key)) throw new Error(`many on the left: ${this.text}`);
      ones.set(key, one);
    }
    const taken = new Set<string>();
    return b.flatMap(({ labels, value }) => {
      const key = keyOf(labels, kept);
      const one = ones.get(key);
      if (!one) return [];
      if (!isMany && taken.has(key)) throw new Error(`many on the right: ${this.text}`);
      taken.add(key);
      const shown = kept && !isMany ? only(labels, kept) : labels;
      return [{ labels: shown, value: compute(one.value, value) }];
    });
  }

  private joined(
    operator: 'and' | 'or',
    a: readonly Element[],
    b: readonly Element[],
    matching: SyntaxNode | null,
  ): Element[] {
    const kept = matching ? this.grouping(matching) : undefined;
    if (matching && !matching.getChild('On')) throw this.unknown(matching);
    const keys = (of: readonly Element[]) => new Set(of.map(({ labels }) => keyOf(labels, kept)));
    if (operator === 'and') {
      const known = keys(b);
      return a.filter(({ labels }) => known.has(keyOf(labels, kept)));
    }
    const known = keys(a);
    return [...a, ...b.filter(({ labels }) => !known.has(keyOf(labels, kept)))];
  }

  private vector(node: SyntaxNode): readonly Element[] {
    const value = this.of(node);
    if (typeof value === 'number') throw this.unknown(node);
    return value;
  }

  /** Labels of `by` or `on`. */
  private grouping(node: SyntaxNode): string[] {
    return node
      .getChild('GroupingLabels')!
      .getChildren('LabelName')
      .map((each) => this.textOf(each));
  }

  private textOf({ from, to }: SyntaxNode): string {
    return this.text.slice(from, to);
  }

  private unknown(node: SyntaxNode): Error {
    return new Error(`not known here: ${node.name} ${this.textOf(node)}`);
  }
}

function only(labels: Labels, kept: readonly string[]): Labels {
  return Object.fromEntries(Object.entries(labels).filter(([name]) => kept.includes(name)));
}

/** `kept` undefined: all labels. */
function keyOf(labels: Labels, kept: readonly string[] | undefined): string {
  const compared = kept ? only(labels, kept) : labels;
  return JSON.stringify(Object.entries(compared).sort(([a], [b]) => (a < b ? -1 : 1)));
}

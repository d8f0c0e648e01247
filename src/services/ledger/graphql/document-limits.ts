/** Limits of a query, checked by its text before it is executed. */
import { type DocumentNode, type FieldNode, Kind, type SelectionSetNode } from 'graphql';
import { fail } from '../../../core/base/errors.ts';

/** Maximum number of tokens that parse() accepts: names, values and punctuation. */
export const TOKENS_MAX = 10_000;
/** Maximum depth of nested fields, as in later versions of geth. */
const DEPTH_MAX = 20;
/** The introspection query that tools send costs 15,000. */
const INTROSPECTION_COST_MAX = 200_000;
/** Assumed number of entries in each of these lists, per type. */
const INTROSPECTION_LIST = 10;
const INTROSPECTION_LISTS = new Set([
  ...['types', 'fields', 'args', 'inputFields', 'enumValues'],
  ...['possibleTypes', 'interfaces', 'directives'],
]);
/** Maximum number of transactions that one mutation may send. */
const MUTATIONS_MAX = 50;

interface Measure {
  readonly depth: number;
  /** Maximum number of fields at the top level. */
  readonly width: number;
  readonly cost: number;
}

const NOTHING: Measure = { depth: 0, width: 0, cost: 0 };

/** Throws GRAPHQL_TOO_LARGE. The document must be valid. */
export function checkDocument(document: DocumentNode): void {
  const measure = measurer(document);
  for (const definition of document.definitions) {
    if (definition.kind !== Kind.OPERATION_DEFINITION) continue;
    const { depth, width, cost } = measure(definition.selectionSet);
    if (depth > DEPTH_MAX)
      throw refusal(`fields stand ${depth} deep within each other: at most ${DEPTH_MAX}`);
    if (cost > INTROSPECTION_COST_MAX) throw refusal('it asks for too much of the schema');
    if (definition.operation === 'mutation' && width > MUTATIONS_MAX)
      throw refusal(`a mutation sends at most ${MUTATIONS_MAX} transactions`);
  }
}

/** Each fragment is measured once, however often it is used. */
function measurer(document: DocumentNode): (set: SelectionSetNode | undefined) => Measure {
  const known = new Map<string, Measure>();
  const fragments = new Map(
    document.definitions.flatMap((each) =>
      each.kind === Kind.FRAGMENT_DEFINITION ? [[each.name.value, each.selectionSet]] : [],
    ),
  );
  const ofField = ({ name, selectionSet }: FieldNode): Measure => {
    const inner = ofSet(selectionSet);
    const isList = INTROSPECTION_LISTS.has(name.value);
    const cost = 1 + inner.cost * (isList ? INTROSPECTION_LIST : 1);
    return { depth: inner.depth + 1, width: 1, cost };
  };
  const ofFragment = (name: string): Measure => {
    const measured = known.get(name) ?? ofSet(fragments.get(name));
    known.set(name, measured);
    return measured;
  };
  const ofSet = (set: SelectionSetNode | undefined): Measure => {
    if (!set) return NOTHING;
    const parts = set.selections.map((selection) => {
      if (selection.kind === Kind.FIELD) return ofField(selection);
      if (selection.kind === Kind.INLINE_FRAGMENT) return ofSet(selection.selectionSet);
      return ofFragment(selection.name.value);
    });
    return {
      depth: Math.max(0, ...parts.map(({ depth }) => depth)),
      width: parts.reduce((sum, { width }) => sum + width, 0),
      cost: parts.reduce((sum, { cost }) => sum + cost, 0),
    };
  };
  return ofSet;
}

function refusal(what: string) {
  return fail('GRAPHQL_TOO_LARGE', `the query is too large: ${what}`);
}

/** A JSON schema in a few words, for tables. */
import type { JsonSchema } from '../../src/io/rpc/method.ts';

const PATTERNS: readonly (readonly [RegExp, string])[] = [
  [/\{40\}/, 'address'],
  [/\{64\}/, 'hash'],
  [/\(0\|\[1-9a-f\]/, 'quantity'],
  [/\{2\}\)\*/, 'data'],
  [/./, 'hex text'],
];

const MEMBERS_SHOWN = 16;

export function schemaWords(schema: JsonSchema): string {
  const { title, type, $ref, pattern, items, properties, oneOf, anyOf, allOf } = schema;
  const members = (oneOf ?? anyOf ?? allOf) as readonly JsonSchema[] | undefined;
  if (typeof $ref === 'string') return $ref.slice($ref.lastIndexOf('/') + 1);
  if (typeof title === 'string') return title;
  if (members) return [...new Set(members.map(schemaWords))].join(' or ');
  if (Array.isArray(schema.enum)) return schema.enum.map((value) => `\`${value}\``).join(', ');
  if ('const' in schema) return `\`${schema.const}\``;
  if (type === 'array') return items ? `list of ${schemaWords(items as JsonSchema)}` : 'list';
  if (typeof pattern === 'string') return PATTERNS.find(([like]) => like.test(pattern))![1];
  if (properties) return `object (${namesOf(properties)})`;
  if (Array.isArray(type)) return type.join(' or ');
  return typeof type === 'string' ? type : 'any value';
}

function namesOf(properties: unknown): string {
  const names = Object.keys(properties as object).map((name) => `\`${name}\``);
  if (names.length <= MEMBERS_SHOWN) return names.join(', ');
  return `${names.slice(0, MEMBERS_SHOWN).join(', ')}, …`;
}

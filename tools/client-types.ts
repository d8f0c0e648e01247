/**
 * Generates the types of the typed clients from the schemas of the services' OpenAPI documents, so
 * that no field is copied by hand.
 */
import { STAKE_SCHEMAS } from '../src/services/staking/stakes/schemas.ts';

interface Schema {
  readonly type?: string | readonly string[];
  readonly enum?: readonly string[];
  readonly required?: readonly string[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
  readonly description?: string;
}

/** Longer enumerations may grow, so clients accept any string. */
const FIXED_MAX = 4;
const STAKING = {
  StakeRequest: 'What a client asks for: new validators.',
  StakeAnswer: 'The validators, with their signed deposits.',
  Stake: 'A validator and what has become of its deposit.',
  Reward: 'What the operator has recorded for a validator.',
} as const;

export function stakingClientTypes(): string {
  const schemas: Readonly<Record<string, object>> = STAKE_SCHEMAS;
  return [
    '/** Made from the schemas of the staking API by `npm run docs`; a test compares the two. */',
    ...Object.entries(STAKING).map(
      ([name, about]) =>
        `\n/** ${about} */\nexport interface ${name} ${members(schemas[name] as Schema, '')}`,
    ),
    '',
  ].join('\n');
}

function members({ properties = {}, required = [] }: Schema, indent: string): string {
  const lines = Object.entries(properties).flatMap(([name, schema]) => {
    const about = schema.description ? [`${indent}  /** ${schema.description} */`] : [];
    const mark = required.includes(name) ? '' : '?';
    return [...about, `${indent}  readonly ${name}${mark}: ${typeOf(schema, `${indent}  `)};`];
  });
  return `{\n${lines.join('\n')}\n${indent}}`;
}

function typeOf(schema: Schema, indent: string): string {
  const { type, enum: values, items } = schema;
  if (values && values.length <= FIXED_MAX) return values.map((value) => `'${value}'`).join(' | ');
  if (Array.isArray(type)) return type.map((each) => typeOf({ type: each }, indent)).join(' | ');
  if (type === 'array') return `readonly ${inList(typeOf(items!, indent))}[]`;
  if (type === 'object') {
    return schema.properties ? members(schema, indent) : 'Readonly<Record<string, unknown>>';
  }
  return type === 'integer' ? 'number' : String(type);
}

function inList(type: string): string {
  return type.includes(' | ') && !type.startsWith('{') ? `(${type})` : type;
}

/** What both halves of the OpenAPI document are made of. */

export const JSON_TYPE = 'application/json';
export const TEXT = { type: 'string' };
/** Marks our own additions to the documented API. */
export const OURS = { 'x-quorate': true };

export function inline(schema: object): object {
  return { [JSON_TYPE]: { schema } };
}

export function reference(schema: string): object {
  return { $ref: `#/components/schemas/${schema}` };
}

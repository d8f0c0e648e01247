/** States and terms of orders as JSON: integers of any size are `{"$":"123"}`. */

export function toJson(value: unknown): string {
  return JSON.stringify(value, (_key, each: unknown) =>
    typeof each === 'bigint' ? { $: each.toString() } : each,
  );
}

export function fromJson<T>(text: string): T {
  return JSON.parse(text, (_key, each: unknown) =>
    typeof each === 'object' && each !== null && '$' in each ? BigInt(String(each.$)) : each,
  ) as T;
}

/**
 * How functions of the console's own are shown: by their parameters, as geth shows those of web3.
 */
const SIGNATURES = new WeakMap<object, string>();

export function signatureOf(value: object): string | undefined {
  return SIGNATURES.get(value);
}

/** `parameters`: as in a declaration, nothing for what takes any. */
export function shown<Value extends object>(value: Value, parameters = ''): Value {
  SIGNATURES.set(value, `function(${parameters})`);
  return value;
}

/**
 * contract Store { uint256 public value; event Stored(address indexed by, uint256 value);
 * function set(uint256 v) external { value = v; emit Stored(msg.sender, v); } }
 */
export const STORE_CODE =
  '0x6080604052348015600f57600080fd5b5060ed8061001e6000396000f3fe6080604052348015600f57600080fd5b506004361060325760003560e01c80633fa4f24514603757806360fe47b1146051575b600080fd5b603f60005481565b60405190815260200160405180910390f35b6060605c366004609f565b6062565b005b600081905560405181815233907febfcf7c0a1b09f6499e519a8d8bb85ce33cd539ec6cbd964e116cd74943ead1a9060200160405180910390a250565b60006020828403121560b057600080fd5b503591905056fea2646970667358221220d14cc6b39dd24d6dd97a126e99a020913e1fb599a34a951b0d23cd5a42087b1f64736f6c63430008250033';
export const STORE_ABI = [
  'event Stored(address indexed by, uint256 value)',
  'function set(uint256 v)',
  'function value() view returns (uint256)',
];
/** The same for libraries that accept only JSON. */
const UINT = { name: 'value', type: 'uint256' };
export const STORE_JSON_ABI = [
  { type: 'function', name: 'set', inputs: [UINT], outputs: [], stateMutability: 'nonpayable' },
  { type: 'function', name: 'value', inputs: [], outputs: [UINT], stateMutability: 'view' },
  {
    type: 'event',
    name: 'Stored',
    inputs: [{ name: 'by', type: 'address', indexed: true }, UINT],
  },
] as const;
export const STORED_TOPIC = '0xebfcf7c0a1b09f6499e519a8d8bb85ce33cd539ec6cbd964e116cd74943ead1a';

/** Call data of `set(value)`. */
export function setInput(value: number): string {
  return `0x60fe47b1${word(value).slice(2)}`;
}

/** Call data of `value()`. */
export const VALUE_INPUT = '0x3fa4f245';

export function word(value: number): string {
  return `0x${value.toString(16).padStart(64, '0')}`;
}

import { buildModule } from '@nomicfoundation/hardhat-ignition/modules';

/** A token, and a box that is changed and upgraded behind its proxy. */
export default buildModule('Plan', (m) => {
  const token = m.contract('Token');
  const first = m.contract('BoxV1');
  const call = m.encodeFunctionCall(first, 'initialize', [41n]);
  const proxy = m.contract('BoxProxy', [first, call]);
  const before = m.contractAt('BoxV1', proxy, { id: 'Before' });
  const changed = m.call(before, 'set', [42n]);
  const second = m.contract('BoxV2');
  const upgraded = m.call(before, 'upgradeToAndCall', [second, '0x'], { after: [changed] });
  const box = m.contractAt('BoxV2', proxy, { id: 'After', after: [upgraded] });
  return { token, box };
});

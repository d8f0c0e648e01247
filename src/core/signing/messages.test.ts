import { expect, it } from 'vitest';
import { readTypedData } from './messages.ts';

const ACCOUNT = `0x${'aa'.repeat(20)}`;
const CONTRACT = `0x${'Cc'.repeat(20)}`;
const typed = (members: object[], domain: object) => ({
  types: { EIP712Domain: members, Mail: [{ name: 'text', type: 'string' }] },
  primaryType: 'Mail',
  domain,
  message: { text: 'hello' },
});

it('name and contract of a domain count where its type lists them: nothing else is signed', () => {
  const domain = { name: 'Ether Mail', verifyingContract: CONTRACT };
  const name = { name: 'name', type: 'string' };
  const contract = { name: 'verifyingContract', type: 'address' };
  const read = (members: object[]) => readTypedData([ACCOUNT, typed(members, domain)]);
  const whole = read([name, contract]);
  expect(whole).toMatchObject({
    domainName: 'Ether Mail',
    verifyingContract: CONTRACT.toLowerCase(),
    primaryType: 'Mail',
  });
  expect(read([name]).verifyingContract).toBeUndefined();
  expect(read([contract]).domainName).toBeUndefined();
  expect(read([contract]).digest).not.toEqual(whole.digest);
});

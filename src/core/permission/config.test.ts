import { describe, expect, it } from 'vitest';
import { toHex } from '../base/hex.ts';
import { formatPermissionConfig, PERMISSION_CONFIG_FILE, parsePermissionConfig } from './config.ts';

const RECORDED = {
  permissionModel: 'v2',
  upgrdableAddress: '0x59591b0f5914652d757865d4ac11ad673822b522',
  interfaceAddress: '0x56b19ccff7a39399287a27002fd7448bc325c920',
  implAddress: '0x59297412194705f5a43e40c9d0291d9f5c004610',
  nodeMgrAddress: '0x2dc784a7342265c338e8cd44ac01328eb29d4269',
  accountMgrAddress: '0xf3a5990b636ccee286ce07882d8c019e21a9fbea',
  roleMgrAddress: '0x9a599f3538e75c30d638b6048b9f18d98928d602',
  voterMgrAddress: '0x1a56e96cf23187480973d465bb11b5d5aaa09bd0',
  orgMgrAddress: '0x84ac38c90a65c9601ab47be03140a796dbb991bf',
  nwAdminOrg: 'ADMINORG',
  nwAdminRole: 'ADMIN',
  orgAdminRole: 'ORGADMIN',
  accounts: [
    '0x3038658ca3968b98c322ddcc37938b370bbdf2ae',
    '0x2a131eef2f89bfe32cdd3d6d1ee88eb58e53b31c',
  ],
  subOrgBreadth: 3,
  subOrgDepth: 4,
};

const read = (changes: Record<string, unknown> = {}) =>
  parsePermissionConfig(JSON.stringify({ ...RECORDED, ...changes }));

describe(PERMISSION_CONFIG_FILE, () => {
  it('is read as GoQuorum wrote it', () => {
    const config = read();
    expect(config).toMatchObject({
      model: 'v2',
      networkAdminOrg: 'ADMINORG',
      networkAdminRole: 'ADMIN',
      orgAdminRole: 'ORGADMIN',
      subOrgBreadth: 3,
      subOrgDepth: 4,
    });
    expect(config.accounts.map(toHex)).toEqual(RECORDED.accounts);
    expect(toHex(config.addresses.upgradable!)).toBe(RECORDED.upgrdableAddress);
    expect(toHex(config.addresses.orgs)).toBe(RECORDED.orgMgrAddress);
  });

  it('is written with the same names and values', () => {
    expect(JSON.parse(formatPermissionConfig(read()))).toEqual(RECORDED);
  });

  it('takes both spellings of the upgradable address, keys in any case, and models in any case', () => {
    const address = RECORDED.upgrdableAddress;
    const right = read({ upgrdableAddress: undefined, upgradableAddress: address });
    expect(toHex(right.addresses.upgradable!)).toBe(address);
    const { orgMgrAddress, ...rest } = RECORDED;
    const text = JSON.stringify({ ...rest, ORGMGRADDRESS: orgMgrAddress, permissionModel: 'V1' });
    expect(parsePermissionConfig(text).model).toBe('v1');
  });

  it('needs no address that no node calls', () => {
    const { addresses } = read({
      upgrdableAddress: undefined,
      voterMgrAddress: undefined,
      implAddress: null,
    });
    expect([addresses.upgradable, addresses.voters, addresses.implementation]).toEqual([
      undefined,
      undefined,
      undefined,
    ]);
  });

  it.each([
    [
      { permissionModel: '' },
      /^permissions model type not passed in permission-config\.json\. Network cannot boot up/,
    ],
    [
      { permissionModel: 'ABCD' },
      /^invalid permissions model type passed in permission-config\.json\. Network cannot boot up/,
    ],
    [{ permissionModel: 2 }, /permissionModel is not a string/],
    [{ accounts: [] }, /^no accounts given in permission-config\.json\. Network cannot boot up$/],
    [{ accounts: 'all' }, /accounts is not an array/],
    [{ accounts: ['0x12'] }, /accounts\[0\] is not an address/],
    [
      { subOrgDepth: 0 },
      /^sub org breadth depth not passed in permission-config\.json\. Network cannot boot up: subOrgDepth/,
    ],
    [{ subOrgDepth: undefined }, /subOrgDepth is missing or 0$/],
    [{ subOrgBreadth: undefined }, /subOrgBreadth is missing or 0$/],
    [{ subOrgBreadth: -1 }, /subOrgBreadth is not a positive integer/],
    [
      { interfaceAddress: `0x${'0'.repeat(40)}` },
      /^missing contract addresses in permission-config\.json: interfaceAddress$/,
    ],
    [
      { orgMgrAddress: undefined },
      /^missing contract addresses in permission-config\.json: orgMgrAddress$/,
    ],
    [{ roleMgrAddress: '0xzz' }, /roleMgrAddress is not an address/],
    [{ nwAdminRole: '' }, /nwAdminRole is missing/],
  ])('%j is refused by name', (changes, text) => {
    expect(() => read(changes)).toThrow(text);
  });

  it.each([
    ['{"accounts": [}', /permission-config\.json: no valid JSON: line 1, column/],
    ['[]', /permission-config\.json is not a JSON object/],
  ])('%s is not a configuration', (text, why) => {
    expect(() => parsePermissionConfig(text)).toThrow(why);
  });
});

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { readTesseraConfig } from '../config.ts';
import { type SecretSource, unlockConfig } from './jasypt.ts';

const folder = mkdtempSync(join(tmpdir(), 'quorate-jasypt-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const URL = 'jdbc:postgresql://db:5432/ptm';
const noAnswer = () => Promise.reject(new Error('nobody is asked'));
const secretFile = (secret: string): SecretSource => {
  const file = join(folder, 'secret');
  writeFileSync(file, secret);
  return { env: { TESSERA_CONFIG_SECRET: file }, ask: noAnswer };
};

async function unlocked(password: string, source: SecretSource, url = URL): Promise<string> {
  const root = { jdbc: { url, password } };
  await unlockConfig(root, source);
  return root.jdbc.password;
}

describe('a password that Jasypt has locked', () => {
  // Published examples of Tessera's documentation.
  it.each([
    ['ENC(rJ70hNidkrpkTwHoVn2sGSp3h3uBWxjb)', 'dbpassword'],
    ['ENC(ujMeokIQ9UFHSuBYetfRjQTpZASgaua3)', 'chase123'],
  ])('%s is %s', async (locked, password) => {
    expect(await unlocked(locked, secretFile('quorum'))).toBe(password);
    expect(await unlocked(locked, secretFile('quorum\n'))).toBe(password);
    expect(await unlocked(locked, { env: {}, ask: async () => 'quorum' })).toBe(password);
  });

  it('stays closed without its secret, and says what to do', async () => {
    const locked = 'ENC(rJ70hNidkrpkTwHoVn2sGSp3h3uBWxjb)';
    const refused = /jdbc.password does not open with this secret.*TESSERA_CONFIG_SECRET/;
    await expect(unlocked(locked, secretFile('other'))).rejects.toThrow(refused);
    for (const broken of ['ENC()', 'ENC(AAAA)', 'ENC(rJ70hNidkrpkTwHoVn2sGSp3h3uBWx==)'])
      await expect(unlocked(broken, secretFile('quorum'))).rejects.toThrow(refused);
    const away = { env: { TESSERA_CONFIG_SECRET: join(folder, 'away') }, ask: noAnswer };
    await expect(unlocked(locked, away)).rejects.toThrow('Error while reading secret from file');
    await expect(unlocked(locked, { env: {}, ask: noAnswer })).rejects.toThrow('nobody is asked');
  });

  it('nobody is asked where nothing is locked, or the database is not read', async () => {
    const source = { env: {}, ask: noAnswer };
    expect(await unlocked('plain', source)).toBe('plain');
    expect(await unlocked('ENC(AAAA)', source, 'jdbc:h2:./h2')).toBe('ENC(AAAA)');
    for (const root of [null, {}, { jdbc: null }, { jdbc: { url: URL } }])
      await unlockConfig(root, source);
  });
});

it('a configuration of Tessera with one is read', async () => {
  const file = join(folder, 'config.json');
  const password = 'ENC(rJ70hNidkrpkTwHoVn2sGSp3h3uBWxjb)';
  const address = { app: 'Q2T', serverAddress: 'http://127.0.0.1:0' };
  const serverConfigs = [address, { ...address, app: 'P2P' }];
  const keyData = [{ publicKeyPath: 'one.pub', privateKeyPath: 'one.key' }];
  const config = { serverConfigs, peer: [], keys: { keyData }, jdbc: { url: URL, password } };
  writeFileSync(file, JSON.stringify(config));
  const read = await readTesseraConfig(file, [], secretFile('quorum'));
  expect(read.config.database?.password).toBe('dbpassword');
});

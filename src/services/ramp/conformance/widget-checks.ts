/**
 * The pages of a provider, as far as they can be judged without a customer; and the check of a
 * hashed address.
 */
import type { ProviderClient } from './provider-client.ts';
import type { Asked } from './quote-checks.ts';
import { type Report, unless } from './report.ts';

const EVIL = ['https://evil.example/', '//evil.example', 'javascript:alert(1)', 'data:text/html,x'];
const SCRIPT = '"><script>alert(1)</script>';
const PAGE = { headers: { accept: 'text/html' } };

export interface WidgetAsked {
  readonly side: 'buy' | 'sell';
  readonly asked: Asked;
  readonly wallet: string;
  readonly redirectUrl: string;
}

export async function checkWidget(
  { side, asked, wallet, redirectUrl }: WidgetAsked,
  client: ProviderClient,
  report: Report,
): Promise<void> {
  const path = `/${side}`;
  const query = { ...asked, walletAddress: wallet, redirectUrl };
  const { status, headers, members } = await client.ask(path, query, PAGE);
  const isShown = status === 200 && String(headers['content-type']).includes('text/html');
  const isSent = [302, 303, 307].includes(status) && headers.location !== undefined;
  const isJson = status === 200 && typeof members.url === 'string';
  const shown = unless(isShown || isSent || isJson, `status ${status}: neither page nor redirect`);
  report.note(`${side}.page`, 'a page, or a redirect to it', shown);
  const wrong: string[] = [];
  for (const url of EVIL) {
    const answer = await client.ask(path, { ...query, redirectUrl: url }, PAGE);
    if (answer.status < 400) wrong.push(`redirectUrl ${url}: status ${answer.status}`);
  }
  for (const key of ['walletAddress', 'redirectUrl', 'partnerAccountId']) {
    const { [key as 'walletAddress']: _, ...rest } = query;
    const answer = await client.ask(path, rest, PAGE);
    if (answer.status !== 400) wrong.push(`without ${key}: status ${answer.status}, not 400`);
  }
  if (side === 'buy') {
    const custom = await client.ask(path, { ...query, orderCustomId: 'too-short' }, PAGE);
    if (custom.status < 400) wrong.push(`orderCustomId "too-short": status ${custom.status}`);
  }
  report.note(`${side}.refusals`, 'an invalid request is refused', wrong);
  const echo = await client.ask(path, { ...query, region: SCRIPT }, PAGE);
  const isSafe = unless(
    !echo.text.includes(SCRIPT),
    'a parameter is written into the page without escaping',
  );
  report.note(`${side}.script`, 'parameters are escaped', isSafe);
}

export async function checkVerify(
  path: string,
  client: ProviderClient,
  report: Report,
): Promise<void> {
  const body = { ipAddress: '192.0.2.1', hash: '0'.repeat(64) };
  const nobody = await client.ask(path, {}, { body });
  const isShut = unless([401, 403].includes(nobody.status), `status ${nobody.status}`);
  report.note('verify.shut', 'needs a credential', isShut);
  if (!client.hasCredential) {
    report.skip('verify.answer', 'needs a credential: --token-file or --api-key-file');
    return;
  }
  const { status, json } = await client.ask(path, {}, { body, isSigned: true });
  const isFalse = status === 200 && json === false;
  const said = unless(isFalse, `status ${status}, ${JSON.stringify(json)} for a hash of nobody`);
  report.note('verify.answer', 'false for a hash of nobody', said);
  const bad = await client.ask(path, {}, { body: { ...body, ipAddress: '1.2.3' }, isSigned: true });
  const refused = unless(bad.status === 400, `status ${bad.status}, not 400`);
  report.note('verify.refusals', 'an invalid address gets 400', refused);
}

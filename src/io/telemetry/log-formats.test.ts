import { expect, it } from 'vitest';
import { LOG_FORMATS, type LogFormat } from './log-formats.ts';
import { createLogger } from './logger.ts';

function line(format: LogFormat): Record<string, any> {
  const lines: string[] = [];
  const clock = { nowMs: () => 1_700_000_000_123 };
  const { log } = createLogger({ write: (text) => lines.push(text), clock, format });
  log('debug', 'Not written');
  log('warn', 'A\nmessage', {
    accounts: 3,
    password: 'hidden',
    url: 'http://me:hidden@host',
    none: undefined,
  });
  expect(lines).toHaveLength(1);
  expect(lines[0]).toMatch(/^\{[^\n]*\}\n$/);
  expect(lines[0]).not.toContain('hidden');
  return JSON.parse(lines[0]!);
}

const fields = { accounts: '3', password: '***', url: 'http://***@host' };
const time = '2023-11-14T22:13:20.123Z';

it('the names that each log service expects', () => {
  expect(line('ECS')).toMatchObject({
    '@timestamp': time,
    'log.level': 'WARN',
    message: 'A message',
    'ecs.version': '1.2.0',
    labels: fields,
  });
  expect(line('GCP')).toMatchObject({ timestamp: time, severity: 'WARNING', message: 'A message' });
  expect(line('GELF')).toMatchObject({
    version: '1.1',
    short_message: 'A message',
    timestamp: 1_700_000_000.123,
    level: 4,
    _accounts: '3',
    _password: '***',
  });
  expect(line('LOGSTASH')).toMatchObject({
    ...{ ...fields, '@timestamp': time, '@version': 1, message: 'A message' },
    level: 'WARN',
  });
  expect(line('GETH')).toEqual({
    ...{ accounts: 3, password: '***', url: 'http://***@host' },
    ...{ lvl: 'warn', msg: 'A message', t: time },
  });
  expect(LOG_FORMATS).toHaveLength(5);
});

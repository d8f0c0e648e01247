/** What the commands of a private transaction manager share: which configuration, what stands over it. */
import { fail } from '../core/base/errors.ts';
import type { Log } from '../core/base/ports.ts';
import { askSecret } from '../io/host/ask.ts';
import type { OptionRow, ParsedOptions } from '../io/options/options.ts';
import type { SecretSource } from '../services/ptm/jasypt.ts';
import { type PtmConfig, withStore } from '../services/ptm/options.ts';
import { readTesseraConfig } from '../services/ptm/start.ts';

const GROUP = 'Manager';

/** For what is locked in a configuration: as Tessera takes it. */
export const CONFIG_SECRETS: SecretSource = { env: process.env, ask: askSecret };

export const PTM_CONFIG_ROWS: readonly OptionRow[] = [
  {
    flag: 'configfile',
    type: 'string',
    unit: 'file',
    about: 'Configuration file, as Tessera reads it',
    group: GROUP,
  },
  {
    flag: 'override',
    type: 'list',
    whole: true,
    default: [],
    aliases: ['o'],
    about: 'Over the file: key=value, such as jdbc.username=sa or peer[0].url=http://…; repeatable',
    group: GROUP,
  },
  {
    flag: 'store',
    type: 'string',
    env: 'QUORATE_PTM_STORE',
    about: 'PostgreSQL instead of the embedded store: postgres://user@host:port/database',
    group: GROUP,
  },
];

export const VERBOSITY_ROW: OptionRow = {
  flag: 'verbosity',
  type: 'integer',
  default: 3,
  about: '0 silent, 1 error, 2 warn, 3 info, 4 debug, 5 trace',
  group: GROUP,
};

/** Warnings are said. Throws OPTION_VALUE_MISSING without --configfile, PTM_CONFIG_INVALID. */
export async function readPtmConfig(
  options: ParsedOptions,
  command: string,
  say: Log,
): Promise<PtmConfig> {
  const file = options.string('configfile');
  if (file === undefined) {
    throw fail(
      'OPTION_VALUE_MISSING',
      `name the configuration: quorate ${command} --configfile config.json`,
    );
  }
  const { config, warnings } = await readTesseraConfig(
    file,
    options.list('override'),
    CONFIG_SECRETS,
  );
  for (const warning of warnings) say('warn', warning);
  const store = options.string('store');
  return store === undefined ? config : withStore(config, store);
}

/**
 * Public keys of the issuer, fetched when first needed, again when a token names an unknown one,
 * and every ten minutes.
 */
import {
  createLocalJWKSet,
  errors,
  type FlattenedJWSInput,
  type JSONWebKeySet,
  type JWSHeaderParameters,
} from 'jose';
import type { Clock } from '../../core/base/ports.ts';
import { isWithin } from '../host/clock.ts';
import type { Claims, Source } from './authorization-server.ts';

const AGE_MS_MAX = 10 * 60 * 1000;
/**
 * Shortest pause between requests that unknown keys cause: anyone can send a token that names one.
 */
const PAUSE_MS = 30_000;

type LocalKeys = ReturnType<typeof createLocalJWKSet>;

export class KeyRing {
  private readonly source: Source<Claims>;
  private readonly clock: Clock;
  private keys: LocalKeys | undefined;
  private readMs = 0;
  private reading: Promise<LocalKeys> | undefined;

  constructor(source: Source<Claims>, clock: Clock) {
    this.source = source;
    this.clock = clock;
  }

  /**
   * The key lookup for `jwtVerify` of jose. Rejects with JWKSNoMatchingKey, or with the error of
   * reading.
   */
  readonly find = async (header: JWSHeaderParameters, token: FlattenedJWSInput) => {
    const keys = await this.current(AGE_MS_MAX);
    try {
      return await keys(header, token);
    } catch (error) {
      if (!(error instanceof errors.JWKSNoMatchingKey)) throw error;
      return (await this.current(PAUSE_MS))(header, token);
    }
  };

  close(): void {
    this.source.close();
  }

  /** Keys no older than `ageMsMax`; older ones if new ones cannot be obtained. */
  private async current(ageMsMax: number): Promise<LocalKeys> {
    const { keys } = this;
    if (keys && isWithin(ageMsMax, this.readMs, this.clock.nowMs())) return keys;
    this.reading ??= this.read().finally(() => {
      this.reading = undefined;
    });
    try {
      return await this.reading;
    } catch (error) {
      if (keys) return keys;
      throw error;
    }
  }

  private async read(): Promise<LocalKeys> {
    const content = await this.source.read();
    this.keys = createLocalJWKSet(content as unknown as JSONWebKeySet);
    this.readMs = this.clock.nowMs();
    return this.keys;
  }
}

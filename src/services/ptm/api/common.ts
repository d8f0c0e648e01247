/**
 * Endpoints that every application of the manager serves: liveness and versions (Tessera's
 * tessera-jaxrs/common-jaxrs).
 */
import { json, type Route, text } from '../../../io/http/server.ts';

/** The Tessera version whose behaviour this manager follows; clients log it. */
const DISTRIBUTION_VERSION = '24.4.1';
/**
 * Levels of what Quorate clients may request beyond Tessera's API: 1 payloads in batches, 2 also
 * sends and raw payloads in batches, 3 also `/comparison`, 4 also digests in it, 5 participants in
 * batches.
 */
const BATCH_HEADER = 'quorate-ptm-batch';
const BATCH_LEVEL = '5';

export interface Features {
  readonly enhancements: boolean;
  readonly multiplePrivateStates: boolean;
}

/** COMPAT: when a feature is off, its version is not listed; clients use the highest one. */
function apiVersions(features: Features): string[] {
  const versions = ['1.0'];
  if (features.enhancements) versions.push('2.0');
  versions.push('2.1');
  if (features.multiplePrivateStates) versions.push('3.0');
  if (features.enhancements) versions.push('4.0');
  versions.push('5.0');
  return versions;
}

export function commonRoutes(features: Features, ready: () => boolean): Route[] {
  const versions = apiVersions(features);
  return [
    {
      method: 'GET',
      path: '/upcheck',
      about: 'Whether the manager runs',
      handle: () => text(200, "I'm up!"),
    },
    {
      method: 'GET',
      path: '/version',
      about: 'The version of the manager',
      handle: () => text(200, DISTRIBUTION_VERSION),
    },
    {
      method: 'GET',
      path: '/version/api',
      about: 'The versions of the API that are spoken',
      handle: () => ({ ...json(200, versions), headers: { [BATCH_HEADER]: BATCH_LEVEL } }),
    },
    {
      method: 'GET',
      path: '/version/distribution',
      about: 'The version of the manager',
      handle: () => text(200, DISTRIBUTION_VERSION),
    },
    {
      method: 'GET',
      path: '/health',
      about: 'Whether the manager can serve: 503 until its store is open',
      handle: () => json(ready() ? 200 : 503, { status: ready() ? 'UP' : 'DOWN' }),
    },
  ];
}

export function supportedVersions(header: string | undefined): string[] {
  if (header === undefined) return [];
  return header
    .split(',')
    .map((version) => version.trim())
    .filter((version) => version !== '')
    .slice(0, 32);
}

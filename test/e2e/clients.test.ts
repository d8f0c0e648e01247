/**
 * Client libraries with their default settings: no fee, gas or nonce is set. `npm run test:matrix`
 * tests more libraries.
 */
import { LIGHT } from '../clients/clients.ts';
import { describeClients } from '../clients/suite.ts';

describeClients(LIGHT, { atOnce: true });

/**
 * Clients from npm that are too large to be installed with the project, with their default settings
 * and at price 0.
 */
import { HEAVY } from '../clients/clients.ts';
import { describeClients } from '../clients/suite.ts';

describeClients(HEAVY, { atOnce: false, alsoAtPriceZero: true });

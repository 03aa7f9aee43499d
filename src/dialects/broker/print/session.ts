import type { PrintableOffer, PrintableProposal } from '../../../planner/dialect.ts';
import { printInstant } from '../../../words/iso8601.ts';
import { timeOfUuid } from '../../../words/uuid.ts';
import { EXTRA, type BrokerExtra } from '../extras.ts';
import { uriOf } from '../generations.ts';
import { nameIn } from '../view.ts';
import { isListed, printMachines } from './compute.ts';
import { printExecutable } from './executable.ts';
import { jobMessages, printAccess, printConnectors, printCosts, printUsage } from './job.ts';
import type { PartOf } from './parts.ts';
import { printSchedule } from './schedule.ts';
import { printStored } from './storage.ts';
import { sessionPhase, saidKind, type PrintedFor, type WireSession } from './words.ts';

/** An offer, and the job that it becomes, as a session. */
export function printSession(offer: PrintableOffer, to: PrintedFor): WireSession {
  const { id, state, createdAt, modifiedAt, expiresAt } = offer;
  const { base, spelling } = to;
  const schedule = printSchedule(to, offer);
  // As in the answer to the ask, which is printed before the record has a time.
  const created = printInstant(timeOfUuid(id));
  const of: PartOf = { id, state, created, schedule };
  const isOpen = state === 'OFFERED' || state === 'EXPIRED';
  const expires = isOpen ? { expires: printInstant(expiresAt) } : {};
  const connectors = printConnectors(to, offer);
  const messages = jobMessages(to, offer);
  const words = componentsOf(to, offer, of);
  const usage = printUsage(to, offer.job?.usage);
  const metrics = usage.length === 0 ? {} : { metrics: usage };
  const name = nameFrom(to, offer.name);
  const kind = saidKind(spelling, uriOf(spelling, 'session', 'scheduled-execution-session'));
  if (spelling.generation === 'types') {
    const phase = sessionPhase(spelling, state);
    return {
      ...kind,
      uuid: id,
      href: `${base}/sessions/${id}`,
      ...name,
      created,
      phase,
      state: phase,
      ...expires,
      ...words,
      executable: { ...words.executable, access: printAccess(connectors) },
      schedule,
      ...metrics,
      options: optionOf(to, offer),
      messages,
    };
  }
  return {
    ...kind,
    meta: {
      uuid: id,
      ...name,
      url: `${base}/sessions/${id}`,
      created,
      modified: modifiedAt === createdAt ? created : printInstant(modifiedAt),
      messages,
      options: optionOf(to, offer),
    },
    phase: state,
    ...expires,
    ...words,
    connectors,
    schedule,
    ...metrics,
  };
}

/** An offer as it would be; nobody can accept it. */
export function printProposed(proposal: PrintableProposal, to: PrintedFor): WireSession {
  const { spelling } = to;
  const schedule = printSchedule(to, proposal);
  const of: PartOf = { id: undefined, state: 'PROPOSED', created: undefined, schedule };
  const isOld = spelling.generation === 'types';
  return {
    ...saidKind(spelling, uriOf(spelling, 'session', 'scheduled-execution-session')),
    phase: isOld ? 'PROPOSED' : 'INITIAL',
    ...(isOld ? { state: 'PROPOSED' } : {}),
    ...componentsOf(to, proposal, of),
    schedule,
  };
}

/**
 * The name that the client gave to the whole.
 * @param otherwise that of an ask in another dialect
 */
export function nameFrom({ request }: PrintedFor, otherwise?: string): { readonly name?: string } {
  const name = request === undefined ? otherwise : nameIn(request);
  return name === undefined ? {} : { name };
}

/** What the session is made of, in the order of the schema. */
function componentsOf(to: PrintedFor, offer: PrintableProposal, of: PartOf) {
  const { promised } = offer;
  const machines = printMachines(to, promised, of);
  const { storage, data } = printStored(to, promised.storage, of);
  const executable = printExecutable(to, promised, of);
  const stored = {
    ...(storage.length === 0 ? {} : { storage }),
    ...(data.length === 0 ? {} : { data }),
  };
  const costs = printCosts(to, promised);
  const rest = { ...(costs.length === 0 ? {} : { costs }), extras: extrasOf(offer) };
  if (to.spelling.generation === 'types')
    return { executable, resources: { compute: machines, ...stored }, ...rest };
  const [only] = machines;
  return {
    executable,
    compute: isListed(to, machines.length) || only === undefined ? machines : only,
    ...stored,
    ...rest,
  };
}

/** Who gets the offer, and where it runs. */
function extrasOf({ destination, identity }: PrintableProposal): BrokerExtra[] {
  return [
    { kind: EXTRA.destination, destination },
    { kind: EXTRA.identity, ...identity },
  ];
}

function optionOf({ spelling }: PrintedFor, { mayBecome }: Pick<PrintableOffer, 'mayBecome'>) {
  const path = spelling.generation === 'types' ? 'state' : 'phase';
  return mayBecome.length === 0
    ? []
    : [{ ...saidKind(spelling, 'uri:enum-value-option'), path, values: [...mayBecome] }];
}

import { type JobId, parseOfferId } from '../../words/ids.ts';
import { Problem } from '../../words/problem.ts';
import { documentFormat, type RawDocument } from '../read/body.ts';
import type { UwsCall, UwsDeps } from '../call.ts';
import { readJobSettings, setDuration, setDestructionTime } from './changes.ts';
import { invalidParameter, shownValue, single, singleAs } from '../read/control.ts';
import { jobUrl, type Places } from '../job.ts';
import { parameterBytesOf, givenBy, keepParameters } from '../store/kept-parameters.ts';
import { type Inline, partFor, referenceOf } from '../read/multipart.ts';
import { giveRunId, readOffer, runJob } from '../store/store.ts';

const missing =
  'OFFER is missing; it must be the id of an offer that you have accepted. Or send what the ' +
  'job is to do: a task description as REQUEST, or as the body in YAML, JSON or XML.';

/**
 * POST to the job list (UWS § 2.2.3.1). With OFFER the job exists since the client accepted the
 * offer, so a client may repeat this POST. With a task description, the service asks its planner
 * and accepts the first offer; a NO is 403 with every reason. PHASE=RUN starts a job that waits for
 * its client; RUNID names a job without a name; EXECUTIONDURATION and DESTRUCTION work as in a
 * request of their own. All other parameters are stored and shown.
 *
 * @returns the URL to redirect to
 */
export async function createJob(deps: UwsDeps, call: UwsCall): Promise<string> {
  const { parameters, body, places } = call;
  const run = singleAs(parameters, 'PHASE', 'RUN', (text) => (text === 'RUN' ? text : undefined));
  const settings = readJobSettings(parameters);
  const extras = givenBy(parameters, body.inline);
  if (extras.length > 0) await deps.requireRoom(call.req, parameterBytesOf(extras));
  const id = await commission(deps, call, run !== undefined);
  if (settings.runId !== undefined) await giveRunId(deps.database, id, settings.runId);
  // The job exists, so a parameter that comes too late does not fail the request.
  if ((await keepParameters(deps.database, id, extras, 'create')) === 'full') {
    throw new Problem(
      'body-too-large',
      `The parameters of job ${id} are larger than 1 MiB; the job exists without them.`,
    );
  }
  await setDuration(deps.database, id, settings);
  await setDestructionTime(deps, id, settings);
  if (run !== undefined) await runJob(deps.database, id, deps.queueLimitS());
  return jobUrl(places, id);
}

/** Finds or makes the job that the request names, by one offer or one task description. */
async function commission(deps: UwsDeps, call: UwsCall, run: boolean): Promise<JobId> {
  const start = run ? 'AUTO' : 'CLIENT';
  const offer = single(call.parameters, 'OFFER');
  const part = call.body.inline.get('REQUEST');
  const sent = call.body.document ?? (part && documentIn(part));
  const named = single(call.parameters, 'REQUEST');
  // Clients of TAP say `doQuery` beside whatever they ask for.
  const isSaid = named?.toLowerCase() === 'doquery' && (offer ?? sent) !== undefined;
  const request = isSaid ? undefined : named;
  if (offer !== undefined && (request !== undefined || sent !== undefined))
    throw invalidParameter('OFFER', offer, 'left out when the request has a task description');
  if (offer !== undefined) return requireJobOf(deps, offer, call.owner, call.places);
  if (request !== undefined && call.body.document !== undefined)
    throw invalidParameter('REQUEST', request, 'left out when the body is a task description');
  if (request !== undefined) return deps.askFor(() => documentOf(deps, call, request), call, start);
  if (sent === undefined) {
    throw new Problem('parameter-invalid', missing, {
      errors: [{ path: 'OFFER', text: 'must be the id of an offer that you have accepted' }],
    });
  }
  return deps.askFor(async () => sent, call, start);
}

/** Only an accepted offer of the caller has a job; the refusal says what to do. */
async function requireJobOf(
  { database, howToAccept }: UwsDeps,
  text: string,
  owner: string,
  places: Places,
): Promise<JobId> {
  const id = parseOfferId(text.toLowerCase());
  const offer = id === undefined ? undefined : await readOffer(database, id);
  if (id === undefined || offer === undefined || offer.owner !== owner) {
    throw new Problem('offer-not-yours', `There is no offer ${shownValue(text)} of yours.`);
  }
  if (offer.hasJob) return id;
  const { lapsed, state } = offer;
  if (state === 'OFFERED' && !lapsed) {
    throw new Problem(
      'offer-not-accepted',
      `Offer ${id} is not accepted yet. Accept it first: ` +
        `${howToAccept(`${places.offers}/${id}`)}.`,
      { state },
    );
  }
  if (state === 'OFFERED' || state === 'EXPIRED' || state === 'REJECTED') {
    const now = lapsed ? 'EXPIRED' : state;
    throw new Problem('offer-not-accepted', `Offer ${id} is ${now}; ask again for a new one.`, {
      state: now,
    });
  }
  throw new Problem('job-state-conflict', `The job of offer ${id} was destroyed.`, { state });
}

/** The text of REQUEST: in place, in a part of the form (`param:<name>`), or at a URL. */
async function documentOf(
  { fetchDocument }: UwsDeps,
  { body }: UwsCall,
  request: string,
): Promise<RawDocument> {
  const reference = referenceOf(request);
  if (reference?.whole === true)
    return documentIn(partFor('REQUEST', request, reference, body.inline));
  if (!/^[a-z][a-z0-9+.-]*:\/\/\S+$/i.test(request))
    return { format: 'yaml', bytes: new TextEncoder().encode(request) };
  return { format: 'yaml', bytes: new TextEncoder().encode(await fetchDocument(request)) };
}

function documentIn({ type, content }: Inline): RawDocument {
  return { format: documentFormat(type) ?? 'yaml', bytes: content };
}

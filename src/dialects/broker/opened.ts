import { jobNameFrom } from '../../planner/job-name.ts';
import { spellingOf, type BrokerRequest, type Spelling } from './generations.ts';
import { shelvesOf, type Shelves } from './shelves.ts';
import { nameIn, viewOf, type RequestView } from './view.ts';

/** A request with its parts found and its resources named. */
export type OpenedRequest = {
  readonly request: BrokerRequest;
  /** what the client calls the whole, as a job may be called */
  readonly name: string | undefined;
  readonly spelling: Spelling;
  readonly view: RequestView;
  readonly shelves: Shelves;
};

/** Opens a document that has the shape of a request. */
export function openRequest(request: BrokerRequest): OpenedRequest {
  const view = viewOf(request);
  const name = jobNameFrom(nameIn(request) ?? '');
  return { request, name, spelling: spellingOf(request), view, shelves: shelvesOf(view) };
}

import { Router } from 'express';
import type { PythonEnvironment } from '../../environments/environment.ts';
import type { components } from '../../generated/api.d.ts';
import type { Site } from '../../site/site.ts';
import { requireAcceptable } from '../body/representation.ts';
import { replyVersion } from '../sessions/versions.ts';

type EnvironmentList = components['schemas']['EnvironmentList'];

/** Serves what the interpreters of the destinations have, for everybody. */
export function environmentRoutes(site: () => Site): Router {
  const router = Router();
  router.get('/environments', requireAcceptable(), (request, response) =>
    replyVersion(request, response, environmentList(site())),
  );
  return router;
}

/** The environments of a site by name, each with the destinations that have it. */
export function environmentList({ destinations }: Pick<Site, 'destinations'>): EnvironmentList {
  const places = [...destinations.values()].flatMap(({ id, environments }) =>
    (environments ?? []).map((environment) => ({ id, environment })),
  );
  const byName = Map.groupBy(places, ({ environment: { name } }) => name);
  return {
    environments: [...byName].flatMap(([name, [first, ...more]]) =>
      first === undefined
        ? []
        : [
            {
              environment: name,
              ...stateOf(first.environment),
              destinations: [first, ...more].map(({ id }) => id),
            },
          ],
    ),
  };
}

function stateOf(environment: PythonEnvironment) {
  if (environment.state === 'broken') return { state: environment.state, packages: [] };
  const { python, packages } = environment.facts;
  return {
    state: environment.state,
    python,
    packages: [...packages]
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
      .map(([, { name, version }]) => ({ name, version })),
  };
}

import { Router } from 'express';
import { Problem } from '../words/problem.ts';
import type { XmlMapping } from '../xml/mapping.ts';
import { printXsd } from '../xml/xsd.ts';

/** Serves the schema of every document in XML, to everybody. */
export function xsdRoutes({ documents }: XmlMapping): Router {
  const schemas = new Map(documents.map((one) => [one.schema, printXsd(one)]));
  const router = Router();
  router.get('/schemas/:name.xsd', (request, response) => {
    const { name } = request.params;
    const text = schemas.get(name);
    if (text === undefined)
      throw new Problem(
        'route-unknown',
        `There is no schema ${name.slice(0, 60)}; there are ${[...schemas.keys()].join(', ')}.`,
      );
    response.set('Cache-Control', 'max-age=3600').type('application/xml').send(text);
  });
  return router;
}

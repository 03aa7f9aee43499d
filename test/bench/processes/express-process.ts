import express, { raw } from 'express';
import { openDatabase } from '../../../src/db/client.ts';
import { acceptOffer } from '../../../src/planner/record/update-offer.ts';
import { parseOfferId } from '../../../src/words/ids.ts';
import { endWithParent } from '../../../workers/lifetime.ts';
import { BENCH_TERMS } from '../measures/book.ts';
import { listen } from '../measures/listen.ts';

/*
 * The floors: Express that reads the body and answers with a text of the same size as the planner's,
 * and Express that does nothing but accept.
 */

const ANSWER = 'x'.repeat(Number(process.env['ANSWER_BYTES']));
const app = express();
app.set('etag', false);
app.disable('x-powered-by');
app.use(raw({ type: () => true, limit: '256kb' }));
app.all('/', (_request, response) => void response.type('application/yaml').send(ANSWER));
const database = openDatabase(process.env['DATABASE_URL'] ?? '', 4);
app.post('/offers/:id', async ({ params }, response) => {
  const offer = parseOfferId(params.id);
  if (offer === undefined) throw new Error(`${params.id} is no offer`);
  const { verdict } = await acceptOffer(database, offer, 'anonymous', BENCH_TERMS);
  response.type('application/yaml').send(`status: ${verdict}`);
});
await listen(app);

endWithParent();

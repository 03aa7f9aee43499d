import express, { raw } from 'express';
import { endWithParent } from '../../../workers/lifetime.ts';
import { listen } from '../measures/listen.ts';

/*
 * The floor: Express that reads the body and answers with a text of the same size as the planner's.
 */

const ANSWER = 'x'.repeat(Number(process.env['ANSWER_BYTES']));
const app = express();
app.set('etag', false);
app.disable('x-powered-by');
app.use(raw({ type: () => true, limit: '256kb' }));
app.all('/', (_request, response) => void response.type('application/yaml').send(ANSWER));
await listen(app);

endWithParent();

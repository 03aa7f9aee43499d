import express, { raw } from 'express';
import { endWithParent } from '../../workers/lifetime.ts';
import { listen } from './listen.ts';

/* The floor: Express that reads the body and answers with a text of the same size as the planner's, and nothing else. */

const ANSWER = 'x'.repeat(Number(process.env['ANSWER_BYTES']));
const app = express();
app.set('etag', false);
app.disable('x-powered-by');
app.get('/', (_request, response) => void response.type('application/yaml').send(ANSWER));
app.post('/', raw({ type: () => true, limit: '256kb' }), (_request, response) => void response.type('application/yaml').send(ANSWER));
await listen(app);

endWithParent(() => Promise.resolve());

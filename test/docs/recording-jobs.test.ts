import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { Client } from 'pg';
import { parseJob } from '../../src/vortex/index.ts';
import { openTestDatabase, type TestDatabase } from '../harness/database.ts';
import { readMarkdown, sectionOf } from './sources/markdown.ts';

/** The columns of Galaxy's tables in the documented query, and three jobs. */
const GALAXY = `
CREATE SCHEMA galaxy; SET search_path TO galaxy;
CREATE TABLE galaxy_user (id int, email text, username text);
CREATE TABLE role (id int, name text, deleted boolean);
CREATE TABLE user_role_association (user_id int, role_id int);
CREATE TABLE dataset (id int, file_size numeric);
CREATE TABLE history_dataset_association (id int, dataset_id int, extension text);
CREATE TABLE job (id int, tool_id text, tool_version text, user_id int);
CREATE TABLE job_to_input_dataset (id int, job_id int, dataset_id int, name text);
INSERT INTO galaxy_user VALUES (7, 'ada@observatory.example', 'ada');
INSERT INTO role VALUES (1, 'survey', NULL), (2, 'old', true);
INSERT INTO user_role_association VALUES (7, 2), (7, 1);
INSERT INTO dataset VALUES (40, 1073741824), (41, NULL);
INSERT INTO history_dataset_association VALUES (50, 40, 'fits'), (51, 41, '');
INSERT INTO job VALUES (1, 'crossmatch', '', NULL), (2, 'a/b/stack_images/1.0', '1.0', 7), (3, NULL, NULL, 7);
INSERT INTO job_to_input_dataset VALUES (1, 2, 50, 'images'), (2, 2, 51, 'flat');
`;

let db: TestDatabase;
beforeAll(async () => {
  db = await openTestDatabase(1);
});
afterAll(() => db.close());

test("the query of docs/guides/migration.md makes jobs for `diff` out of Galaxy's tables", async () => {
  const page = await readMarkdown('docs/guides/migration.md');
  const query = page.fences.find(({ words }) => words[0] === 'sql')?.text ?? '';
  expect(sectionOf(page, '## Recording jobs')).toContain(query);
  const client = new Client({ connectionString: db.url });
  await client.connect();
  try {
    await client.query(GALAXY);
    const { rows } = await client.query(query);
    expect(rows.map((row) => parseJob(Object.values(row)[0]))).toEqual([
      {
        tool: { id: 'a/b/stack_images/1.0', version: '1.0', requirements: [] },
        user: { id: 7, email: 'ada@observatory.example', username: 'ada' },
        roles: [
          { name: 'survey', deleted: false },
          { name: 'old', deleted: true },
        ],
        inputs: [
          { name: 'images', sizeBytes: 1_073_741_824, extension: 'fits', dataset: 40 },
          { name: 'flat', sizeBytes: null, extension: 'data', dataset: 41 },
        ],
      },
      {
        tool: { id: 'crossmatch', version: null, requirements: [] },
        user: null,
        roles: [],
        inputs: [],
      },
    ]);
  } finally {
    await client.end();
  }
});

import { describe, expect, test } from '@jest/globals';
import { map } from '../../src/vortex/index.ts';
import type { OtherJob } from '../../src/vortex/index.ts';
import { jobOf, rulesOf, surroundings } from './job.ts';

const OTHERS: readonly OtherJob[] = [
  {
    toolId: 'bwa/1',
    state: 'queued',
    destination: 'a',
    userId: 'ada',
    userEmail: 'ada@example.org',
    count: 3,
    cores: 12,
    mem: 24,
  },
  {
    toolId: 'bwa/2',
    state: 'running',
    destination: 'b',
    userId: 'bob',
    userEmail: 'bob@example.org',
    cores: 2,
    mem: 3.8,
  },
  {
    toolId: 'fastqc',
    state: 'queued',
    destination: null,
    userId: null,
    userEmail: null,
    cores: 1,
    mem: 1,
  },
];

const SETUP = `
import sqlalchemy
from sqlalchemy import text, func, select, and_, or_, not_
J = app.model.Job
s = app.model.context
`;

/** What Python comes to that may ask for the jobs above; the class of what it raises. */
function outcome(python: string): string {
  const lines =
    `${SETUP}${python}\nentity.params['out'] = str(out).replace('{', '{{').replace('}', '}}')`
      .split('\n')
      .map((line) => `        ${line}`);
  const rules = rulesOf(`
tools:
  x:
    params: {out: ''}
    rules:
    - if: true
      execute: |
${lines.join('\n')}
destinations: {a: {runner: slurm}}
`);
  const decision = map(rules, jobOf('x', { otherJobs: OTHERS }), surroundings);
  if (decision.kind === 'destination') return String(decision.chosen.params['out']);
  return decision.kind === 'error' ? `${decision.className}: ${decision.message}` : decision.kind;
}

const RANK = `
rows = s.execute(text("""
    select destination_id, state, count(id), sum(cores), sum(mem)
    from (
        select id,
              CAST((REGEXP_MATCHES(encode(destination_params, 'escape'),'ntasks=(\\\\d+)'))[1] as INTEGER)  as cores,
              CAST((REGEXP_MATCHES(encode(destination_params, 'escape'),'mem=(\\\\d+)'))[1] as INTEGER)  as mem,
              state, destination_id
        from job
        where state='queued' or state='running'
        order by destination_id
    ) as foo
    group by destination_id, state;
"""))
out = {}
for row in rows:
    destination_id, state, count_id, sum_cores, sum_mem = row
    out.setdefault(destination_id, {})[state] = (count_id, sum_cores, sum_mem)
`;

describe('rules that query the table of jobs', () => {
  test('get the jobs, cores and MB of every destination and state by the SQL that sites use', () => {
    expect(outcome(RANK)).toBe(
      "{'a': {'queued': (3, 12, 24576)}, 'b': {'running': (1, 2, 3891)}, None: {'queued': (1, 1, 1024)}}",
    );
  });

  test('have the class of the job under the name of its table', () => {
    expect(
      outcome(
        'from galaxy.model import Job, User\n' +
          'out = [isinstance(job, Job), isinstance(user, User), isinstance(job, User), J is Job, J.__name__]',
      ),
    ).toBe("[True, False, False, True, 'Job']");
  });

  test.each([
    [
      'counts by destination',
      'out = dict(s.query(J.table.c.destination_id, ' +
        'func.count(J.table.c.destination_id)).filter(J.table.c.destination_id.in_(d for d in ' +
        '["a", "b"]), J.table.c.state == J.states.QUEUED).group_by(J.destination_id).all())',
      "{'a': 3}",
    ],
    [
      'conditions one after another',
      "out = s.query(J.id).filter(J.user_id == 'ada').filter(J.state.in_(['queued', " +
        "'running'])).filter(J.tool_id.like('bwa/%')).count()",
      '3',
    ],
    [
      'conditions together',
      "out = s.query(J.id).filter(or_(J.state == 'running', and_(J.state == 'queued', " +
        "not_(J.destination_id == 'b')))).count()",
      '4',
    ],
    [
      'conditions with & and |',
      "out = s.query(J.id).filter((J.state == 'running') | ((J.state == 'queued') & " +
        "(J.destination_id == 'a'))).count()",
      '4',
    ],
    ['names as arguments', "out = s.query(J).filter_by(state='queued').first().tool_id", 'bwa/1'],
    [
      'a join with users',
      "out = s.query(J.id).join(app.model.User).filter(app.model.User.email == 'bob@example.org').count()",
      '1',
    ],
    ['NULL', 'out = s.query(J.tool_id).filter(J.destination_id.is_(None)).all()', "[('fastqc',)]"],
    [
      'distinct values in order',
      'out = [row.destination_id for row in ' +
        's.query(J.destination_id).filter(J.destination_id.isnot(None)).distinct().order_by(J.destination_id.desc())]',
      "['b', 'a']",
    ],
    [
      'a select that is executed',
      "out = s.execute(select(J.state, func.count().label('n')).group_by(J.state).order_by(func.count().desc())).all()",
      "[('queued', 4), ('running', 1)]",
    ],
    ['a scalar', "out = s.scalar(select(func.sum(J.cores)).where(J.state == 'queued'))", '13'],
    ['an average', 'out = s.query(func.avg(J.cores), func.max(J.cores)).first()', '(3.0, 4)'],
    [
      'the model by its import',
      "from galaxy import model\nout = s.query(model.Job.id).filter(model.Job.state == 'running').count()",
      '1',
    ],
    [
      'SQL with a parameter',
      "out = s.execute(text('SELECT count(*) FROM job WHERE destination_id = :d AND state IN " +
        "(\\'queued\\')'), {'d': 'a'}).scalar()",
      '3',
    ],
    [
      'SQL in order',
      "out = [tuple(r) for r in s.execute(text('select j.state, count(*) as n from job j " +
        "group by j.state order by n desc limit 1'))]",
      "[('queued', 4)]",
    ],
    [
      'SQL with LIKE and NOT',
      `out = s.execute(text("select count(*) from job where tool_id like 'b_a/%' and not ` +
        `state = 'running'")).scalar()`,
      '3',
    ],
    [
      'rows without a destination, by == None',
      'out = [s.query(J.id).filter(J.destination_id == None).count(), ' +
        's.query(J.id).filter_by(user_id=None).count()]',
      '[1, 1]',
    ],
    [
      'SQL with the places of what is selected',
      "out = s.execute(text('select state, count(*) from job group by 1 order by 2')).all()",
      "[('running', 1), ('queued', 4)]",
    ],
    [
      'SQL that gives a column the name of another one',
      'out = s.execute(text("select destination_id as state, count(*) from job ' +
        "where state = 'queued' group by destination_id order by state\")).all()",
      "[('a', 3), (None, 1)]",
    ],
    [
      'SQL with a limit that is a parameter',
      "out = [len(s.execute(text('select id from job limit :n'), {'n': n}).all()) for n in (2, 0, None)]",
      '[2, 0, 5]',
    ],
    [
      'SQL with a LIKE that means its _',
      String.raw`out = [s.execute(text("select count(*) from job where tool_id like '" + like + "'")).scalar() ` +
        String.raw`for like in ('bwa_1', 'bwa\_1', 'fast\qc', '%a/_')]`,
      '[3, 0, 1, 4]',
    ],
    [
      'the cores of each job',
      "out = [s.query(J.id).filter(J.cores == 4).count(), s.execute(text('select cores, count(*), " +
        "sum(cores) from job group by cores order by cores')).all()]",
      '[3, [(1, 1, 1), (2, 1, 2), (4, 3, 12)]]',
    ],
  ])('by %s', (_, python, expected) => {
    expect(outcome(python)).toBe(expected);
  });

  test.each([
    ['a condition that is a plain bool', "s.query(J.id).filter(J.state != 'x')", 'TypeError'],
    ['a condition that is read as truth', "'a' if J.state == 'x' else 'b'", 'TypeError'],
    ['a column that is not there', 'J.params', 'AttributeError'],
    ['a table that is not there', 'app.model.History', 'AttributeError'],
    [
      'SQL of another table',
      "s.execute(text('select email from galaxy_user'))",
      'OperationalError',
    ],
    ['SQL that changes something', "s.execute(text('delete from job'))", 'OperationalError'],
    [
      'SQL in several statements',
      "s.execute(text('select count(*) from job; select 1'))",
      'OperationalError',
    ],
    [
      'SQL with what is not understood',
      "s.execute(text('select count(*) over () from job'))",
      'OperationalError',
    ],
    [
      'a parameter that is not given',
      "s.execute(text('select count(*) from job where state = :s'))",
      'OperationalError',
    ],
    [
      'a subquery with other rows than the table',
      "s.execute(text('select count(*) from (select distinct user_id from job) u')).scalar()",
      'OperationalError',
    ],
    [
      'a subquery with groups',
      "s.execute(text('select sum(n) from (select count(*) as n from job group by state) u')).scalar()",
      'OperationalError',
    ],
    [
      'a subquery with a limit',
      "s.execute(text('select count(*) from (select id from job limit 2) u')).scalar()",
      'OperationalError',
    ],
    [
      'a column that the subquery does not have',
      "s.execute(text('select user_id from (select state from job) u')).all()",
      'OperationalError',
    ],
    [
      'the name of what is selected in a condition',
      "s.execute(text('select count(*) n from job where n = 1')).scalar()",
      'OperationalError',
    ],
    [
      'a place that is not there',
      "s.execute(text('select id from job order by 2'))",
      'OperationalError',
    ],
    [
      'a limit that is no number',
      's.execute(text("select id from job limit \'2\'"))',
      'OperationalError',
    ],
    ['a limit below zero', 's.query(J.id).limit(-1).all()', 'TypeError'],
    [
      'distinct values that are counted',
      's.query(func.count(J.user_id.distinct()))',
      'AttributeError',
    ],
    ['groups by a text', "s.query(func.count(J.id)).group_by('state').all()", 'TypeError'],
    [
      'several rows for one',
      "s.query(J.id).filter(J.state == 'queued').one()",
      'MultipleResultsFound',
    ],
    ['several rows for a scalar', 's.query(J.state).scalar()', 'MultipleResultsFound'],
    ['no row for one', "s.query(J.id).filter(J.state == 'x').one()", 'NoResultFound'],
  ])('raise for %s, and never guess', (_, python, expected) => {
    expect(outcome(`out = ${python}`)).toMatch(new RegExp(`^${expected}: `));
    expect(
      outcome(
        `try:\n    out = ${python}\n` +
          'except (TypeError, AttributeError, ' +
          "sqlalchemy.exc.SQLAlchemyError):\n    out = 'fallback'",
      ),
    ).toBe('fallback');
  });

  test('pay steps for every row and condition that is read', () => {
    expect(
      outcome(
        "c = J.state == 'queued'\nfor i in range(60): c = c & c\nout = s.query(J.id).filter(c).count()",
      ),
    ).toMatch(/^FuelExhausted/);
  });
});

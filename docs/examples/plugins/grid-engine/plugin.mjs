// A plug-in with an engine: Grid Engine, by its commands.
// Its hosts end all processes of a deleted job with ENABLE_ADDGRP_KILL=true in execd_params, except for one that is
// being forked just then: an epilog of the queue that runs as root ends what has the group in addgrpid.

/**
 * @typedef {import('execution-planner/plugin').RunnerTools} RunnerTools
 * @typedef {import('execution-planner/plugin').BatchJob} BatchJob
 * @typedef {import('execution-planner/plugin').BatchPhase} BatchPhase
 * @typedef {import('execution-planner/plugin').BatchRequest} BatchRequest
 * @typedef {import('execution-planner/plugin').BatchSystem} BatchSystem
 *
 * @typedef {object} GridEngine What a site says of its cluster, as SETTINGS checks it.
 * @property {string} queue
 * @property {string} [parallel-environment] has all slots of a job on one host
 * @property {string} [user] that jobs run as
 * @property {string} [root] SGE_ROOT; that of the installation when absent
 * @property {string} [cell]
 * @property {number} [qmaster-port]
 * @property {number} [execd-port]
 * @property {string} [python] path on the hosts
 * @property {string} [jupyter] path on the hosts of a Python that has Jupyter
 * @property {number} [longest-wait] seconds in the queue
 * @property {Record<string, string>} [gpus] consumables of jobs by type of device; `gpu` when absent.
 *   A prolog of the queue names the devices in CUDA_VISIBLE_DEVICES.
 */

const NAME = { type: 'string', pattern: '^(?!-)[\\w.@-]{1,100}$' };
const PATH = { type: 'string', pattern: '^/' };
const PORT = { type: 'integer', minimum: 1, maximum: 65535 };

const SETTINGS = {
  type: 'object',
  required: ['queue'],
  additionalProperties: false,
  properties: {
    queue: NAME,
    'parallel-environment': NAME,
    user: NAME,
    root: PATH,
    cell: NAME,
    'qmaster-port': PORT,
    'execd-port': PORT,
    python: PATH,
    jupyter: PATH,
    'longest-wait': { type: 'integer', minimum: 1 },
    gpus: { type: 'object', additionalProperties: NAME },
  },
};

/** What the commands print when they reach no qmaster. */
const NOBODY =
  /commlib error|unable to (?:contact|send message)|failed receiving gdi|select error|timed? ?out/i;

/** Addresses that the shells of a job reserve beside its own memory, MiB. */
const SHELLS = 128;

/** The job ends itself at its wall time; this is for one that does not, seconds. */
const GRACE = 60;

export default {
  runners: [
    {
      name: 'grid-engine',
      settings: SETTINGS,
      executes: ['executable', 'python-program', 'jupyter-notebook', 'cwl-workflow'],
      interpreters: ['python', 'jupyter'],
      handsOutGpus: true,
      reach: 'anywhere',
      lackOf,
      open,
      check,
    },
  ],
};

/**
 * @param {GridEngine} settings
 * @param {string} type
 */
function lackOf({ python, jupyter }, type) {
  const hint = 'the absolute path of an interpreter on the hosts';
  if (type === 'python-program' && python === undefined) return { key: 'python', hint };
  if (type === 'jupyter-notebook' && jupyter === undefined) return { key: 'jupyter', hint };
  return undefined;
}

/**
 * @param {GridEngine} settings
 * @param {RunnerTools} tools
 */
function open(settings, tools) {
  const { user, python, jupyter, 'longest-wait': longestWait, gpus } = settings;
  return tools.batchRunner(systemOf(settings, tools), {
    user,
    python,
    jupyter,
    longestWait,
    gresOf: ({ type, count }) => `${gpus?.[type] ?? 'gpu'}=${count}`,
  });
}

/**
 * @param {GridEngine} settings
 * @param {RunnerTools} tools
 */
async function check(settings, tools) {
  await systemOf(settings, tools).probe();
}

/**
 * Grid Engine as the service sees a batch system.
 *
 * @param {GridEngine} settings
 * @param {RunnerTools} tools
 * @returns {BatchSystem}
 */
function systemOf(settings, tools) {
  const { queue, user, 'parallel-environment': parallel } = settings;
  const environment = environmentOf(settings);
  /** @type {(program: string, words: readonly string[], input?: string) => Promise<string>} */
  const call = async (program, words, input) => {
    const { stdout } = await tools.run({ program, words, environment, input, user, nobody: NOBODY });
    return stdout;
  };
  return {
    name: 'grid-engine',
    title: 'Grid Engine',
    reached: JSON.stringify([user, environment]),
    idVariable: 'JOB_ID',
    given: ['CUDA_VISIBLE_DEVICES'],
    submit: async (request) => {
      if (request.cpus > 1 && parallel === undefined)
        throw tools.refusal('more than one core needs grid-engine.parallel-environment');
      const said = await call('qsub', wordsOf(request, queue, parallel), request.script);
      const id = /^(\d+)$/m.exec(said)?.[1];
      if (id === undefined) throw tools.refusal(`qsub printed no number: ${said.slice(0, 200)}`);
      return Number(id);
    },
    jobs: async () => jobsIn(await call('qstat', ['-u', user ?? '*', '-s', 'prsz', '-xml'])),
    recall: async (id) => {
      try {
        return recordIn(id, await call('qacct', ['-j', String(id)]));
      } catch (error) {
        if (/not found/.test(String(error))) return undefined;
        throw error;
      }
    },
    cancel: async (id) => {
      try {
        await call('qdel', [String(id)]);
      } catch (error) {
        if (!/does not exist|already in deletion/.test(String(error))) throw error;
      }
    },
    probe: async () => void (await call('qconf', ['-sq', queue])),
  };
}

/** @param {GridEngine} settings */
function environmentOf({ root, cell, 'qmaster-port': qmaster, 'execd-port': execd }) {
  return {
    ...(root !== undefined && { SGE_ROOT: root }),
    ...(cell !== undefined && { SGE_CELL: cell }),
    ...(qmaster !== undefined && { SGE_QMASTER_PORT: String(qmaster) }),
    ...(execd !== undefined && { SGE_EXECD_PORT: String(execd) }),
  };
}

/**
 * The words of qsub.
 *
 * @param {BatchRequest} request
 * @param {string} queue
 * @param {string | undefined} parallel
 */
function wordsOf(request, queue, parallel) {
  const { name, directory, stdout, stderr, begin, minutes, cpus, memory, gres } = request;
  // Grid Engine counts memory for each slot.
  const share = Math.ceil((memory + SHELLS) / cpus);
  return [
    ...['-terse', '-r', 'n', '-S', '/bin/sh', '-N', name, '-q', queue],
    ...['-wd', directory, '-o', stdout, '-e', stderr],
    ...['-l', `h_rt=${minutes * 60 + GRACE},h_vmem=${share}M`],
    ...(gres === undefined ? [] : ['-l', gres]),
    ...(begin === undefined ? [] : ['-a', stampOf(begin)]),
    ...(cpus > 1 && parallel !== undefined ? ['-pe', parallel, String(cpus)] : []),
  ];
}

/** @param {number} seconds of the epoch, as `-a` takes them; the commands run in UTC */
function stampOf(seconds) {
  const [, date, time, second] =
    /^(.{10})T(.{5}):(\d\d)/.exec(new Date(seconds * 1000).toISOString()) ?? [];
  return `${date}${time}`.replaceAll(/[-:]/g, '') + `.${second}`;
}

/**
 * The jobs that `qstat -xml` lists.
 *
 * @param {string} xml
 * @returns {readonly BatchJob[]}
 */
function jobsIn(xml) {
  return [...xml.matchAll(/<job_list\b[^]*?<\/job_list>/g)].flatMap(([text]) => {
    /** @param {string} name */
    const part = (name) => new RegExp(`<${name}>([^<]*)</${name}>`).exec(text)?.[1];
    const [id, name, state] = [part('JB_job_number'), part('JB_name'), part('state')];
    return id === undefined || name === undefined || state === undefined
      ? []
      : [{ id: Number(id), name, state, phase: phaseOf(state), reason: '' }];
  });
}

/**
 * @param {string} state letters, as qstat(1) explains them
 * @returns {BatchPhase}
 */
function phaseOf(state) {
  if (state.includes('E')) return 'broken';
  if (state.includes('z')) return 'over';
  return /w|h|t/.test(state) && !state.includes('r') ? 'queued' : 'running';
}

/**
 * What the accounting says of an ended job.
 *
 * @param {number} id
 * @param {string} text
 * @returns {BatchJob}
 */
function recordIn(id, text) {
  // Numbers are given again; the latest record is the last one.
  const record = text.split(/^=+$/m).at(-1) ?? '';
  /** @param {string} key */
  const field = (key) => new RegExp(`^${key} +(.*)$`, 'm').exec(record)?.[1]?.trim() ?? '';
  const state = `exit status ${field('exit_status')}, failed ${field('failed')}`;
  return { id, name: field('jobname'), state, phase: endOf(field), reason: '' };
}

/**
 * @param {(key: string) => string} field of a record
 * @returns {BatchPhase}
 */
function endOf(field) {
  // 37: `qmaster enforced h_rt, h_cpu, or h_vmem limit`; wordsOf sets the first and the last.
  if (!/^37\b/.test(field('failed'))) return 'over';
  const most = Number(/\bh_rt=(\d+)/.exec(field('category'))?.[1]);
  return parseFloat(field('ru_wallclock')) >= most ? 'wall-time' : 'memory';
}

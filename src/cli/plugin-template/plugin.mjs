// An engine that runs jobs on this machine with a lower priority. Replace it with yours:
// tools.batchRunner makes a runner of a batch system.

/**
 * @typedef {import('execution-planner/plugin').RunnerTools} RunnerTools
 *
 * @typedef {object} Settings What a site says of a destination, as `settings` checks it.
 * @property {number} [niceness]
 */

export default {
  runners: [
    {
      name: 'new-engine',
      settings: {
        type: 'object',
        additionalProperties: false,
        properties: { niceness: { type: 'integer', minimum: 0, maximum: 19 } },
      },
      executes: ['executable'],
      reach: 'host',
      open,
    },
  ],
};

/**
 * @param {Settings} settings
 * @param {RunnerTools} tools
 */
function open({ niceness = 10 }, tools) {
  return tools.localRunner({ before: () => ['/usr/bin/nice', '-n', String(niceness)] });
}

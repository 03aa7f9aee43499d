import type { TaskForm } from '../task.ts';

/** How a chart is asked for. No public chart consists of Jobs alone, so there is no example. */
export const chartForm: TaskForm = {
  title: 'Helm chart',
  schema: {
    type: 'object',
    required: ['chart'],
    properties: {
      chart: {
        type: 'string',
        format: 'uri',
        maxLength: 2000,
        title: 'URL of the packaged chart',
        description: 'A .tgz with its dependencies inside',
      },
      values: { type: 'object', title: 'Values', description: "Merged over the chart's own" },
    },
    additionalProperties: false,
  },
  example: () => undefined,
};

import type { TaskForm } from '../task.ts';
import { NEEDS } from './parts.ts';

/** How a notebook is asked for; its example needs no package and no network. */
export const notebookForm: TaskForm = {
  title: 'Jupyter notebook',
  schema: {
    type: 'object',
    oneOf: [{ required: ['notebook'] }, { required: ['content'] }],
    properties: {
      notebook: {
        type: 'string',
        format: 'uri',
        maxLength: 2000,
        title: 'URL of the notebook',
        description: 'Where the worker fetches it when the job begins',
      },
      content: {
        title: 'The notebook itself',
        description: 'nbformat 4 in Python, as an object or as JSON text',
        anyOf: [
          { type: 'object', required: ['nbformat', 'cells'] },
          { type: 'string', maxLength: 1_000_000 },
        ],
      },
      parameters: {
        type: 'object',
        maxProperties: 200,
        title: 'Parameters',
        description: 'Values for variables of the notebook, as with papermill',
      },
      ...NEEDS,
    },
    additionalProperties: false,
  },
  example: () => ({
    content: {
      nbformat: 4,
      nbformat_minor: 5,
      metadata: {},
      cells: [
        {
          cell_type: 'markdown',
          metadata: {},
          source: '# Square roots\nThe parameter `most` says how many.',
        },
        {
          cell_type: 'code',
          metadata: { tags: ['parameters'] },
          execution_count: null,
          outputs: [],
          source: 'most = 3',
        },
        {
          cell_type: 'code',
          metadata: {},
          execution_count: null,
          outputs: [],
          source: 'for n in range(1, most + 1):\n    print(n, round(n ** 0.5, 3))',
        },
      ],
    },
    parameters: { most: 5 },
  }),
};

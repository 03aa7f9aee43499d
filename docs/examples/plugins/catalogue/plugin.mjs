// A storage type of its own: a list of stars that the ask itself names, as a file of the volume.
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';

export default {
  storage: [
    {
      name: 'catalogue',
      type: 'https://example.org/storage-type/catalogue',
      schema: {
        type: 'object',
        required: ['stars'],
        properties: { stars: { type: 'array', maxItems: 1000, items: { type: 'string', pattern: '^[A-Za-z ]{1,50}$' } } },
        additionalProperties: false,
      },
      load: async ({ spec, directory, limit }) => {
        const text = spec.stars.map((star) => `${star}\n`).join('');
        if (text.length > limit) throw new Error('the catalogue is larger than the volume may be');
        await writeFile(join(directory, 'stars.txt'), text);
      },
    },
  ],
};

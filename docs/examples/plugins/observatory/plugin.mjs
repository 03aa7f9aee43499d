// A type of compute resource of its own: a machine that stands at an observatory, high enough.
const properties = { site: { type: 'string' } };

export default {
  compute: [
    {
      name: 'observatory',
      type: 'https://example.org/compute-type/observatory',
      schema: { type: 'object', properties: { ...properties, 'min-altitude': { type: 'number' } }, additionalProperties: false },
      attributes: { type: 'object', required: ['altitude'], properties: { ...properties, altitude: { type: 'number' } }, additionalProperties: false },
      check: ({ site, 'min-altitude': least = 0 }, has) => {
        if (site !== undefined && site !== has.site) return `It stands at ${has.site}, not at ${site}`;
        return has.altitude < least ? `It stands at ${has.altitude} m, not at ${least} m or above` : undefined;
      },
    },
  ],
};

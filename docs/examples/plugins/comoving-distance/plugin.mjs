// A task type of its own: the distance to a galaxy, from its redshift, in a flat universe.

const program = `
import sys
redshift, hubble, matter = map(float, sys.argv[1:])
steps = 1000
width = redshift / steps
def inverse(z): return (matter * (1 + z) ** 3 + 1 - matter) ** -0.5
total = sum(inverse((step + 0.5) * width) for step in range(steps)) * width
print(f"{299792.458 / hubble * total:.1f} Mpc")
`;

export default {
  tasks: [
    {
      name: 'comoving-distance',
      type: 'https://example.org/task-type/comoving-distance',
      schema: {
        type: 'object',
        required: ['redshift'],
        properties: {
          redshift: { type: 'number', exclusiveMinimum: 0, maximum: 20 },
          hubble: { type: 'number', minimum: 50, maximum: 100 },
          matter: { type: 'number', exclusiveMinimum: 0, exclusiveMaximum: 1 },
        },
        additionalProperties: false,
      },
      adapt: ({ redshift, hubble = 70, matter = 0.3 }) => ({
        type: 'https://www.purl.org/ivoa-net/task-type/python-program',
        spec: { source: program, arguments: [redshift, hubble, matter].map(String) },
      }),
    },
  ],
};

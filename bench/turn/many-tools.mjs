// A catalogue of tools such as a few MCP servers bring: each with a sentence about itself and three parameters. None of
// them is ever called; what they cost is being offered.

export function manyTools(count) {
  return Array.from({ length: count }, (_, index) => {
    const name = `bench_${AREAS[index % AREAS.length]}_${String(index).padStart(3, '0')}`;
    return {
      name,
      description: `Look up the entries of ${name} that match a query, newest first, and return their names and dates.`,
      parameters: {
        type: 'object',
        properties: {
          query: { type: 'string', minLength: 1, description: 'What the entries have to contain.' },
          limit: { type: 'integer', minimum: 1, maximum: 100, description: 'At most this many; 20 by default.' },
          order: { type: 'string', enum: ['newest', 'oldest'], description: 'Which of them come first.' },
        },
        required: ['query'],
        additionalProperties: false,
      },
      idempotent: true,
      run: async () => ({ content: 'Nothing matches.' }),
    };
  });
}

const AREAS = ['calendar', 'mail', 'tickets', 'files', 'people', 'orders', 'wiki', 'metrics'];

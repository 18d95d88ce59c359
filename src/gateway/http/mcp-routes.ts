// The servers of tools over the API: which there are, and how they do.

import type { ApiParts, HttpApp } from './api-parts.ts';

export function addMcpRoutes(app: HttpApp, { services }: ApiParts): void {
  app.get('/api/mcp', async (c) => c.json({ servers: await services.tools.mcpServers() }));
}

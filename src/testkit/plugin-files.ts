// A plugin as files for a test's home: one entry of plain JavaScript and its manifest, in the folder where a gateway
// looks for plugins.

export interface PluginFileOptions {
  /** Merged over the manifest. */
  readonly manifest?: Readonly<Record<string, unknown>> | undefined;
}

/** `register` is the body of the plugin's register function, which has `api`. */
export function pluginFiles(
  id: string,
  register: string,
  { manifest = {} }: PluginFileOptions = {},
): Record<string, string> {
  const dir = `extensions/${id}`;
  return {
    [`${dir}/openclaw.plugin.json`]: JSON.stringify({ id, configSchema: { type: 'object' }, ...manifest }),
    [`${dir}/package.json`]: JSON.stringify({
      name: id,
      version: '1.0.0',
      type: 'module',
      openclaw: { extensions: ['./index.js'] },
    }),
    [`${dir}/index.js`]: `export default { id: ${JSON.stringify(id)}, register(api) {\n${register}\n} };\n`,
  };
}

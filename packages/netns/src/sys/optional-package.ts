/** Loads an optional npm package. Never searches the working directory, which may be hostile. */
export function optionalPackage(name: string): unknown {
  // Path or URL of the running file. A CJS bundle has only `__filename`, an ES module only `import.meta.url`.
  const file = typeof __filename === 'string' ? __filename : import.meta?.url
  if (file === undefined) {
    throw new Error(`${name} cannot be resolved: this bundle has neither __filename nor import.meta`)
  }
  return process.getBuiltinModule('node:module').createRequire(file)(name)
}

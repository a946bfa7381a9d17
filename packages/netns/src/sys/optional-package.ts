/**
 * Loads an optional npm package. Searches for the package in this file's folder and its parent folders. Never searches
 * the working directory, which may be hostile. Bundlers do not see the import. Throws the error of `require` if the
 * package is missing.
 */
export function optionalPackage(name: string): unknown {
  // Path or URL of the running file. A CJS bundle has only `__filename`, an ES module only `import.meta.url`.
  const file = typeof __filename === 'string' ? __filename : import.meta?.url
  if (file === undefined) {
    throw new Error(`${name} cannot be resolved: this bundle has neither __filename nor import.meta`)
  }
  return process.getBuiltinModule('node:module').createRequire(file)(name)
}

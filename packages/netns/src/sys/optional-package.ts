/**
 * Loads an optional package. Resolves it from this file, never from the working directory, which may be hostile.
 * Bundlers do not see the import. Throws the error of `require` if the package is missing.
 */
export function optionalPackage(name: string): unknown {
  // A CJS bundle has no import.meta.url, an ES module has no __filename.
  const file = typeof __filename === 'string' ? __filename : import.meta?.url
  if (file === undefined) {
    throw new Error(`${name} cannot be resolved: this bundle has neither __filename nor import.meta`)
  }
  return process.getBuiltinModule('node:module').createRequire(file)(name)
}

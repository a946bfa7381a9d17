/**
 * A package that may be installed, found from here: never from the working directory, which may be hostile. Hidden from
 * bundlers. Throws what `require` throws when it is not there.
 */
export function optionalPackage(name: string): unknown {
  // a CJS bundle has no import.meta.url, an ES module no __filename
  const file = typeof __filename === 'string' ? __filename : import.meta?.url
  if (file === undefined) {
    throw new Error(`${name} cannot be resolved: this bundle has neither __filename nor import.meta`)
  }
  return process.getBuiltinModule('node:module').createRequire(file)(name)
}

import { readdirSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { UsageError } from '@cni/host/cli'

/** Finds the `npm pack` tarballs of `@cni` packages. Returns their `file:` URLs. */
export function tarballsIn(folder: string): Record<string, string> {
  const found = Object.fromEntries(
    filesOf(resolve(folder)).flatMap((file) => {
      const [, name] = /^cni-([a-z\d-]+?)-\d+\.\d+\.\d+\S*\.tgz$/.exec(file) ?? []
      return name === undefined ? [] : [[`@cni/${name}`, `file:${join(resolve(folder), file)}`]]
    }),
  )
  if (found['@cni/skel'] === undefined) throw new UsageError(`flag --from: there is no cni-skel-*.tgz in ${folder}`)
  return found
}

function filesOf(folder: string) {
  try {
    return readdirSync(folder).sort()
  } catch (cause) {
    throw new UsageError(`flag --from: cannot read ${folder}`, { cause })
  }
}

import { dirname, join, relative } from 'node:path'
import { importsOf, sources } from './sources.ts'

/** Map from an importing name in a folder to its imported names, each with an example. */
type Level = Map<string, Map<string, string>>

/** Finds the imports between folders of a package, at each depth. */
export function folderDependencies(folder: string): Map<string, Level> {
  const dependencies = new Map<string, Level>()
  for (const file of sources(folder)) {
    if (file.endsWith('/index.ts')) continue
    const from = relative(folder, file).split('/')
    for (const specifier of importsOf(file)) {
      if (!specifier.startsWith('.')) continue
      const to = relative(folder, join(dirname(file), specifier)).split('/')
      const depth = from.findIndex((name, index) => name !== to[index])
      if (depth === -1) continue
      const path = from.slice(0, depth).join('/')
      const level: Level = dependencies.get(path) ?? new Map()
      const targets = level.get(from[depth] ?? '') ?? new Map<string, string>()
      dependencies.set(path, level.set(from[depth] ?? '', targets.set(to[depth] ?? '', `${file} imports ${specifier}`)))
    }
  }
  return dependencies
}

const IMPORT = /^import (type )?\{([^}]*)\} from '(@cni\/[\w/-]+)'$/gm

/** Rewrites the imports of a program for a new release: imports each moved name from its new entry. */
export function moveImports(program: string, moved: ReadonlyMap<string, string>): string {
  return program.replaceAll(IMPORT, (_, type: string | undefined, names: string, entry: string) => {
    const byEntry = new Map<string, string[]>()
    for (const member of names.split(',').map((name) => name.trim())) {
      if (member === '') continue
      const name = member.replace(/^type /, '')
      const target = moved.get(`${entry} ${name}`) ?? moved.get(`${entry} *`) ?? entry
      byEntry.set(target, [...(byEntry.get(target) ?? []), member])
    }
    const imports = [...byEntry].map(
      ([target, members]) => `import ${type ?? ''}{ ${members.join(', ')} } from '${target}'`,
    )
    return imports.join('\n')
  })
}

import { existsSync, globSync } from 'node:fs'
import { basename, join } from 'node:path'
import { root } from './exec.ts'
import { folderDependencies } from './folder-dependencies.ts'
import { allowed, folderSubjects, subjects } from './imports-map.ts'
import { table, withTexts } from './markdown.ts'
import { entries, manifests } from './pack.ts'
import { Stop } from './progress.ts'

/** Generated maps of packages and folders. The key is the name in a page's markers. */
const maps = {
  get packages() {
    return packagesTable()
  },
  get rooms() {
    return foldersTable()
  },
}

/** Writes the generated maps of packages and folders between the markers of a page. */
export const withMaps = (page: string) => withTexts(page, 'map', maps)

function packagesTable() {
  const packages = manifests().map(({ folder, manifest }) => ({ name: basename(folder), manifest }))
  const rows = Object.entries(allowed).map(([name, patterns]) => {
    const [folder = '', subject = ''] = row(`packages/${name}`, subjects[name])
    const own = packages.find((one) => one.name === name)?.manifest.name
    const others = packages.filter((one) => one.name !== name && one.manifest.name.startsWith('@cni/'))
    const offered = others.map(({ manifest }) => entries(manifest)).filter((all) => all.length > 0)
    return [folder, `\`${own}\``, subject, mayImport(patterns, offered)]
  })
  return table(['folder', 'package', 'what it is', 'may import'], rows)
}

/** Lists the packages that a package may import. Lists single entries if only some entries are allowed. */
function mayImport(patterns: readonly RegExp[], offered: readonly string[][]) {
  const named = offered.map((all) => {
    const some = all.filter((entry) => patterns.some((pattern) => pattern.test(entry)))
    return { some, isWhole: some.length === all.length }
  })
  if (named.every(({ isWhole }) => isWhole)) return 'all packages'
  const words = named.flatMap(({ some, isWhole }) => (isWhole ? some.slice(0, 1) : some))
  return words.join(', ').replaceAll('@cni/', '') || 'nothing of ours'
}

function foldersTable() {
  const rows = Object.entries(folderSubjects).flatMap(([where, ofFolder]) => {
    const [name = '', ...inside] = where.split('/')
    const path = inside.length === 0 ? 'src' : inside.join('/')
    const level = folderDependencies(`packages/${name}`).get(path)
    checkFolders(`packages/${name}/${path}`, ofFolder)
    return Object.keys(ofFolder).map((room) => {
      const others = [...(level?.get(room)?.keys() ?? [])].filter((other) => !other.endsWith('.ts')).sort()
      return [
        ...row(`packages/${name}/${path}/${room}`, ofFolder[room]),
        others.map((each) => `\`${each}\``).join(', '),
      ]
    })
  })
  return table(['folder', 'what it is', 'imports'], rows)
}

function checkFolders(path: string, subjects: Readonly<Record<string, string>>) {
  const folders = globSync(`${path}/*/`, { cwd: root }).map((each) => basename(each))
  const unnamed = folders.filter((each) => subjects[each] === undefined)
  if (unnamed.length > 0) throw new Stop(`scripts/lib/imports-map.ts does not say what ${path}/${unnamed[0]} is`)
}

function row(folder: string, subject: string | undefined) {
  if (!existsSync(join(root, folder)))
    throw new Stop(`scripts/lib/imports-map.ts names ${folder}, which does not exist`)
  if (subject === undefined) throw new Stop(`scripts/lib/imports-map.ts does not say what ${folder} is`)
  return [`\`${folder}\``, subject]
}

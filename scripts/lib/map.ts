import { existsSync, globSync, readFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { root } from './exec.ts'
import { folderArrows } from './folder-arrows.ts'
import { allowed, roomSubjects, subjects } from './imports-map.ts'
import { table, withTexts } from './markdown.ts'
import { Stop } from './progress.ts'

/** Each map by the name of its markers, as a table. */
const maps = () => ({ packages: packagesTable(), rooms: roomsTable() })

/** A page with the present maps between their markers. */
export const withMaps = (page: string) => withTexts(page, 'map', maps())

function packagesTable() {
  const entries = publicEntries()
  const rows = Object.entries(allowed).map(([name, patterns]) => {
    const [own = ''] = entries.get(name) ?? []
    const others = [...entries].filter(([other]) => other !== name).map(([, all]) => all)
    const [folder = '', subject = ''] = row(`packages/${name}`, subjects[name])
    return [folder, `\`${own}\``, subject, mayImport(patterns, others)]
  })
  return table(['folder', 'package', 'what it is', 'may import'], rows)
}

/** The public entries of each package by its folder, such as `@cni/netns/sys`. */
function publicEntries() {
  const manifests = globSync('packages/*/package.json', { cwd: root }).sort()
  return new Map(
    manifests.map((path): [string, string[]] => {
      const { name, exports } = JSON.parse(readFileSync(join(root, path), 'utf8'))
      const entries = Object.keys(exports).filter((entry) => entry !== '.' && entry !== './package.json')
      return [basename(dirname(path)), [name, ...entries.map((entry) => `${name}${entry.slice(1)}`)]]
    }),
  )
}

/** Packages by name; a package of which only some entries are allowed by those entries. */
function mayImport(patterns: readonly RegExp[], others: readonly string[][]) {
  const packages = others.filter(([name]) => name?.startsWith('@cni/'))
  const named = packages.map((all) => {
    const some = all.filter((entry) => patterns.some((pattern) => pattern.test(entry)))
    return some.length === all.length ? some.slice(0, 1) : some
  })
  if (named.every((some, index) => some[0] === packages[index]?.[0] && some.length === 1)) return 'all packages'
  return named.flat().join(', ').replaceAll('@cni/', '') || 'nothing of ours'
}

function roomsTable() {
  const rows = Object.entries(roomSubjects).flatMap(([where, ofFolder]) => {
    const [name = '', ...inside] = where.split('/')
    const path = inside.length === 0 ? 'src' : inside.join('/')
    const level = folderArrows(`packages/${name}`).get(path)
    checkRooms(`packages/${name}/${path}`, ofFolder)
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

function checkRooms(path: string, subjects: Readonly<Record<string, string>>) {
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

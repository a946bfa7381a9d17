// Imports every public entry of every built package with the Node that runs this file: the user's, not the pinned one.
import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const packages = new URL('../packages/', import.meta.url)
let entries = 0
for (const name of readdirSync(fileURLToPath(packages))) {
  const folder = new URL(`${name}/`, packages)
  const manifest = JSON.parse(readFileSync(new URL('package.json', folder), 'utf8'))
  for (const target of Object.values(manifest.exports)) {
    if (typeof target !== 'object') continue
    const names = Object.keys(await import(new URL(target.default, folder).href))
    if (names.length === 0) throw new Error(`${manifest.name}: ${target.default} exports nothing`)
    entries++
  }
}
process.stdout.write(`${entries} entries on Node ${process.versions.node}\n`)

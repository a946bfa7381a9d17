import { VERSION } from '../version.ts'

/** The answer to `--version`: `my-command 0.1.0 (bun 1.4.5)`, then what `more` says, such as what it stands in for. */
export function versionText(name: string, more = '', version: string = VERSION): string {
  const { bun, node } = process.versions
  const runtime = bun === undefined ? `node ${node}` : `bun ${bun}`
  return `${name} ${version} (${runtime})${more === '' ? '' : `, ${more}`}\n`
}

import { VERSION } from '../version.ts'

/**
 * Returns the text that a command prints for `--version`: `my-command 0.1.0 (node 22.1.0)`. A comma and the text of
 * `more` follow.
 */
export function versionText(name: string, more = '', version: string = VERSION): string {
  const { bun, cni, node } = process.versions
  const runtime = cni !== undefined ? `small ${cni}` : bun !== undefined ? `bun ${bun}` : `node ${node}`
  return `${name} ${version} (${runtime})${more === '' ? '' : `, ${more}`}\n`
}

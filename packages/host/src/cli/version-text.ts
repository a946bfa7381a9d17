import { VERSION } from '../version.ts'

/** The answer to `--version`: `my-command 0.1.0 (small 0.1.0)`, then what `more` says, such as what it stands in for. */
export function versionText(name: string, more = '', version: string = VERSION): string {
  const { bun, cni, node } = process.versions
  const runtime = cni !== undefined ? `small ${cni}` : bun !== undefined ? `bun ${bun}` : `node ${node}`
  return `${name} ${version} (${runtime})${more === '' ? '' : `, ${more}`}\n`
}

import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/** Profiles of the Helm chart with rendered manifests for users without Helm. */
export const RECORDED = ['default', 'ambient'] as const
export const RECORDED_IMAGE = 'registry.example/mesh/install-cni:1'

/** Returns the first line of a manifest, with the chart's hash. Machines without Helm compare this hash. */
export function recordedHeading(chart: string): string {
  const hash = createHash('sha256')
  const files = readdirSync(chart, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile())
  const paths = files.map(({ parentPath, name }) => join(parentPath, name).slice(chart.length)).sort()
  for (const path of paths) {
    hash.update(`${path}\0`)
    hash.update(readFileSync(join(chart, path)))
  }
  return `# npm run manifests -- --record, of the chart ${hash.digest('hex').slice(0, 16)}`
}

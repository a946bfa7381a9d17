import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/** The profiles whose manifests lie beside the chart, for those who have no helm, and the image in them. */
export const RECORDED = ['default', 'ambient'] as const
export const RECORDED_IMAGE = 'registry.example/mesh/install-cni:1'

/** Their first line: by it is seen, also without helm, that they are not those of another chart. */
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

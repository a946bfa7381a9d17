import { readdirSync, readFileSync } from 'node:fs'
import type { Called } from './add-pod.ts'
import type { Serving } from './serving-agent.ts'

/** Whether the agent decided about a call that logged at debug. */
export const isServed = ({ stderr }: Called): boolean => !stderr.includes('the node agent does not decide')

/** What the plugin has on record of the pods, by container. */
export function records(at: Serving): Map<string, Record<string, unknown>> {
  const folder = at.node.path('run/attachments')
  // Others are being written.
  const files = readdirSync(folder).filter((file) => /^[0-9a-f]{32}\.json$/.test(file))
  const all = files.map((file) => JSON.parse(readFileSync(`${folder}/${file}`, 'utf8')))
  return new Map(all.map((record) => [record.containerID, record]))
}

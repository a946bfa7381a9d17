import * as z from 'zod/mini'
import { KubeError } from '../kube-error.ts'
import { type AskOptions, ask } from './ask.ts'

const namespaceSchema = z.object({
  metadata: z.object({ name: z.string(), labels: z.nullish(z.record(z.string(), z.string())) }),
})

/** Gets the labels of a namespace from the API server. `name` must be valid (`isPodIdentity`). */
export function namespaceLabels(name: string, options: AskOptions): Promise<Readonly<Record<string, string>>> {
  const what = `namespace ${name}`
  return ask({ what, path: `/api/v1/namespaces/${encodeURIComponent(name)}`, parse }, options)

  function parse(document: unknown): Readonly<Record<string, string>> {
    const parsed = namespaceSchema.safeParse(document)
    if (parsed.success && parsed.data.metadata.name === name) return parsed.data.metadata.labels ?? {}
    const where = parsed.error?.issues[0]?.path.map(String).join('.') || 'the document'
    const problem = parsed.success ? 'it has another name' : `${where} has the wrong type`
    throw new KubeError('BAD_ANSWER', `${what}: the API server's answer is not that namespace: ${problem}`)
  }
}

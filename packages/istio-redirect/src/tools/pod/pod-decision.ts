import type { FlagValues } from '@cni/host/cli'
import * as z from 'zod/mini'
import { confSchema } from '../../conf/conf.ts'
import { type Settings, settingsOf } from '../../conf/settings.ts'
import { decidePod, type PodDecision } from '../../explain/decide-pod.ts'
import type { ToolIo } from '../io.ts'
import type { podFlags } from './flags.ts'
import { documents, readPod } from './read-pods.ts'

/** Decides about the pod that the command-line flags name. */
export async function podDecision(
  io: ToolIo,
  { pod, name, netconf, address }: FlagValues<typeof podFlags>,
  addresses?: readonly string[],
): Promise<PodDecision & { readonly pod: string }> {
  const settings = await readNetconf(io, netconf)
  const document = await readPod(io, pod, name)
  const given = address === '' ? addresses : address.split(',')
  const log = (level: string, message: string) => io.stderr(`${level}: ${message}\n`)
  const decision = decidePod(document, { settings, addresses: given, env: io.env, log })
  return { ...decision, pod: `${document.namespace}/${document.name}` }
}

/** Reads the plugin's settings from its configuration or a conflist. `''` means default settings. */
export async function readNetconf(io: ToolIo, path: string): Promise<Settings> {
  if (path === '') return settingsOf({ name: 'none' })
  const [document] = await documents(io, path)
  const parsed = confSchema.safeParse(entryOf(document, path))
  if (parsed.success) return settingsOf(parsed.data)
  const [issue] = parsed.error.issues
  throw new Error(`${path}: ${issue?.path.map(String).join('.') || 'the document'}: ${issue?.message ?? 'invalid'}`)
}

const list = z.object({ name: z.string(), plugins: z.array(z.looseObject({ type: z.string() })) })

function entryOf(document: unknown, path: string): unknown {
  const parsed = list.safeParse(document)
  if (!parsed.success) return document
  const entry = parsed.data.plugins.find(({ type }) => type === 'istio-cni')
  if (entry === undefined) throw new Error(`${path}: no plugin of this list has the type istio-cni`)
  return { name: parsed.data.name, ...entry }
}

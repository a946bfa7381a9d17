import { nodeLevelDrift } from '@cni/istio-node-level'
import {
  type AmbientPod,
  decideEnrolment,
  type EnrolmentDecision,
  HBONE_PORT,
  INBOUND_PORT,
  OUTBOUND_PORT,
  podOverrides,
  readAmbientPod,
  redirectionStatus,
} from '@cni/istio-rules'
import { type Netns, netns } from '@cni/netns'
import { escapeUnsafeLines } from '@cni/types'
import { namespaceDrift, namespaceLeftovers } from '../../agent/ambient/namespace/enrol-namespace.ts'
import { jsonText } from '../../safe-text.ts'
import { type ExitCode, exitCodes } from '../exit-codes.ts'
import type { ToolIo } from '../io.ts'
import { readNetconf } from '../pod/pod-decision.ts'
import { readPod } from '../pod/read-pods.ts'
import { type AmbientSettings, ambientSettings, namespaceLabels } from './ambient-settings.ts'
import { listeningPorts } from './listening-ports.ts'

/** Flags of `istio-redirect check --ambient`. */
export interface AmbientCheckFlags {
  readonly pod: string
  readonly name: string
  readonly netconf: string
  /** Network namespace that has the rules: the pod's, or the node's with node-level redirection. */
  readonly netns: string
  /** File with the pod's Namespace object. `''` means the file that contains the pod. */
  readonly namespace: string
  readonly nativeNftables: boolean
  readonly json: boolean
}

/** Compares the rules in a network namespace with ambient mode's decision about the pod. Changes nothing. */
export async function checkAmbient(flags: AmbientCheckFlags, given: ToolIo): Promise<ExitCode> {
  const io = cachingIo(given)
  const document = await readPod(io, flags.pod, flags.name)
  const pod = readAmbientPod(document.document)
  const name = `${document.namespace}/${document.name}`
  if (pod === undefined) throw new Error(`${name} is not a complete pod: ${NEEDS}`)
  const settings = ambientSettings(io, await readNetconf(io, flags.netconf), flags.nativeNftables)
  const labels = await namespaceLabels(io, flags.namespace || flags.pod, pod.namespace)
  const decision = decideEnrolment(pod, labels, settings.enrolment)
  using opened = netns.open(flags.netns)
  const readDrift = settings.onNode ? driftOnNode : driftInPod
  const drift = await readDrift({ pod, opened, decision, settings, io })
  const { enrolled, why } = decision
  const clean = drift.length === 0
  if (flags.json) io.stdout(jsonText({ pod: name, enrolled, why, clean, drift }))
  if (clean && !enrolled) {
    io.stderr(`${name} is not in the mesh, as it should be: ${why}\n`)
    return exitCodes.skipped
  }
  const heading = enrolled ? `${name} belongs to the mesh: ${why}` : `${name} does not belong to the mesh: ${why}`
  const text = clean ? `${name}: enrolled, as it should be` : [heading, ...drift].join('\n')
  if (!flags.json) io.stdout(`${escapeUnsafeLines(text)}\n`)
  return clean ? exitCodes.ok : exitCodes.negative
}

// internal

const NEEDS = 'namespace, name and uid are required, as in kubectl get pod NAME -o yaml'

interface CheckInput {
  readonly pod: AmbientPod
  readonly opened: Netns
  readonly decision: EnrolmentDecision
  readonly settings: AmbientSettings
  readonly io: ToolIo
}

async function driftOnNode({ pod, opened, decision: { enrolled } }: CheckInput): Promise<string[]> {
  const drift = await nodeLevelDrift(opened, pod, enrolled)
  return enrolled ? [...drift, ...annotationDrift(pod)] : drift
}

async function driftInPod({
  pod,
  opened,
  decision,
  settings: { capture: usual, rules },
  io,
}: CheckInput): Promise<string[]> {
  const { warnings, dnsCapture, ...overrides } = podOverrides(pod)
  for (const warning of warnings) io.stderr(`warn: ${warning}\n`)
  const capture = { ...usual, ...overrides, dnsCapture: dnsCapture ?? usual.dnsCapture }
  if (decision.enrolled) {
    return [...(await namespaceDrift(opened, capture, rules)), ...(await silentPorts(opened)), ...annotationDrift(pod)]
  }
  // Skips pods with a sidecar, because sidecar rules and ambient rules use the same chain names.
  return decision.reason === 'sidecar' ? [] : [...(await namespaceLeftovers(opened, capture, rules))]
}

/** Reports ztunnel's ports on which no process listens. */
async function silentPorts(opened: Netns): Promise<string[]> {
  const open = await listeningPorts(opened)
  const wanted = [OUTBOUND_PORT, INBOUND_PORT, HBONE_PORT]
  return wanted.filter((port) => !open.has(port)).map((port) => `missing listener of ztunnel on port ${port}`)
}

/** Reports the value of the pod's redirection annotation if the value is not `enabled`. */
function annotationDrift(pod: Parameters<typeof redirectionStatus>[0]): string[] {
  const status = redirectionStatus(pod)
  return status === 'enabled' ? [] : [`annotation ambient.istio.io/redirection is ${status ?? 'missing'}, not enabled`]
}

/** Caches files, because stdin can be read only once but may contain pod and namespace. */
function cachingIo(io: ToolIo): ToolIo {
  const texts = new Map<string, string>()
  const readFile = (path: string): string => {
    const text = texts.get(path) ?? io.system.readFile(path)
    texts.set(path, text)
    return text
  }
  return { ...io, system: { ...io.system, readFile } }
}

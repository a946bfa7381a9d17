import { convertResult, gte, isCniVersion, isObject, type JsonObject, type Verb } from '@cni/types'
import { isErrorDocument, readStdout } from './exchange/documents.ts'
import type { ExchangeRequest } from './exchange/exchange.ts'
import type { Exchange } from './model.ts'
import type { Pod } from './world/pod.ts'

/** Changes that a check makes to a default call of the plugin: to environment variables, configuration or stdin. */
export interface Changes {
  /** Environment variables to change in the plugin call. `undefined` removes a variable. */
  readonly env?: Readonly<Record<string, string | undefined>>
  /** Members to change in the plugin's configuration. `undefined` removes a member. */
  readonly conf?: JsonObject
  /** Text that the plugin gets on stdin instead of its configuration. */
  readonly stdin?: string | Uint8Array
  readonly execution?: Partial<ExchangeRequest>
}

/** A test pod, with functions that execute the tested plugin for this pod as a container runtime would. */
export interface AttachedPod {
  readonly pod: Pod
  readonly version: string
  /** Configuration that the plugin gets on stdin for a verb, such as ADD. */
  conf(verb: Verb, changes?: JsonObject): JsonObject
  run(verb: Verb, changes?: Changes): Promise<Exchange>
  add(changes?: Changes): Promise<Exchange>
  check(changes?: Changes): Promise<Exchange>
  del(changes?: Changes): Promise<Exchange>
}

/**
 * Settings for the test pods of one run: the plugin's configuration, CNI_PATH and CNI_ARGS. All pods have equal
 * settings.
 */
export interface AttachSettings {
  readonly conf: JsonObject
  readonly path: string
  readonly args: string | undefined
  execute(execution: ExchangeRequest): Promise<Exchange>
}

/** Creates functions that execute the plugin for a pod. They pass the `prevResult` that fits the verb. */
export function attachTo(pod: Pod, version: string, settings: AttachSettings): AttachedPod {
  let added: JsonObject | undefined

  const prevResult = (verb: Verb): unknown => {
    if (verb === 'ADD') return pod.prevResult && inVersion(pod.prevResult, version)
    if (verb === 'GC' || verb === 'STATUS' || !from(version, '0.4.0')) return undefined
    return added ?? (pod.prevResult && inVersion(pod.prevResult, version))
  }
  const conf = (verb: Verb, changes: JsonObject = {}): JsonObject => {
    const gc = verb === 'GC' ? { 'cni.dev/valid-attachments': [], 'cni.dev/attachments': [] } : {}
    const all = { ...settings.conf, cniVersion: version, ...gc, prevResult: prevResult(verb), ...changes }
    return Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined))
  }
  const run = async (verb: Verb, changes: Changes = {}): Promise<Exchange> => {
    const place =
      verb === 'GC' || verb === 'STATUS'
        ? {}
        : {
            CNI_CONTAINERID: pod.id,
            CNI_NETNS: pod.netns.path,
            CNI_IFNAME: pod.ifName,
            CNI_ARGS: settings.args,
          }
    const exchange = await settings.execute({
      ...changes.execution,
      env: { CNI_COMMAND: verb, ...place, CNI_PATH: settings.path, ...changes.env },
      stdin: changes.stdin ?? conf(verb, changes.conf),
    })
    if (verb === 'ADD') added = resultIn(exchange) ?? added
    return exchange
  }

  return {
    pod,
    version,
    conf,
    run,
    add: (changes) => run('ADD', changes),
    check: (changes) => run('CHECK', changes),
    del: (changes) => run('DEL', changes),
  }
}

/** Result of a successful ADD: the first JSON object on stdout, unless it is an error. */
export function resultIn({ exitCode, stdout }: Exchange): JsonObject | undefined {
  if (exitCode !== 0) return undefined
  return readStdout(stdout).documents.find((value): value is JsonObject => isObject(value) && !isErrorDocument(value))
}

/** True if a CNI version is `least` or newer. False for unknown versions. */
export function from(version: string, least: string): boolean {
  return isCniVersion(version) && gte(version, least)
}

// Converts a `prevResult` to a CNI version. Versions before 0.3.0 have no `prevResult`.
function inVersion(result: NonNullable<Pod['prevResult']>, version: string): unknown {
  return from(version, '0.3.0') ? convertResult(result, '1.1.0', version) : undefined
}

import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { isObject } from '@cni/types'
import { parseAllDocuments } from 'yaml'
import { findHelm } from '../../../../scripts/lib/helm.ts'

/** Kubernetes object that a chart renders. */
export interface Manifest {
  readonly apiVersion: string
  readonly kind: string
  readonly metadata: { readonly name: string; readonly namespace?: string; readonly [key: string]: unknown }
  readonly [key: string]: unknown
}

/** Folder of our Helm chart. */
export const CHART = fileURLToPath(new URL('../../deploy/chart', import.meta.url))

/** Path of the program helm, from PATH or from the folder `CNI_PEERS`; `undefined` if missing. */
export const HELM = findHelm()

/** Runs helm and waits for its end. */
export function helm(args: readonly string[], values: object = {}) {
  if (HELM === undefined) throw new Error('helm is neither on the PATH nor in CNI_PEERS')
  return spawnSync(HELM, [...args, '-f', '-'], {
    input: JSON.stringify(values),
    encoding: 'utf8',
    env: { PATH: process.env.PATH ?? '', HOME: '/nonexistent' },
  })
}

/** Renders our chart with the given values, and returns its Kubernetes objects. */
export function rendered(values: object): Manifest[] {
  const args = ['template', 'cni', CHART, '--namespace', 'istio-system', '--kube-version', 'v1.35.1']
  const { status, stdout, stderr } = helm(args, values)
  if (status !== 0) throw new Error(stderr)
  return manifestsOf(stdout)
}

/** Parses the Kubernetes objects in a YAML text. */
export function manifestsOf(text: string): Manifest[] {
  return parseAllDocuments(text).flatMap((document) => {
    if (document.errors[0] !== undefined) throw document.errors[0]
    const object: unknown = document.toJS()
    return isManifest(object) ? [object] : []
  })
}

const isManifest = (value: unknown): value is Manifest =>
  isObject(value) && typeof value.kind === 'string' && isObject(value.metadata)

/** Difference between the objects of Istio's chart and of our chart. */
export interface Difference {
  /** Kind and name of the object that differs, such as `DaemonSet/istio-cni-node`. */
  readonly object: string
  /**
   * Path of the differing value, such as `spec.template.spec.containers[install-cni].resources.requests.cpu`. An empty
   * path means the whole object.
   */
  readonly path: string
  readonly istio: unknown
  readonly ours: unknown
}

/** Lists the differences between two charts. List items with names are compared by name. */
export function differences(istio: readonly Manifest[], ours: readonly Manifest[]): Difference[] {
  const [theirs, own] = [byName(istio), byName(ours)]
  const found: Difference[] = []
  for (const object of new Set([...theirs.keys(), ...own.keys()])) {
    const [a, b] = [theirs.get(object), own.get(object)]
    if (a === undefined || b === undefined) {
      found.push({ object, path: '', istio: a && 'present', ours: b && 'present' })
      continue
    }
    const [left, right] = [leaves(a), leaves(b)]
    for (const path of new Set([...left.keys(), ...right.keys()])) {
      const [x, y] = [left.get(path), right.get(path)]
      if (JSON.stringify(x) !== JSON.stringify(y)) found.push({ object, path, istio: x, ours: y })
    }
  }
  return found
}

const byName = (objects: readonly Manifest[]): Map<string, Manifest> =>
  new Map(objects.map((object) => [`${object.kind}/${object.metadata.name}`, object]))

function leaves(value: unknown, path = '', found = new Map<string, unknown>()): Map<string, unknown> {
  if (path === 'rules' && Array.isArray(value)) {
    for (const right of value.flatMap(rightsOf)) found.set(`rules[${right}]`, true)
  } else if (Array.isArray(value) && value.every((one) => isObject(one) && typeof one.name === 'string')) {
    for (const one of value) leaves(one, `${path}[${one.name}]`, found)
  } else if (isObject(value) && Object.keys(value).length > 0) {
    for (const [key, member] of Object.entries(value)) {
      leaves(member, /^[\w-]+$/.test(key) ? (path === '' ? key : `${path}.${key}`) : `${path}[${key}]`, found)
    }
  } else {
    found.set(path, value)
  }
  return found
}

/** Splits a rule of a role into single permissions, one line for each verb on each resource. */
function rightsOf(rule: unknown): string[] {
  const list = (value: unknown): string[] => (Array.isArray(value) ? value.map(String) : [''])
  if (!isObject(rule)) return [String(rule)]
  return list(rule.apiGroups).flatMap((group) =>
    list(rule.resources).flatMap((resource) =>
      list(rule.verbs).flatMap((verb) =>
        list(rule.resourceNames).map((name) =>
          [verb, group === '' ? resource : `${resource}.${group}`, name].join(' ').trim(),
        ),
      ),
    ),
  )
}

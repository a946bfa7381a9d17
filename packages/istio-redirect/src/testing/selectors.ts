import type { StoredPod } from './pods.ts'

/** Whether a pod is among those a list or a watch asks for; equality and existence only. */
export function chosen(pod: StoredPod, query: URLSearchParams): boolean {
  return (
    terms(query.get('fieldSelector')).every((term) => holds(term, (key) => fieldOf(pod, key))) &&
    terms(query.get('labelSelector')).every((term) => holds(term, (key) => pod.metadata.labels?.[key]))
  )
}

const terms = (selector: string | null): string[] => (selector ?? '').split(',').filter(Boolean)

function holds(term: string, read: (key: string) => string | undefined): boolean {
  const [, key = '', operator, wanted] = /^([^!=]+)(?:(!=|==?)(.*))?$/.exec(term) ?? []
  const value = read(key.trim())
  if (operator === undefined) return value !== undefined
  return operator === '!=' ? value !== wanted : value === wanted
}

function fieldOf(pod: StoredPod, key: string): string | undefined {
  const [nodeName, { namespace, name }] = [pod.spec.nodeName, pod.metadata]
  const fields: Record<string, unknown> = {
    'spec.nodeName': nodeName ?? '',
    'metadata.namespace': namespace,
    'metadata.name': name,
  }
  return typeof fields[key] === 'string' ? fields[key] : undefined
}

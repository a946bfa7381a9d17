import { isObject } from '@cni/types'
import type { StoredObject } from './object-store.ts'

/** True if an object matches label and field selectors. Supports only equality and existence. */
export function chosen(object: StoredObject, query: URLSearchParams): boolean {
  return (
    terms(query.get('fieldSelector')).every((term) => holds(term, (key) => fieldOf(object, key))) &&
    terms(query.get('labelSelector')).every((term) => holds(term, (key) => object.metadata.labels?.[key]))
  )
}

const terms = (selector: string | null): string[] => (selector ?? '').split(',').filter(Boolean)

function holds(term: string, read: (key: string) => string | undefined): boolean {
  const [, key = '', operator, wanted] = /^([^!=]+)(?:(!=|==?)(.*))?$/.exec(term) ?? []
  const value = read(key.trim())
  if (operator === undefined) return value !== undefined
  return operator === '!=' ? value !== wanted : value === wanted
}

function fieldOf(object: StoredObject & { readonly spec?: unknown }, key: string): string | undefined {
  const { namespace, name } = object.metadata
  const nodeName = isObject(object.spec) ? object.spec.nodeName : undefined
  const fields: Record<string, unknown> = {
    'spec.nodeName': nodeName ?? '',
    'metadata.namespace': namespace,
    'metadata.name': name,
  }
  return typeof fields[key] === 'string' ? fields[key] : undefined
}
